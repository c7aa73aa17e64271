"""Tables of the wing. Django sees `id` as the key; the real keys start with the project (sql/0001_tables.sql).

Rows are written by the services' statements and read through selectors: no save(), no get(pk=...) here.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.base import OfTenant


class Project(OfTenant):
    """A project of one user, or shared in the tenant. `change` grows with every write to it."""

    external_id = models.CharField(max_length=128)
    user_id = models.UUIDField(null=True, blank=True)
    change = models.BigIntegerField(default=0)
    snapshots = models.IntegerField(default=0)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "project"


class InProject(models.Model):
    """What every row of a project has."""

    tenant_id = models.UUIDField(editable=False)
    project_id = models.UUIDField(editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.project_id} {self.pk}"


class ProjectVersion(InProject):
    """Name, mission, goals and constraints (sealed) and the status, as they were from one moment to another."""

    version = models.IntegerField(primary_key=True, editable=False)
    status = models.CharField(max_length=8)
    sealed = models.BinaryField()
    terms = ArrayField(models.BigIntegerField(), default=list)
    known_from = models.DateTimeField()
    known_to = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "project_version"


class Item(InProject):
    """What links, conflicts and snapshots may name: a fact, a decision, an artifact, a thread, a snapshot."""

    id = models.UUIDField(primary_key=True, editable=False)
    kind = models.CharField(max_length=8)
    external_id = models.CharField(max_length=128)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "project_item"


class Thread(InProject):
    """A conversation of a user that belongs to a project; `read_seq`: how far it was read for decisions."""

    id = models.UUIDField(primary_key=True, editable=False)
    user_id = models.UUIDField(editable=False)
    conversation = models.CharField(max_length=128)
    scope = models.CharField(max_length=5)
    is_shared = models.BooleanField(default=False)
    read_seq = models.IntegerField(default=0)
    model_seq = models.IntegerField(default=0)
    """How far a model has read it."""
    bound_at = models.DateTimeField()

    class Meta:
        db_table = "project_thread"


class Artifact(InProject):
    """One version of a document, note, file, data set or page."""

    id = models.UUIDField(primary_key=True, editable=False)
    version = models.IntegerField()
    kind = models.CharField(max_length=8)
    sealed = models.BinaryField()
    terms = ArrayField(models.BigIntegerField(), default=list)
    known_from = models.DateTimeField()
    known_to = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "project_artifact"


class Source(InProject):
    """Where something is from. Of a message there are its id and the place of the quotation alone (D-51)."""

    id = models.UUIDField(primary_key=True, editable=False)
    kind = models.CharField(max_length=8)
    user_id = models.UUIDField(null=True, blank=True)
    message_id = models.UUIDField(null=True, blank=True)
    quote_start = models.IntegerField(null=True, blank=True)
    quote_end = models.IntegerField(null=True, blank=True)
    artifact_id = models.UUIDField(null=True, blank=True)
    sealed = models.BinaryField(null=True, blank=True)
    key = models.BinaryField()
    dated = models.DateTimeField()
    authority = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "project_source"


class ProjectFact(InProject):
    """One version of a statement: held from `valid_from` to `valid_to`, known from `known_from` to `known_to`."""

    id = models.UUIDField(primary_key=True, editable=False)
    version = models.IntegerField()
    level = models.CharField(max_length=16)
    status = models.CharField(max_length=8)
    is_exclusive = models.BooleanField()
    is_negative = models.BooleanField()
    subject_key = models.BinaryField()
    value_key = models.BinaryField()
    stance_key = models.BinaryField()
    terms = ArrayField(models.BigIntegerField(), default=list)
    sealed = models.BinaryField()
    source_id = models.UUIDField(null=True, blank=True)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True, blank=True)
    known_from = models.DateTimeField()
    known_to = models.DateTimeField(null=True, blank=True)
    origin = models.CharField(max_length=10)
    actor = models.CharField(max_length=80)

    class Meta:
        db_table = "project_fact"


class Evidence(InProject):
    """A source of a fact."""

    fact_id = models.UUIDField(primary_key=True, editable=False)
    source_id = models.UUIDField()
    added_at = models.DateTimeField()

    class Meta:
        db_table = "project_evidence"


class Decision(InProject):
    """One version of a decision's words. Without words: its source was erased (D-51)."""

    id = models.UUIDField(primary_key=True, editable=False)
    version = models.IntegerField()
    title_key = models.BinaryField(null=True, blank=True)
    terms = ArrayField(models.BigIntegerField(), default=list)
    sealed = models.BinaryField(null=True, blank=True)
    decided_at = models.DateTimeField()
    source_id = models.UUIDField(null=True, blank=True)
    is_source_erased = models.BooleanField(default=False)
    known_from = models.DateTimeField()
    known_to = models.DateTimeField(null=True, blank=True)
    origin = models.CharField(max_length=10)
    actor = models.CharField(max_length=80)

    class Meta:
        db_table = "project_decision"


class DecisionState(InProject):
    """A state that a decision has from `at` on. `is_recorded`: taken from a history as it was."""

    decision_id = models.UUIDField(primary_key=True, editable=False)
    position = models.IntegerField()
    state = models.CharField(max_length=12)
    at = models.DateTimeField()
    known_from = models.DateTimeField()
    known_to = models.DateTimeField(null=True, blank=True)
    source_id = models.UUIDField(null=True, blank=True)
    is_source_erased = models.BooleanField(default=False)
    superseded_by = models.UUIDField(null=True, blank=True)
    is_recorded = models.BooleanField(default=False)
    sealed = models.BinaryField(null=True, blank=True)
    actor = models.CharField(max_length=80)

    class Meta:
        db_table = "project_decision_state"


class Link(InProject):
    """A link between two items. `is_supersession`: the first takes the place of the second once it is accepted."""

    id = models.UUIDField(primary_key=True, editable=False)
    from_id = models.UUIDField()
    to_id = models.UUIDField()
    kind = models.CharField(max_length=11)
    weight = models.FloatField()
    source_id = models.UUIDField(null=True, blank=True)
    is_supersession = models.BooleanField(default=False)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True, blank=True)
    known_from = models.DateTimeField()
    known_to = models.DateTimeField(null=True, blank=True)
    origin = models.CharField(max_length=10)

    class Meta:
        db_table = "project_link"


class Conflict(InProject):
    """Two items that contradict each other. The register: nothing is deleted from it when it is resolved."""

    id = models.UUIDField(primary_key=True, editable=False)
    rule = models.CharField(max_length=10)
    left_id = models.UUIDField()
    right_id = models.UUIDField()
    status = models.CharField(max_length=8)
    opened_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True, blank=True)
    kept_id = models.UUIDField(null=True, blank=True)
    resolution = models.CharField(max_length=12, null=True, blank=True)
    actor = models.CharField(max_length=80, null=True, blank=True)
    sealed = models.BinaryField(null=True, blank=True)

    class Meta:
        db_table = "project_conflict"


class Question(InProject):
    """An open question: of a conflict (its words are made when it is read), or one that somebody asked."""

    id = models.UUIDField(primary_key=True, editable=False)
    conflict_id = models.UUIDField(null=True, blank=True)
    source_id = models.UUIDField(null=True, blank=True)
    sealed = models.BinaryField(null=True, blank=True)
    key = models.BinaryField()
    status = models.CharField(max_length=8)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "project_question"


class ProjectSnapshot(InProject):
    """What a context was made of: ids and versions in order. The text is joined when it is read (D-52)."""

    id = models.UUIDField(primary_key=True, editable=False)
    version = models.IntegerField()
    user_id = models.UUIDField(editable=False)
    change = models.BigIntegerField()
    cache_key = models.BinaryField()
    built_at = models.DateTimeField()
    as_of = models.DateTimeField(null=True, blank=True)
    known_at = models.DateTimeField(null=True, blank=True)
    project_version = models.IntegerField()
    budget_tokens = models.IntegerField()
    used_tokens = models.IntegerField()
    entries = models.JSONField()
    hash = models.BinaryField()

    class Meta:
        db_table = "project_snapshot"


class Run(InProject):
    """Counts and times of one run of a process, for the monitor."""

    id = models.UUIDField(primary_key=True, editable=False)
    process = models.CharField(max_length=10)
    at = models.DateTimeField()
    milliseconds = models.FloatField()
    budget_tokens = models.IntegerField(default=0)
    used_tokens = models.IntegerField(default=0)
    stated = models.IntegerField(default=0)
    attributed = models.IntegerField(default=0)
    cited = models.IntegerField(default=0)
    hits = models.IntegerField(default=0)
    refused = models.IntegerField(default=0)

    class Meta:
        db_table = "project_run"
