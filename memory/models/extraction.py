"""Batch extraction: runs, candidates, samples for review, switches (SPEC X-1 to X-4). Words are sealed (D-15)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.base import OfTenant, OfUser


class ExtractionRun(OfUser):
    """One reading of a user's new messages by a model. The row is the claim, the idempotency key and the log."""

    status = models.CharField(max_length=16)
    triggered_by = models.CharField(max_length=20)
    code = models.CharField(max_length=60, blank=True, default="")
    """Why it failed, was skipped or given up."""
    model = models.CharField(max_length=120, blank=True, default="")
    prompt_version = models.CharField(max_length=16, blank=True, default="")
    fingerprint = models.BinaryField(max_length=32, null=True, blank=True)
    """SHA-256 of the message ids: the same messages are not read again within five minutes."""
    message_ids = ArrayField(models.UUIDField(), default=list)
    sealed = models.BinaryField(null=True, blank=True)
    """What the model answered, word for word, and which facts it was shown."""
    prompt_tokens = models.IntegerField(default=0)
    completion_tokens = models.IntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    duration_ms = models.IntegerField(default=0)
    proposed = models.IntegerField(default=0)
    applied = models.IntegerField(default=0)
    staged = models.IntegerField(default=0)
    results = models.JSONField(default=dict)
    """How many operations ended how, by the gate's code."""
    failures = models.IntegerField(default=0)
    """Failed runs in a row of this user, this one included."""
    log_position = models.BigIntegerField(null=True, blank=True)
    """The end of the user's action log when the answer was judged; null where none was."""
    rule_set_version = models.BigIntegerField(null=True, blank=True)
    engine_version = models.CharField(max_length=16, blank=True, default="", db_default="")
    claimed_at = models.DateTimeField()
    next_at = models.DateTimeField()
    """While open: the end of the lease. Afterwards: not before this is the user read again."""
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "extraction_run"
        verbose_name = "extraction run"


class FactCandidate(OfUser):
    """What may become a fact and lacks its second evidence, or an allergen that the vocabulary does not know (D-25)."""

    kind = models.CharField(max_length=20)
    status = models.CharField(max_length=16)
    knowledge_type = models.CharField(max_length=40)
    key_hash = models.BinaryField(max_length=32)
    sealed = models.BinaryField()
    confidence = models.FloatField()
    language = models.CharField(max_length=16, blank=True, default="")
    evidence_message_ids = ArrayField(models.UUIDField())
    run_id = models.UUIDField()
    fact_id = models.UUIDField(null=True, blank=True)
    first_said_at = models.DateTimeField()
    last_said_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "fact_candidate"
        verbose_name = "candidate"


class AdaptiveItem(OfUser):
    """A preference or a habit, never a fact: for tenants with the adaptive policy alone (SPEC X-7)."""

    item_type = models.CharField(max_length=20)
    status = models.CharField(max_length=16)
    key_hash = models.BinaryField(max_length=32)
    sealed = models.BinaryField()
    confidence = models.FloatField()
    provenance = models.CharField(max_length=20, default="observation")
    language = models.CharField(max_length=16, blank=True, default="")
    evidence_message_ids = ArrayField(models.UUIDField())
    run_id = models.UUIDField()
    merged_into = models.UUIDField(null=True, blank=True)
    """Of a merged one: the item that took the place of several alike."""
    is_apart = models.BooleanField(default=False, db_default=False)
    """A person took its merging back: it is not merged again."""
    first_said_at = models.DateTimeField()
    last_said_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "adaptive_item"
        verbose_name = "adaptive item"


class ReviewSample(OfUser):
    """A change by extraction that a person is to judge. Ids and codes only (D-15)."""

    run_id = models.UUIDField()
    fact_id = models.UUIDField()
    operation = models.CharField(max_length=8)
    knowledge_type = models.CharField(max_length=40)
    language = models.CharField(max_length=16, blank=True, default="")
    model = models.CharField(max_length=120)
    prompt_version = models.CharField(max_length=16)
    evidence_message_ids = ArrayField(models.UUIDField())
    locked_by = models.CharField(max_length=80, blank=True, default="")
    locked_until = models.DateTimeField(null=True, blank=True)
    verdict = models.CharField(max_length=16, null=True, blank=True)
    judged_by = models.CharField(max_length=80, blank=True, default="")
    judged_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "review_sample"
        verbose_name = "review sample"


class ExtractionTenantState(models.Model):
    """Whether extraction runs for a tenant, why not, and how much of it is sampled."""

    tenant_id = models.UUIDField(primary_key=True, editable=False)
    mode = models.CharField(max_length=8, default="on")
    reason = models.CharField(max_length=60, blank=True, default="")
    actor = models.CharField(max_length=80, blank=True, default="")
    changed_at = models.DateTimeField(null=True, blank=True)
    sample_share = models.FloatField(default=0.01)
    blocked_until = models.DateTimeField(null=True, blank=True)
    """The day's tokens are used up: nothing is claimed before this."""

    class Meta:
        db_table = "extraction_tenant_state"
        verbose_name = "extraction switch"

    def __str__(self) -> str:
        return f"{self.tenant_id} {self.mode}"


class ExtractionQuarantine(OfTenant):
    """A type, language or version whose proposals are not applied, because reviewers found too many of them wrong."""

    slice = models.CharField(max_length=12)
    value = models.CharField(max_length=140)
    reason = models.CharField(max_length=60)
    judged = models.IntegerField()
    right_count = models.IntegerField()
    since = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.CharField(max_length=80, blank=True, default="")

    class Meta:
        db_table = "extraction_quarantine"
        verbose_name = "quarantine"

    def __str__(self) -> str:
        return f"{self.slice} {self.value}"
