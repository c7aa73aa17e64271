"""The review queue, its verdicts, and golden cases written by reviewers (SPEC H-1, X-4, D-27)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models import OfTenant, OfUser


class ReviewItem(OfUser):
    """Something memory learnt that people are to judge. Ids and codes; the words are read when somebody looks."""

    source = models.CharField(max_length=12)
    """instant, extraction (then `id` is that of its sample), correction, or message (nothing was found in it)"""
    fact_id = models.UUIDField(null=True)
    correction_id = models.UUIDField(null=True)
    operation = models.CharField(max_length=8)
    knowledge_type = models.CharField(max_length=40)
    language = models.CharField(max_length=16, blank=True, default="")
    rule = models.CharField(max_length=120, blank=True, default="")
    rule_version = models.IntegerField(null=True)
    model = models.CharField(max_length=120, blank=True, default="")
    prompt_version = models.CharField(max_length=16, blank=True, default="")
    evidence_message_ids = ArrayField(models.UUIDField())
    reviewers_wanted = models.SmallIntegerField(default=1)
    state = models.CharField(max_length=8, default="waiting")
    verdict = models.CharField(max_length=16, null=True)
    """What the reviewers decided; theirs are in ReviewVerdict."""
    decided_at = models.DateTimeField(null=True)
    locked_by = models.CharField(max_length=80, blank=True, default="")
    locked_until = models.DateTimeField(null=True)
    skipped_by = ArrayField(models.CharField(max_length=80), default=list)
    assigned_to = models.CharField(max_length=80, blank=True, default="")
    """Whose it is to judge (`staff:<id>`); everybody's where empty."""
    created_at = models.DateTimeField()

    class Meta:
        app_label = "corrections"
        db_table = "corrections_review_item"


class ReviewVerdict(OfUser):
    """One reviewer's word on one item. A verdict taken back stays, so that its token is known when it comes again."""

    item_id = models.UUIDField(editable=False)
    token = models.UUIDField(editable=False)
    reviewer = models.CharField(max_length=80)
    verdict = models.CharField(max_length=16)
    milliseconds = models.IntegerField()
    """From the item on the screen to the key."""
    remark = models.BinaryField(null=True)
    """Sealed with the user's key; see `corrections.review.remarks`."""
    judged_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "corrections"
        db_table = "corrections_review_verdict"


class _Case(OfTenant):
    """What a reviewer retold as a test case; no word in it is the user's (D-27)."""

    language = models.CharField(max_length=16)
    content = models.JSONField()
    written_by = models.CharField(max_length=80)
    written_at = models.DateTimeField()

    class Meta:
        abstract = True


class GoldenCase(_Case):
    """A correction as a line of tests/data/corrections, without the id."""

    correction_id = models.UUIDField(editable=False)

    class Meta:
        app_label = "corrections"
        db_table = "corrections_golden_case"


class MessageCase(_Case):
    """A judged item as a line of tests/data/instant, without the id."""

    item_id = models.UUIDField(editable=False)

    class Meta:
        app_label = "corrections"
        db_table = "corrections_message_case"


class RuleWarning(OfTenant):
    """Notice that a rule's precision is under the limit: unless somebody acts, it is held back at `due_at`."""

    rule = models.CharField(max_length=120)
    rule_version = models.IntegerField()
    judged = models.IntegerField()
    right_count = models.IntegerField()
    warned_at = models.DateTimeField()
    due_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=80, default="")
    outcome = models.CharField(max_length=12, default="")
    """quarantined, recovered, replaced (another version is in force) or kept (a person lets it stand)"""

    class Meta:
        app_label = "corrections"
        db_table = "corrections_rule_warning"
        verbose_name = "warning about a rule"

    def __str__(self) -> str:
        return f"{self.rule} v{self.rule_version}"
