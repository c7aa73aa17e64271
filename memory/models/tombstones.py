"""What stands where something was erased. Only under a tombstone may a row of the two truths be deleted (D-29)."""

from django.db import models

from memory.models.base import OfUser


class Tombstone(OfUser):
    """An erased user or part of one. Of the external id an HMAC survives, nothing else."""

    subject_hmac = models.BinaryField(max_length=32)
    scope = models.CharField(max_length=16)
    conversation_id = models.UUIDField(null=True, blank=True)
    message_ids = models.JSONField(null=True, blank=True)
    said_from = models.DateTimeField(null=True, blank=True)
    said_to = models.DateTimeField(null=True, blank=True)
    refused_hmacs = models.JSONField(default=list)
    """In hex: HMACs of the conversation's or the messages' own ids, so that an import can't bring them back."""
    erased_up_to = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        db_table = "memory_tombstone"
        verbose_name = "tombstone"
