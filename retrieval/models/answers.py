"""What replies gave away of their packs (SPEC P-6)."""

from django.db import models


class AnswerFinding(models.Model):
    """One thing a reply should not have said: a code, and the message or fact it is about. No text."""

    id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    user_id = models.UUIDField(editable=False)
    receipt_id = models.UUIDField()
    assistant_message_id = models.UUIDField()
    code = models.CharField(max_length=32)
    message_id = models.UUIDField(null=True, blank=True)
    fact_id = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "answer_finding"
        verbose_name = "answer finding"

    def __str__(self) -> str:
        return str(self.id)
