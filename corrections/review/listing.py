"""Samples and their verdicts as lists: for the page, and as lines that leave the house (SPEC H-1). Ids and codes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from corrections.models import MessageCase, ReviewItem, ReviewVerdict
from corrections.review.types import ItemFilter
from memory.database.statements import fetch_rows
from memory.tenants.scope import tenant_scope

STATES: Final = ("waiting", "decided")


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item with its standing verdicts, oldest first."""

    item: ReviewItem
    verdicts: tuple[ReviewVerdict, ...]
    has_case: bool

    @property
    def is_noted(self) -> bool:
        """Whether a reviewer added words to a verdict."""
        return any(verdict.remark is not None for verdict in self.verdicts)

    @property
    def seconds(self) -> float | None:
        """The mean time of its verdicts."""
        times = [verdict.milliseconds for verdict in self.verdicts]
        return sum(times) / len(times) / 1000 if times else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a filter offers: the values among the newest items, with how many have each."""

    source: tuple[tuple[str, int], ...] = ()
    language: tuple[tuple[str, int], ...] = ()
    knowledge_type: tuple[tuple[str, int], ...] = ()
    rule: tuple[tuple[str, int], ...] = ()


# Index: items_to_judge, or items_of_a_tenant. Bounded: a filter offers what is there now.
_CHOICES = """
SELECT source, language, knowledge_type, rule, count(*)
  FROM (SELECT i.source, i.language, i.knowledge_type, i.rule FROM corrections_review_item i
         WHERE i.tenant_id = %(tenant_id)s {state} ORDER BY i.created_at DESC LIMIT %(newest)s) newest
 GROUP BY GROUPING SETS ((source), (language), (knowledge_type), (rule))
 ORDER BY 5 DESC, 1, 2, 3, 4
"""


def list_choices(*, tenant_id: UUID, state: str = "") -> Choices:
    """The values that items in a state (in any, where empty) have now. In a tenant scope."""
    condition = "AND i.state = %(state)s" if state else ""
    rows = fetch_rows(
        _CHOICES.format(state=condition),
        {"tenant_id": tenant_id, "state": state, "newest": settings.UNDE_TUNING.REVIEW_LISTED},
    )
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for *values, count in rows:
        for name, value in zip(Choices.__dataclass_fields__, values, strict=True):
            if value:
                found[name].append((value, count))
    return Choices(**{name: tuple(pairs) for name, pairs in found.items()})


def list_items(
    *,
    tenant_id: UUID,
    state: str | None,
    wanted: ItemFilter,
    before: datetime | None,
    limit: int,
    assigned_to: str | None = None,
) -> list[ListedItem]:
    """A tenant's items, newest first; those of one person with `assigned_to`. In a tenant scope.

    Index: items_of_a_tenant.
    """
    rows = ReviewItem.objects.filter(tenant_id=tenant_id)
    bounds = {"state": state, "assigned_to": assigned_to, **wanted.values}
    rows = rows.filter(**{name: value for name, value in bounds.items() if value})
    if before is not None:
        rows = rows.filter(created_at__lt=before)
    items = list(rows.order_by("-created_at", "-id")[:limit])
    ids = [item.id for item in items]
    given: dict[UUID, list[ReviewVerdict]] = defaultdict(list)
    verdicts = ReviewVerdict.objects.filter(
        user_id__in={item.user_id for item in items}, item_id__in=ids, undone_at=None
    )
    for verdict in verdicts.order_by("judged_at"):
        given[verdict.item_id].append(verdict)
    cases = set(MessageCase.objects.filter(tenant_id=tenant_id, item_id__in=ids).values_list("item_id", flat=True))
    return [ListedItem(item, tuple(given[item.id]), item.id in cases) for item in items]


# Index: verdicts_of_a_tenant holds those that stand; those taken back are in the same table.
_EXPORT = """
SELECT v.id, v.item_id, i.source, i.operation, i.knowledge_type, i.language, i.rule, i.rule_version, i.model,
       i.prompt_version, v.reviewer, v.verdict, v.milliseconds, v.judged_at, v.undone_at, i.state, i.verdict
  FROM corrections_review_verdict v JOIN corrections_review_item i ON i.user_id = v.user_id AND i.id = v.item_id
 WHERE v.tenant_id = %s AND v.judged_at >= %s ORDER BY v.judged_at, v.id
"""
_NAMES: Final = (
    "verdict_id", "item_id", "source", "operation", "knowledge_type", "language", "rule", "rule_version", "model",
    "prompt_version", "reviewer", "verdict", "milliseconds", "judged_at", "undone_at", "state", "decision",
)  # fmt: skip


def export_verdicts(*, tenant_id: UUID, since: datetime) -> Iterator[str]:
    """Every verdict since a moment as a line of JSON, also those taken back: ids of items, codes, no user, no text."""
    with tenant_scope(tenant_id):
        rows = fetch_rows(_EXPORT, [tenant_id, since])
    for row in rows:
        yield json.dumps(dict(zip(_NAMES, row, strict=True)), default=_write)


def _write(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
