"""The second truth: what was done to memory, in order, append-only (D-1)."""

from django.db import models

from memory.models.base import OfUser


class Action(OfUser):
    """One decision: who, when, on which message, and what it changed (`effects`: ids, names of changes, numbers)."""

    position = models.BigIntegerField()
    kind = models.CharField(max_length=20)
    actor = models.CharField(max_length=80)
    """`key:<id>`, `staff:<id>` or `system`."""
    message_id = models.UUIDField(null=True, blank=True)
    batch_id = models.UUIDField(null=True, blank=True)
    effects = models.JSONField(default=list)
    detail = models.JSONField(default=dict)
    """Codes and ids only; words of the user are in `sealed`."""
    sealed = models.BinaryField(null=True, blank=True)
    rule_set_version = models.IntegerField(null=True, blank=True)
    engine_version = models.CharField(max_length=20)
    said_at = models.DateTimeField()
    recorded_at = models.DateTimeField()

    class Meta:
        db_table = "memory_action"
        verbose_name = "action"
