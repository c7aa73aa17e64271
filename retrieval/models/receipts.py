"""Receipts: the stored account of one search or one pack. Ids, scores and codes, no text (SPEC P-4, D-21)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class RetrievalReceipt(models.Model):
    """What was considered, what was taken and why. Arrays of one name's candidates, choices and reasons are parallel."""

    id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    user_id = models.UUIDField(editable=False)
    kind = models.CharField(max_length=16)
    conversation_id = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField()
    as_of = models.DateTimeField(null=True, blank=True)
    query_hash = models.BinaryField(max_length=32)
    rendering_hash = models.BinaryField(max_length=32, null=True)
    language = models.CharField(max_length=16, blank=True, default="")
    intent = models.CharField(max_length=40, blank=True, default="")
    policy_version = models.CharField(max_length=80)
    model_id = models.SmallIntegerField(null=True, blank=True)
    log_position = models.BigIntegerField(default=0)
    candidate_ids = ArrayField(models.UUIDField(), default=list)
    candidate_scores = ArrayField(models.FloatField(), default=list)
    chosen_ids = ArrayField(models.UUIDField(), default=list)
    chosen_scores = ArrayField(models.FloatField(), default=list)
    decision_reasons = ArrayField(models.TextField(), default=list)
    guardrail_hits = ArrayField(models.TextField(), default=list)
    span_ids = ArrayField(models.UUIDField(), default=list)
    fact_ids = ArrayField(models.UUIDField(), default=list)
    recent_ids = ArrayField(models.UUIDField(), default=list)
    pending_ids = ArrayField(models.UUIDField(), default=list)
    degraded_reasons = ArrayField(models.TextField(), default=list)
    stores = ArrayField(models.TextField(), default=list)
    budget = models.JSONField(default=dict)
    timings = models.JSONField(default=dict)

    class Meta:
        db_table = "retrieval_receipt"
        verbose_name = "receipt"

    def __str__(self) -> str:
        return str(self.id)
