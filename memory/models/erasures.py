"""Erasures: what was asked, what was done, and the proof. Ids, codes, times and counts; nothing of what was erased."""

from django.db import models

from memory.models.base import OfUser


class ErasureRequest(OfUser):
    """One erasure and where it stands. The row is its own place in the work list (SPEC G-2)."""

    tombstone_id = models.UUIDField(editable=False)
    fingerprint = models.BinaryField(max_length=32)
    """HMAC of what was asked: the same request again finds the same erasure."""
    scope = models.CharField(max_length=16)
    reason = models.CharField(max_length=40)
    actor = models.CharField(max_length=80)
    status = models.CharField(max_length=16)
    legal_profile = models.CharField(max_length=40)
    requested_at = models.DateTimeField()
    warning_at = models.DateTimeField()
    critical_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    alert = models.CharField(max_length=10, blank=True, default="")
    available_at = models.DateTimeField()
    attempts = models.IntegerField(default=0)
    counts = models.JSONField(default=dict)
    """`before` and `after`: rows by eraser."""
    completed_at = models.DateTimeField(null=True, blank=True)
    completed_lsn = models.CharField(max_length=24, null=True, blank=True)
    """Position of the write-ahead log at completion: what was written before it may still hold the erased (D-30)."""
    rechecked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "erasure_request"
        verbose_name = "erasure"


class ErasureEvent(OfUser):
    """One step of an erasure's history, append-only."""

    erasure_id = models.UUIDField(editable=False)
    status = models.CharField(max_length=16)
    code = models.CharField(max_length=60, blank=True, default="")
    happened_at = models.DateTimeField()

    class Meta:
        db_table = "erasure_event"
        verbose_name = "erasure event"

    def __str__(self) -> str:
        return f"{self.status} {self.erasure_id}"


class ErasureItem(models.Model):
    """One message of a part erasure. Django sees the message as the key; the real one is (user, erasure, message)."""

    message_id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    user_id = models.UUIDField(editable=False)
    erasure_id = models.UUIDField(editable=False)

    class Meta:
        db_table = "erasure_item"
        verbose_name = "erased message"

    def __str__(self) -> str:
        return str(self.message_id)


class ErasureCertificate(OfUser):
    """A signed statement of what was erased; each carries the hash of the tenant's one before (D-30)."""

    erasure_id = models.UUIDField(editable=False)
    stage = models.SmallIntegerField()
    number = models.IntegerField()
    body = models.TextField()
    """Canonical JSON, exactly as signed."""
    signature = models.BinaryField(max_length=32)
    signed_at = models.DateTimeField()

    class Meta:
        db_table = "erasure_certificate"
        verbose_name = "erasure certificate"


class StorageRewrite(models.Model):
    """When the files of a table were written anew, by the maintenance of the installation."""

    id = models.UUIDField(primary_key=True, editable=False)
    relation = models.CharField(max_length=63)
    began_lsn = models.CharField(max_length=24)
    finished_at = models.DateTimeField()
    dead_rows_kept = models.BigIntegerField(null=True, blank=True)
    """Erased rows that an old transaction still kept alive; null when the server did not say."""
    wal_kept_from = models.CharField(max_length=24, null=True, blank=True)
    """The oldest position still in the log's files afterwards; null when they can't be listed."""

    class Meta:
        db_table = "storage_rewrite"
        verbose_name = "storage rewrite"

    def __str__(self) -> str:
        return f"{self.relation} {self.began_lsn}"
