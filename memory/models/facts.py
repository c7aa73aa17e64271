"""Facts: verified, sealed, pointing at their evidence. The table is `user_knowledge`, its owner's name for it."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.base import OfUser


class FactRow(OfUser):
    """One version of one fact. Key and value are sealed together; equality of keys is on `key_hash` (D-15)."""

    knowledge_type = models.CharField(max_length=40)
    key_hash = models.BinaryField(max_length=32)
    sealed = models.BinaryField()
    version = models.IntegerField(default=1)
    confidence = models.FloatField()
    extracted_from = models.CharField(max_length=20)
    provenance = models.CharField(max_length=20)
    epistemic_type = models.CharField(max_length=20, default="fact")
    valid_at = models.DateTimeField()
    invalid_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_validated_at = models.DateTimeField()
    log_position = models.BigIntegerField()
    action_id = models.UUIDField()
    superseded_by = models.UUIDField(null=True, blank=True)
    is_active = models.BooleanField(default=True)
    is_disputed = models.BooleanField(default=False)
    evidence_message_ids = ArrayField(models.UUIDField(), default=list)
    language = models.CharField(max_length=16, blank=True, default="")
    rule = models.CharField(max_length=120, null=True, blank=True)
    rule_version = models.IntegerField(null=True, blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "user_knowledge"
        verbose_name = "fact"
