"""Verdicts switch instant rules off: one whose precision is too low for certain is held back by itself (SPEC X-4)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import connection

from corrections.metrics import RULES_HELD_BACK
from memory.extraction.quality.intervals import Precision, measure_precision
from memory.extraction.quality.switches import has_governor
from memory.outbox.services.events import record_event
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import Actor, ActorType
from patterns.models import Rule
from patterns.services.history import quarantine_rule

SYSTEM: Final = Actor(type=ActorType.SYSTEM, id="review")


@dataclass(frozen=True, slots=True)
class JudgedRule:
    """A version of a rule with what reviewers decided about its facts."""

    slug: str
    version: int
    precision: Precision


# Index: items_by_decision.
_RULES = """
SELECT i.rule, i.rule_version, count(*), count(*) FILTER (WHERE i.verdict = 'correct')
  FROM corrections_review_item i
 WHERE i.tenant_id = %s AND i.state = 'decided' AND i.source = 'instant' AND i.decided_at >= %s
   AND i.rule <> '' AND i.rule_version IS NOT NULL
 GROUP BY 1, 2 ORDER BY 1, 2
"""


def watch_rules(*, tenant_id: UUID, now: datetime) -> list[str]:
    """Hold back, in this tenant alone, rules in force whose lower bound is under the limit; a code for each. Writes.

    Under D-26's number nothing happens. A version that is put back is a new one: verdicts on the old no longer count.
    """
    tuning = settings.UNDE_TUNING
    if not has_governor(tenant_id=tenant_id):
        return []
    with tenant_scope(tenant_id):
        judged = list_judged_rules(tenant_id=tenant_id, since=now - tuning.REVIEW_WINDOW)
        found = [
            one
            for one in judged
            if one.precision.judged >= tuning.REVIEW_MIN_SAMPLES
            and one.precision.lower < tuning.QUARANTINE_LOWER_BOUND
            and _is_in_force(one, tenant_id)
        ]
        for one in found:
            _hold_back(one, tenant_id=tenant_id, now=now)
    return ["rule_quarantined"] * len(found)


def list_judged_rules(*, tenant_id: UUID, since: datetime) -> list[JudgedRule]:
    """Versions of instant rules with their precision over the items decided since a moment. In a tenant scope."""
    with connection.cursor() as cursor:
        cursor.execute(_RULES, [tenant_id, since])
        rows = cursor.fetchall()
    return [JudgedRule(rule, version, measure_precision(right=right, judged=n)) for rule, version, n, right in rows]


def list_held_back_rules(*, tenant_id: UUID) -> list[Rule]:
    """The tenant's own and the shared rules in quarantine, by name."""
    rows = Rule.objects.filter(state="quarantined", tenant_id=tenant_id) | Rule.objects.filter(
        state="quarantined", tenant_id=None
    )
    return list(rows.order_by("slug"))


def _is_in_force(judged: JudgedRule, tenant_id: UUID) -> bool:
    """The tenant's own rule counts where it has one; another version than the judged one is left alone."""
    own = Rule.objects.filter(slug=judged.slug, tenant_id=tenant_id).exclude(state="draft").first()
    row = own or Rule.objects.filter(slug=judged.slug, tenant_id=None).first()
    return row is not None and row.state == "published" and row.is_active and row.version == judged.version


def _hold_back(judged: JudgedRule, *, tenant_id: UUID, now: datetime) -> None:
    right, count = judged.precision.right, judged.precision.judged
    reason = f"reviewers found {right} of {count} right; the true share may be as low as {judged.precision.lower:.0%}"
    row = quarantine_rule(slug=judged.slug, tenant_id=tenant_id, reason=reason, changed_by="system:review")
    record_audit_event(
        tenant_id=tenant_id, actor=SYSTEM, action="rule.quarantine", now=now, object_type="rule", object_ids=[row.id]
    )
    record_event("rule.quarantined", tenant_id=tenant_id, data={"kind": "rule", "rule_id": row.id})
    RULES_HELD_BACK.inc()
