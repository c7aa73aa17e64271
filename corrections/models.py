"""The correction log: what was said to be wrong, where, about what (KSP fix 11, SPEC C-2). Ids and codes only."""

from django.db import models


class CorrectionLog(models.Model):
    """One effect of a correction. A message that corrects two facts has two rows, both with its id as trigger."""

    id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    user_id = models.UUIDField(editable=False)
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

    def __str__(self) -> str:
        return str(self.id)
