"""What replies gave away of their packs (SPEC P-6)."""

from django.db import models

from memory.models import OfUser


class AnswerFinding(OfUser):
    """One thing a reply should not have said: a code, and the message or fact it is about. No text."""

    receipt_id = models.UUIDField()
    assistant_message_id = models.UUIDField()
    code = models.CharField(max_length=32)
    message_id = models.UUIDField(null=True, blank=True)
    fact_id = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "answer_finding"
        verbose_name = "answer finding"
