"""The table of the wing. The database's own key is `(user_id, id)` (D-10)."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.base import OfUser


class KeptItem(OfUser):
    """One version of a document. Names and words are sealed; hashes under the user's key find them."""

    path_hash = models.BinaryField(max_length=32)
    prefix_hashes = ArrayField(models.BinaryField(max_length=32))
    version = models.PositiveIntegerField()
    sealed = models.BinaryField()
    sealed_search = models.BinaryField(null=True)
    ttl_seconds = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    replaced_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "kept_item"
        verbose_name = "kept item"
