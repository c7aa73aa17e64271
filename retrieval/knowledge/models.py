"""Tables of the wing. Django sees `id` as the key; the real keys start with the corpus, or with the user.

Rows are written by named SQL and read through selectors that start with the corpus: no save(), no get(pk=...) here.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models import OfTenant, OfUser


class Corpus(models.Model):
    """A body of knowledge of a tenant. The counts are kept by triggers (sql/0001_counts.sql)."""

    id = models.BigIntegerField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    external_id = models.CharField(max_length=128)
    name = models.CharField(max_length=200)
    schema_name = models.CharField(max_length=40)
    schema = models.JSONField()
    settings = models.JSONField(default=dict)
    version = models.BigIntegerField(default=1)
    """Grows with every change of what is in the corpus."""
    registry_version = models.BigIntegerField(default=1)
    """The version at which the registry of names changed last."""
    documents = models.IntegerField(default=0)
    records = models.IntegerField(default=0)
    chunks = models.IntegerField(default=0)
    entities = models.IntegerField(default=0)
    aliases = models.IntegerField(default=0)
    mentions = models.IntegerField(default=0)
    edges = models.IntegerField(default=0)
    last_ingest_at = models.DateTimeField(null=True, blank=True)
    last_ingest = models.JSONField(default=dict)
    """Counts by status and by code of the last ingest. No text."""
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "knowledge_corpus"
        verbose_name = "corpus"
        verbose_name_plural = "corpora"

    def __str__(self) -> str:
        return self.external_id


class InCorpus(models.Model):
    """What every row of a corpus has."""

    tenant_id = models.UUIDField(editable=False)
    corpus_id = models.BigIntegerField(editable=False)

    class Meta:
        abstract = True


class Document(InCorpus):
    """A document as it came. `dated` is the caller's own writing of its date."""

    id = models.BigIntegerField(primary_key=True, editable=False)
    external_id = models.CharField(max_length=128)
    title = models.CharField(max_length=500, blank=True, default="")
    text = models.TextField()
    language = models.CharField(max_length=16, blank=True, default="")
    url = models.CharField(max_length=2000, blank=True, default="")
    author = models.CharField(max_length=200, blank=True, default="")
    dated = models.CharField(max_length=40, blank=True, default="")
    authority = models.FloatField(null=True, blank=True)
    metadata = models.JSONField(default=dict)
    version = models.BigIntegerField()
    ingested_at = models.DateTimeField()

    class Meta:
        db_table = "knowledge_document"


class Entity(InCorpus):
    """A node of the graph. It lives while a record, an edge, a title or a person's decision needs it."""

    id = models.BigIntegerField(primary_key=True, editable=False)
    type = models.CharField(max_length=64)
    key = models.CharField(max_length=200)
    name = models.CharField(max_length=500)
    fields = models.JSONField(default=dict)
    is_bare = models.BooleanField(default=False)
    """Made by a reference to it: no record has described it yet."""
    merged_into_id = models.BigIntegerField(null=True, blank=True)

    class Meta:
        db_table = "knowledge_entity"
        verbose_name_plural = "entities"


class Record(InCorpus):
    """A typed record as it came, word for word in `body`; entity, aliases and edges are derived from it."""

    id = models.BigIntegerField(primary_key=True, editable=False)
    external_id = models.CharField(max_length=128)
    entity_id = models.BigIntegerField()
    body = models.JSONField()
    version = models.BigIntegerField()
    ingested_at = models.DateTimeField()

    class Meta:
        db_table = "knowledge_record"


class Chunk(InCorpus):
    """Some characters (code points) of a document's or a record's text, from `start_at` until before `end_at`."""

    id = models.BigIntegerField(primary_key=True, editable=False)
    document_id = models.BigIntegerField(null=True, blank=True)
    record_id = models.BigIntegerField(null=True, blank=True)
    ordinal = models.IntegerField()
    start_at = models.IntegerField()
    end_at = models.IntegerField()
    title = models.CharField(max_length=500, blank=True, default="")
    text = models.TextField()
    words = models.IntegerField()
    tokeniser = models.SmallIntegerField()

    class Meta:
        db_table = "knowledge_chunk"


class Posting(InCorpus):
    """How often a chunk has a lexeme in title and text; `term` is the number of `retrieval.knowledge.terms`."""

    term = models.BigIntegerField(primary_key=True, editable=False)
    chunk_id = models.BigIntegerField()
    count = models.SmallIntegerField()

    class Meta:
        db_table = "knowledge_posting"

    def __str__(self) -> str:
        return f"{self.chunk_id} {self.term}"


class Alias(InCorpus):
    """A name of an entity. `kind` says where it is from: name, declared, title or person."""

    id = models.BigIntegerField(primary_key=True, editable=False)
    entity_id = models.BigIntegerField()
    text = models.CharField(max_length=500)
    folded = models.CharField(max_length=500)
    kind = models.CharField(max_length=16)
    status = models.CharField(max_length=16, default="active")
    """active, confirmed or refused by a person, ignored (a stop word, too short)."""

    class Meta:
        db_table = "knowledge_alias"
        verbose_name_plural = "aliases"


class AliasKey(InCorpus):
    """A number under which an alias is found in a text; see `retrieval.knowledge.entities.keys`."""

    key = models.BigIntegerField(primary_key=True, editable=False)
    alias_id = models.BigIntegerField()
    kind = models.SmallIntegerField()

    class Meta:
        db_table = "knowledge_alias_key"

    def __str__(self) -> str:
        return f"{self.alias_id} {self.key}"


class Mention(InCorpus):
    """An entity named in a chunk, from `start_at` until before `end_at` of the chunk's own text."""

    chunk_id = models.BigIntegerField(primary_key=True, editable=False)
    start_at = models.IntegerField()
    end_at = models.IntegerField()
    entity_id = models.BigIntegerField()
    match = models.CharField(max_length=10)
    is_strict = models.BooleanField()
    surface = models.CharField(max_length=500)

    class Meta:
        db_table = "knowledge_mention"

    def __str__(self) -> str:
        return f"{self.chunk_id} {self.entity_id}"


class Edge(InCorpus):
    """A typed edge. It rests on its record; `reference` is how the record names the other end."""

    id = models.BigIntegerField(primary_key=True, editable=False)
    kind = models.CharField(max_length=64)
    source_id = models.BigIntegerField()
    target_id = models.BigIntegerField()
    record_id = models.BigIntegerField()
    ordinal = models.IntegerField()
    reference = models.CharField(max_length=600)
    spelling = models.CharField(max_length=500, blank=True, default="")
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "knowledge_edge"


class Title(InCorpus):
    """The entity that a document is about, in a corpus without types: what its title names."""

    document_id = models.BigIntegerField(primary_key=True, editable=False)
    entity_id = models.BigIntegerField()

    class Meta:
        db_table = "knowledge_title"

    def __str__(self) -> str:
        return str(self.document_id)


class RegistryAction(InCorpus):
    """What a person decided about names and entities, with what was before; undone when `undone_at` is set."""

    id = models.UUIDField(primary_key=True, editable=False)
    kind = models.CharField(max_length=16)
    entity_id = models.BigIntegerField()
    other_id = models.BigIntegerField(null=True, blank=True)
    text = models.CharField(max_length=500, blank=True, default="")
    before = models.JSONField(default=dict)
    reason = models.CharField(max_length=200, blank=True, default="")
    staff_id = models.BigIntegerField(null=True, blank=True)
    made_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.BigIntegerField(null=True, blank=True)

    class Meta:
        db_table = "knowledge_registry_action"


class Plan(InCorpus):
    """A version of a corpus's intents (D-45). Without an active one the intents of its schema hold."""

    id = models.UUIDField(primary_key=True, editable=False)
    version = models.IntegerField()
    state = models.CharField(max_length=8)
    intents = models.JSONField()
    note = models.CharField(max_length=200, blank=True, default="")
    staff_id = models.BigIntegerField(null=True, blank=True)
    created_at = models.DateTimeField()
    activated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "knowledge_plan"

    def __str__(self) -> str:
        return f"{self.corpus_id} {self.version}"


class Snapshot(InCorpus):
    """The graph of one version of a corpus as arrays, for PageRank. Numbers of rows only."""

    version = models.BigIntegerField(primary_key=True, editable=False)
    made_at = models.DateTimeField()
    nodes = models.IntegerField()
    edges = models.IntegerField()
    data = models.BinaryField()

    class Meta:
        db_table = "knowledge_snapshot"

    def __str__(self) -> str:
        return f"{self.corpus_id} {self.version}"


class AskTurn(OfUser):
    """A question of a user to a corpus, sealed; kept for follow-ups (D-47). It is no evidence and not in RAW."""

    corpus_id = models.BigIntegerField()
    conversation = models.CharField(max_length=128, blank=True, default="")
    conversation_id = models.UUIDField(null=True, blank=True)
    sealed = models.BinaryField()
    intent = models.CharField(max_length=80, blank=True, default="")
    entity_type = models.CharField(max_length=64, blank=True, default="")
    entity_key = models.CharField(max_length=200, blank=True, default="")
    asked_at = models.DateTimeField()

    class Meta:
        db_table = "ask_turn"


class AnswerReceipt(OfTenant):
    """What an answer of a corpus rests on and how it was made: ids, codes and numbers, no text (SPEC P-4)."""

    corpus_id = models.BigIntegerField(editable=False)
    user_id = models.UUIDField(editable=False, null=True)
    created_at = models.DateTimeField()
    intent = models.CharField(max_length=80, blank=True, default="")
    tool = models.CharField(max_length=8)
    policy = models.CharField(max_length=8)
    plan_version = models.IntegerField()
    corpus_version = models.BigIntegerField()
    is_found = models.BooleanField()
    is_follow_up = models.BooleanField()
    confidence = models.FloatField()
    outcome = models.CharField(max_length=16)
    """template, model, or repaired: a model's answer that was not given, for the reason in `fault`."""
    fault = models.CharField(max_length=24, blank=True, default="")
    reply_model = models.CharField(max_length=120, blank=True, default="")
    language = models.CharField(max_length=16, blank=True, default="")
    entity_ids = ArrayField(models.BigIntegerField(), default=list)
    item_ids = ArrayField(models.BigIntegerField(), default=list)
    chunk_ids = ArrayField(models.BigIntegerField(), default=list)
    chunk_scores = ArrayField(models.FloatField(), default=list)
    steps = ArrayField(models.TextField(), default=list)
    degraded_reasons = ArrayField(models.TextField(), default=list)
    timings = models.JSONField(default=dict)

    class Meta:
        db_table = "knowledge_receipt"
        verbose_name = "answer receipt"
