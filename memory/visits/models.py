"""The table of the wing. The database's own key is `(user_id, id)` (D-10)."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.base import OfUser


class Visit(OfUser):
    """A link to somebody's memory page, and the session that it became. Neither secret is stored, only its SHA-256."""

    key_id = models.UUIDField(editable=False, null=True)
    """None of a visit that came with an export: it opens nothing here."""
    link_hash = models.BinaryField(max_length=32, null=True)
    link_expires_at = models.DateTimeField()
    permissions = ArrayField(models.CharField(max_length=16))
    locale = models.CharField(max_length=8)
    theme = models.CharField(max_length=8)
    return_url = models.CharField(max_length=2000, blank=True, default="")
    created_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True)
    session_hash = models.BinaryField(max_length=32, null=True)
    expires_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "visit"
        verbose_name = "visit"
