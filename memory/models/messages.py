"""RAW: every message word for word (SPEC T-1). Nothing updates a row here but forgetting; a trigger sees to it."""

from django.db import models

from memory.models.base import OfUser


class Message(OfUser):
    """One message. `seq` orders arrivals in the conversation, `created_at` says when it was said (D-2)."""

    conversation_id = models.UUIDField(editable=False)
    seq = models.IntegerField()
    client_id = models.CharField(max_length=128, null=True, blank=True)
    content_hash = models.BinaryField(max_length=32)
    """SHA-256 of what the caller sent: tells a repeated call from another message under the same client id."""
    role = models.CharField(max_length=16)
    speaker = models.CharField(max_length=128, blank=True, default="")
    content = models.TextField()
    blocks = models.JSONField(null=True, blank=True)
    response_description = models.TextField(null=True, blank=True)
    memory_type = models.CharField(max_length=16, default="chat")
    mood = models.CharField(max_length=40, blank=True, default="")
    metadata = models.JSONField(default=dict, blank=True)
    language = models.CharField(max_length=16, blank=True, default="")
    created_at = models.DateTimeField()
    received_at = models.DateTimeField()
    reply_to_id = models.UUIDField(null=True, blank=True)
    replaces_id = models.UUIDField(null=True, blank=True)
    receipt_id = models.UUIDField(null=True, blank=True)
    forgotten_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "memory_message"
        verbose_name = "message"
