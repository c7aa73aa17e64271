"""Soft forgetting: one batch per call, with what is needed to undo it within the grace period (SPEC G-1, G-5)."""

from django.db import models

from memory.models.base import OfUser


class ForgetBatch(OfUser):
    """A plan (dry run), a forget that can be undone, or one that is over."""

    status = models.CharField(max_length=16)
    created_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)
    restored_at = models.DateTimeField(null=True, blank=True)
    grace_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "memory_forget_batch"
        verbose_name = "forget request"


class ForgetItem(OfUser):
    """One message of a batch: the message itself, or a description that was cleared (kept sealed for the undo)."""

    batch_id = models.UUIDField(editable=False)
    message_id = models.UUIDField(editable=False)
    part = models.CharField(max_length=16)
    sealed = models.BinaryField(null=True, blank=True)

    class Meta:
        db_table = "memory_forget_item"
        verbose_name = "forgotten item"
