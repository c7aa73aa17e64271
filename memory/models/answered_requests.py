"""Answers to writes that carried an Idempotency-Key, kept for a day (SPEC A-1)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.base import OfUser


class AnsweredRequest(OfUser):
    """One answer. Key and request are digests; the answer is sealed under the user's key."""

    key_digest = models.BinaryField(max_length=32)
    request_digest = models.BinaryField(max_length=32)
    """Under the user's key: what was sent cannot be guessed from it (D-52)."""
    status = models.SmallIntegerField()
    sealed = models.BinaryField(null=True)
    """None: a message that the answer rests on was forgotten since."""
    message_ids = ArrayField(models.UUIDField(), default=list)
    """Messages whose content the answer shows, in values of facts or in excerpts."""
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        db_table = "answered_request"
        verbose_name = "answered request"
