"""A conversation is made by its first message; its external id is unique within the user."""

from django.db import models

from memory.models.base import OfUser


class Conversation(OfUser):
    """A thread of messages of one user, with the counters that ingest keeps."""

    external_id = models.CharField(max_length=128)
    last_seq = models.IntegerField(default=0)
    last_message_at = models.DateTimeField(null=True, blank=True)
    pending_count = models.IntegerField(default=0)
    """Messages that no extraction has read yet (SPEC X-1, X-5)."""
    pending_since = models.DateTimeField(null=True, blank=True)
    extracted_seq = models.IntegerField(default=0)
    """The last place that extraction has read."""
    cut_due_at = models.DateTimeField(null=True, blank=True)
    """When its new messages are to be cut into episodes; empty when there are none."""
    cut_seq = models.IntegerField(default=0)
    """The last place that cutting has looked at."""
    last_extraction_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "memory_conversation"
        verbose_name = "conversation"
