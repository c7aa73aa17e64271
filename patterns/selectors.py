"""Reads of the rule rows."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q

from patterns.lexicon import Entry
from patterns.models import LexiconEntry, Rule, RuleSetVersion
from patterns.pack import Pack
from patterns.pack import Rule as RuleText

SHARED = "shared"


def find_version() -> int | None:
    """The version in force; None before the first pack was loaded. Reads one row by its primary key."""
    return RuleSetVersion.objects.filter(id=1).values_list("version", flat=True).first()


def list_tenants_with_rows() -> frozenset[UUID]:
    """Tenants that have rules or words of their own."""
    own = Rule.objects.filter(tenant_id__isnull=False).values_list("tenant_id", flat=True)
    words = LexiconEntry.objects.filter(tenant_id__isnull=False).values_list("tenant_id", flat=True)
    return frozenset(t for t in own.union(words) if t is not None)


def get_stored_pack(*, tenant_id: UUID | None) -> Pack:
    """The active rows in force for a tenant: the shared ones, and its own, which win over shared rules of the same slug."""
    scope = Q(tenant_id__isnull=True) if tenant_id is None else Q(tenant_id__isnull=True) | Q(tenant_id=tenant_id)
    rules: dict[str, RuleText] = {}
    for row in Rule.objects.filter(scope).order_by("tenant_id", "slug"):
        if row.slug not in rules or row.tenant_id is not None:
            rules[row.slug] = read_rule_row(row)
    rows = LexiconEntry.objects.filter(scope, is_active=True).order_by("category", "canonical", "language")
    entries = [
        Entry(*values[:3], tuple(values[3]), tuple(values[4]))
        for values in rows.values_list("category", "canonical", "language", "aliases", "forms")
    ]
    active = tuple(rule for rule in rules.values() if rule.is_active and rule.rollout_percent > 0)
    return Pack(SHARED if tenant_id is None else str(tenant_id), active, tuple(entries))


def read_rule_row(row: Rule) -> RuleText:
    """The row as the value that the compiler takes."""
    return RuleText(
        slug=row.slug,
        knowledge_type=row.knowledge_type,
        language=row.language,
        purpose=row.purpose,
        kind=row.kind,
        pattern=row.pattern,
        positive=tuple(row.positive_examples),
        negative=tuple(row.negative_examples),
        category=row.category,
        object_side=row.object_side,
        version=row.version,
        rollout_percent=row.rollout_percent,
        is_active=row.is_active,
        literals=tuple(row.literals),
    )
