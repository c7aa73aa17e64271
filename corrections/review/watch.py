"""Verdicts switch instant rules off: one whose precision is too low is warned of, then held back (SPEC X-4, Q-3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from corrections.metrics import RULES_HELD_BACK, RULES_WARNED
from corrections.models import RuleWarning
from memory.database.statements import fetch_rows
from memory.errors import NotFound
from memory.extraction.quality.intervals import Precision, measure_precision
from memory.extraction.quality.switches import has_governor
from memory.ids import new_id
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
    """Warn of rules in force whose lower bound is under the limit, hold back in this tenant those whose time is up.

    A code for each. Writes. Under D-26's number nothing happens. People are told first (`RULE_NOTICE`) and may fix the
    rule, take it back or let it stand. A version that is put back is a new one: verdicts on the old no longer count.
    """
    tuning = settings.UNDE_TUNING
    if not has_governor(tenant_id=tenant_id):
        return []
    with tenant_scope(tenant_id):
        judged = list_judged_rules(tenant_id=tenant_id, since=now - tuning.REVIEW_WINDOW)
        found = {
            (one.slug, one.version): one
            for one in judged
            if is_bad(one) and _is_in_force(one.slug, one.version, tenant_id)
        }
        due = close_warnings(tenant_id=tenant_id, bad=found, now=now)
        for one in due:
            _hold_back(one, tenant_id=tenant_id, now=now)
        known = RuleWarning.objects.filter(tenant_id=tenant_id, outcome__in=("", "kept", "quarantined"))
        warned = set(known.values_list("rule", "rule_version"))
        fresh = [one for key, one in found.items() if key not in warned]
        for one in fresh:
            _warn(one, tenant_id=tenant_id, now=now)
    return ["rule_warned"] * len(fresh) + ["rule_quarantined"] * len(due)


def is_bad(judged: JudgedRule) -> bool:
    """Whether enough verdicts say that the true precision may be under the limit. Pure."""
    tuning, precision = settings.UNDE_TUNING, judged.precision
    return bool(precision.judged >= tuning.REVIEW_MIN_SAMPLES and precision.lower < tuning.QUARANTINE_LOWER_BOUND)


def close_warnings(*, tenant_id: UUID, bad: Mapping[tuple[str, int], JudgedRule], now: datetime) -> list[JudgedRule]:
    """End warnings whose rule is no longer bad or in force, and those whose time is up. Answers the latter. Writes."""
    due = []
    for row in RuleWarning.objects.select_for_update().filter(tenant_id=tenant_id, ended_at=None).order_by("due_at"):
        judged = bad.get((row.rule, row.rule_version))
        if judged is None:
            is_better = _is_in_force(row.rule, row.rule_version, tenant_id)
            _end(row, "recovered" if is_better else "replaced", SYSTEM, now)
        elif row.due_at <= now:
            _end(row, "quarantined", SYSTEM, now)
            due.append(judged)
    return due


def keep_rule(*, tenant_id: UUID, warning_id: UUID, actor: Actor, now: datetime) -> None:
    """A person lets a version stand in spite of its verdicts: it is not warned of again. Writes, audited.

    Raises NotFound.
    """
    with tenant_scope(tenant_id):
        rows = RuleWarning.objects.select_for_update().filter(tenant_id=tenant_id, id=warning_id, ended_at=None)
        row = rows.first()
        if row is None:
            raise NotFound("This warning does not exist, or has ended.")
        _end(row, "kept", actor, now)
        _audit("rule.kept", row.id, actor, tenant_id=tenant_id, now=now)


def _warn(judged: JudgedRule, *, tenant_id: UUID, now: datetime) -> None:
    due_at = now + settings.UNDE_TUNING.RULE_NOTICE
    row = RuleWarning(
        id=new_id(),
        tenant_id=tenant_id,
        rule=judged.slug,
        rule_version=judged.version,
        judged=judged.precision.judged,
        right_count=judged.precision.right,
        warned_at=now,
        due_at=due_at,
    )
    row.save(force_insert=True)
    _audit("rule.warned", row.id, SYSTEM, tenant_id=tenant_id, now=now)
    rule = _find_rule(judged.slug, tenant_id)
    data = {"kind": "rule", "rule_id": rule.id if rule else None, "due_at": due_at.isoformat()}
    record_event("rule.warned", tenant_id=tenant_id, data=data)
    RULES_WARNED.inc()


def _end(row: RuleWarning, outcome: str, actor: Actor, now: datetime) -> None:
    row.ended_at, row.outcome, row.ended_by = now, outcome, f"{actor.type.value}:{actor.id}"
    row.save(update_fields=["ended_at", "outcome", "ended_by"])


def list_judged_rules(*, tenant_id: UUID, since: datetime) -> list[JudgedRule]:
    """Versions of instant rules with their precision over the items decided since a moment. In a tenant scope."""
    rows = fetch_rows(_RULES, [tenant_id, since])
    return [JudgedRule(rule, version, measure_precision(right=right, judged=n)) for rule, version, n, right in rows]


def list_held_back_rules(*, tenant_id: UUID) -> list[Rule]:
    """The tenant's own and the shared rules in quarantine, by name."""
    rows = Rule.objects.filter(state="quarantined", tenant_id=tenant_id) | Rule.objects.filter(
        state="quarantined", tenant_id=None
    )
    return list(rows.order_by("slug"))


def _is_in_force(slug: str, version: int, tenant_id: UUID) -> bool:
    """The tenant's own rule counts where it has one; another version than the judged one is left alone."""
    row = _find_rule(slug, tenant_id)
    return row is not None and row.state == "published" and row.is_active and row.version == version


def _find_rule(slug: str, tenant_id: UUID) -> Rule | None:
    own = Rule.objects.filter(slug=slug, tenant_id=tenant_id).exclude(state="draft").first()
    return own or Rule.objects.filter(slug=slug, tenant_id=None).first()


def _hold_back(judged: JudgedRule, *, tenant_id: UUID, now: datetime) -> None:
    right, count = judged.precision.right, judged.precision.judged
    reason = f"reviewers found {right} of {count} right; the true share may be as low as {judged.precision.lower:.0%}"
    row = quarantine_rule(slug=judged.slug, tenant_id=tenant_id, reason=reason, changed_by="system:review")
    _audit("rule.quarantine", row.id, SYSTEM, tenant_id=tenant_id, now=now)
    record_event("rule.quarantined", tenant_id=tenant_id, data={"kind": "rule", "rule_id": row.id})
    RULES_HELD_BACK.inc()


def _audit(action: str, object_id: UUID, actor: Actor, *, tenant_id: UUID, now: datetime) -> None:
    record_audit_event(
        tenant_id=tenant_id, actor=actor, action=action, now=now, object_type="rule", object_ids=[object_id]
    )
