"""The correction log: what was said to be wrong, where, about what (KSP fix 11, SPEC C-2). Ids and codes only."""

from django.db import models

from memory.models import OfTenant, OfUser


class CorrectionLog(OfUser):
    """One effect of a correction. A message that corrects two facts has two rows, both with its id as trigger."""

    trigger_message_id = models.UUIDField(editable=False)
    """The user's words that correct."""
    corrected_message_id = models.UUIDField(null=True, blank=True, editable=False)
    """The assistant's words that they answer; always there for the ambiguous kind."""
    deactivated_knowledge_id = models.UUIDField(null=True, blank=True)
    """The fact that no longer holds: closed, or superseded by `set_knowledge_id`."""
    disputed_knowledge_id = models.UUIDField(null=True, blank=True)
    set_knowledge_id = models.UUIDField(null=True, blank=True)
    correction_type = models.CharField(max_length=30)
    language = models.CharField(max_length=16)
    golden_status = models.CharField(max_length=16, default="candidate")
    """Whether a reviewer made a test of it: candidate, accepted, rejected (D-27)."""
    created_at = models.DateTimeField()

    class Meta:
        db_table = "memory_correction_log"
        verbose_name = "correction"


class Backtest(OfTenant):
    """A change of rules or words read against a tenant's last messages: counts alone (SPEC I-2)."""

    subject_kind = models.CharField(max_length=5)
    """rule or entry"""
    subject_id = models.UUIDField()
    version_id = models.UUIDField()
    """The version of the rule or entry that is tried; what a version holds never changes."""
    requested_by = models.CharField(max_length=64)
    messages_per_language = models.IntegerField()
    state = models.CharField(max_length=9, default="queued")
    cursor_id = models.UUIDField(null=True)
    """The oldest message read so far: it goes on from there after a stop."""
    scanned = models.IntegerField(default=0)
    counts = models.JSONField(default=dict)
    """By language: read, added, lost, changed, superseded."""
    rule_set_version = models.BigIntegerField(null=True)
    error_code = models.CharField(max_length=40, blank=True, default="")
    created_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "corrections_backtest"


class BacktestSample(OfUser):
    """A place in a message that would be read otherwise. The words are read from the message when somebody looks."""

    backtest_id = models.UUIDField(editable=False)
    message_id = models.UUIDField(editable=False)
    change = models.CharField(max_length=10)
    knowledge_type = models.CharField(max_length=20)
    language = models.CharField(max_length=16)
    first_character = models.IntegerField()
    last_character = models.IntegerField()

    class Meta:
        db_table = "corrections_backtest_sample"
