"""The person who chats."""

from django.db import models

from memory.models.base import OfTenant


class User(OfTenant):
    """A user of a tenant. `external_id` is the tenant's own id and is never shown in `__str__` or logs."""

    external_id = models.CharField(max_length=128)
    log_position = models.BigIntegerField(default=0)
    """Position of the newest entry in this user's action log (D-1)."""
    fenced_at = models.DateTimeField(null=True, blank=True)
    """Set when an erasure begins: from then on no writer may touch this user (SPEC G-2)."""
    has_tombstones = models.BooleanField(default=False)
    """Something of this user, or of an earlier one under the same id, was erased: new items are held against it."""
    paused_at = models.DateTimeField(null=True, blank=True)
    """Since when the person wants nothing of their memory to be used (D-38)."""
    pause_keeps = models.BooleanField(default=False, db_default=False)
    """Whether messages are kept during the pause, as the tenant chose when it began; the person was told so."""
    created_at = models.DateTimeField()

    class Meta:
        db_table = "memory_user"
        verbose_name = "user"
