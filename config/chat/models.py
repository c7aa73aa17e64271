"""The turns of conversations as rows."""

from __future__ import annotations

from django.db import models

from memory.models import OfUser


class ChatTurn(OfUser):
    """Who is answering a message, how that ended, and what a skill did for it.

    `sealed` holds what was understood and the skill's own receipt, under the user's key.
    """

    message_id = models.UUIDField(editable=False)
    state = models.CharField(max_length=8)
    claim = models.UUIDField()
    claimed_until = models.DateTimeField()
    tries = models.IntegerField(default=1)
    failure = models.CharField(max_length=60, blank=True, default="")
    reply_id = models.UUIDField(null=True)
    receipt_id = models.UUIDField(null=True)
    skill = models.CharField(max_length=100, blank=True, default="")
    skill_status = models.CharField(max_length=12, blank=True, default="")
    skill_code = models.CharField(max_length=60, blank=True, default="")
    skill_ms = models.IntegerField(default=0)
    sealed = models.BinaryField(null=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "chat_turn"
        verbose_name = "turn of a conversation"
