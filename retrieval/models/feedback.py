"""What became of what a pack carried: the data that usefulness is made of (SPEC C-4, P-6, P-9)."""

from django.db import models

from memory.models import OfUser


class Feedback(OfUser):
    """One signal about one message or fact of one pack. Ids and a code, no text.

    `is_computed`: read off the reply by a rule, not said by a person.
    """

    receipt_id = models.UUIDField()
    assistant_message_id = models.UUIDField(null=True, blank=True)
    message_id = models.UUIDField(null=True, blank=True)
    fact_id = models.UUIDField(null=True, blank=True)
    signal = models.CharField(max_length=16)
    is_computed = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "retrieval_feedback"
        verbose_name = "feedback"
        verbose_name_plural = "feedback"
