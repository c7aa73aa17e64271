"""The full-text index of messages (D-11)."""

from django.db import models


class MessageIndex(models.Model):
    """One indexed message: where it stands, what it is, and its own lexemes (patterns/text/lexemes.py)."""

    message_id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    user_id = models.UUIDField(editable=False)
    conversation_id = models.UUIDField(editable=False)
    seq = models.IntegerField()
    session_no = models.IntegerField()
    role = models.CharField(max_length=16)
    memory_type = models.CharField(max_length=16)
    speaker = models.CharField(max_length=128, blank=True, default="")
    traits = models.SmallIntegerField(default=0)
    len = models.IntegerField()
    created_at = models.DateTimeField()
    received_at = models.DateTimeField()
    tokeniser = models.SmallIntegerField()
    lexemes = models.BinaryField(default=b"")
    more_lexemes = models.BinaryField(null=True)

    class Meta:
        db_table = "message_index"
        verbose_name = "indexed message"

    def __str__(self) -> str:
        return str(self.message_id)
