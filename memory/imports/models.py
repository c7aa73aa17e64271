"""Imports that wait for a worker, are under way or are over. The real keys start with the user (D-10)."""

from __future__ import annotations

from django.db import models

from memory.models.base import OfUser

OPEN = ("waiting", "running")


class ImportRun(OfUser):
    """One import. Ids, codes and times in the open; counts, and what was wrong, sealed under the user's key."""

    file_format = models.CharField("format", max_length=12)
    status = models.CharField(max_length=10, default="waiting")
    body_digest = models.BinaryField(max_length=32)
    """Under the user's key: the same file again is the same import while that is open."""
    size = models.IntegerField("bytes")
    actor = models.CharField(max_length=80)
    taken = models.IntegerField(default=0)
    """Messages of another product's file that are stored or refused: where the next worker goes on."""
    sealed = models.BinaryField(null=True)
    """What was stored and refused so far, and why the import failed."""
    failure = models.CharField(max_length=60, blank=True, default="")
    """Code of the failure, or of the last attempt that is tried again."""
    attempts = models.IntegerField(default=0)
    created_at = models.DateTimeField("accepted at")
    available_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "memory_import"
        verbose_name = "import"


class ImportPart(OfUser):
    """A piece of the file, sealed. A trigger deletes the pieces with the end of their import."""

    import_id = models.UUIDField(editable=False)
    number = models.IntegerField()
    sealed = models.BinaryField()

    class Meta:
        db_table = "memory_import_part"
        verbose_name = "part of an import"
        verbose_name_plural = "parts of imports"
