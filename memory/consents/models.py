"""The tables of the wing. The databases' own keys are `(tenant_id, id)` and `(user_id, id)` (D-10)."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.base import OfTenant, OfUser


class Purpose(OfTenant):
    """What a tenant keeps of its users, and what for. What users agreed to never grows: a trigger sees to it."""

    key = models.CharField(max_length=40)
    names = models.JSONField()
    """By language."""
    texts = models.JSONField()
    """By language: what is kept and why, in a sentence or two."""
    covers = ArrayField(models.CharField(max_length=40))
    """Of `memory.types.KEPT_KINDS`."""
    is_granted_by_default = models.BooleanField()
    is_changeable = models.BooleanField()
    """Whether the person says yes and no on their page; the app's backend always may."""
    kept_days = models.IntegerField(null=True)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "purpose"
        verbose_name = "purpose"


class Consent(OfUser):
    """What a user said to a purpose once. The newest one is current."""

    purpose_key = models.CharField(max_length=40)
    is_granted = models.BooleanField()
    actor = models.CharField(max_length=80)
    recorded_at = models.DateTimeField()
    is_current = models.BooleanField(default=True)

    class Meta:
        db_table = "consent"
        verbose_name = "consent"
