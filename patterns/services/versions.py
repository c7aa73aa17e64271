"""The version row: raised by whatever changes rules or words, so that running processes load them anew."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from patterns.models import RuleSetVersion


def raise_rule_set_version() -> int:
    """Raise the version and answer the new one. Writes; processes follow within seconds (SPEC I-2, D-9)."""
    with transaction.atomic():
        RuleSetVersion.objects.get_or_create(id=1, defaults={"version": 0})
        RuleSetVersion.objects.filter(id=1).update(version=F("version") + 1, raised_at=Now())
        return RuleSetVersion.objects.values_list("version", flat=True).get(id=1)
