"""The governor: acts when memory's quality goes over a limit, says why, and can be undone (SPEC Q-2, BRAIN 2.3.2.3).

It closes no true fact. What has passed its day is closed by the job that does so anyway; what is old or keeps changing
is put in doubt, so that the assistant asks. Pauses of extraction and quarantines of rules are decided where their
figures are (`memory.extraction.quality.watch`, `corrections.review.watch`); here they are listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import structlog
from django.conf import settings
from django.db.models import Q

from corrections.models import GovernorAction, RuleWarning
from corrections.quality.levels import LEVELS
from memory.database.statements import fetch_rows
from memory.errors import CodedError, NotFound
from memory.extraction.quality.switches import has_governor
from memory.ids import new_id
from memory.services.facts import FactAct, clear_doubt, dispute_fact, expire_user_facts
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import Actor, ActorType
from memory.types import UserRef

SYSTEM: Final = Actor(type=ActorType.SYSTEM, id="governor")
ACTOR: Final = "system:governor"
ACTIONS: Final = {"staleness_rate": "clean_up", "conflict_rate": "conflicts"}
_NO_ACTION: Final = "This action of the governor does not exist, or has ended."
log = structlog.get_logger(__name__)

# Users with facts whose day has passed. Counted over all of the tenant's active facts, as the level is.
_EXPIRED = """
SELECT DISTINCT user_id FROM user_knowledge
 WHERE tenant_id = %(tenant)s AND is_active AND expires_at <= %(now)s LIMIT %(most)s
"""
# Allergies and bans are never put in doubt for their age; what a person said outright is not either.
_STALE = """
SELECT user_id, id FROM user_knowledge WHERE tenant_id = %(tenant)s AND is_active AND NOT is_disputed
   AND extracted_from = 'batch' AND knowledge_type NOT IN ('allergy', 'hard_ban') AND last_validated_at < %(stale)s
 ORDER BY last_validated_at LIMIT %(most)s
"""
_CONFLICTING = """
WITH moved AS (
  SELECT user_id, knowledge_type, key_hash FROM user_knowledge
   WHERE tenant_id = %(tenant)s AND superseded_by IS NOT NULL AND invalid_at >= %(since)s
   GROUP BY 1, 2, 3 HAVING count(*) >= %(chain)s)
SELECT k.user_id, k.id FROM user_knowledge k
  JOIN moved m ON (m.user_id, m.knowledge_type, m.key_hash) = (k.user_id, k.knowledge_type, k.key_hash)
 WHERE k.tenant_id = %(tenant)s AND k.is_active AND NOT k.is_disputed
   AND k.knowledge_type NOT IN ('allergy', 'hard_ban') AND k.extracted_from IN ('instant_pattern', 'batch')
   AND k.last_validated_at <= k.valid_at
 ORDER BY k.updated_at LIMIT %(most)s
"""
# What an action of the governor put in doubt and nobody has decided since.
_TOUCHED = """
SELECT DISTINCT a.user_id, (e.value ->> 'fact_id')::uuid FROM memory_action a
 CROSS JOIN LATERAL jsonb_array_elements(a.effects) e JOIN user_knowledge k ON k.user_id = a.user_id
   AND k.id = (e.value ->> 'fact_id')::uuid AND k.is_active AND k.is_disputed
 WHERE a.tenant_id = %(tenant)s AND a.batch_id = %(batch)s AND a.kind = 'dispute'
   AND NOT EXISTS (SELECT FROM memory_action l WHERE l.user_id = a.user_id AND l.position > a.position
     AND l.effects @> jsonb_build_array(jsonb_build_object('fact_id', e.value ->> 'fact_id')))
"""


@dataclass(frozen=True, slots=True)
class Open:
    """Something that the governor, or a switch that acts by itself, has done and that still holds."""

    action: str
    since: datetime
    reason: str
    value: float | None = None
    touched: int = 0
    id: UUID | None = None
    subject: str = ""
    """What it is about: a rule and its version."""
    due_at: datetime | None = None
    """Of a warning: when memory acts by itself unless somebody does."""


def govern(*, tenant_id: UUID, figures: Mapping[str, tuple[float | None, int]], now: datetime) -> list[str]:
    """Act on figures that are over their limits; the codes of what was begun. Writes, audited.

    One action of a kind is open at a time: what a person has not looked at is not done again.
    """
    if not has_governor(tenant_id=tenant_id):
        return []
    return [
        action
        for name, action in ACTIONS.items()
        if _is_over(name, *figures.get(name, (None, 0)))
        and _act(action, reason=name, value=figures[name][0] or 0.0, tenant_id=tenant_id, now=now)
    ]


def _is_over(name: str, value: float | None, n: int) -> bool:
    return value is not None and n >= LEVELS[name].min_samples and value > settings.UNDE_TUNING.GOVERNOR_LIMITS[name]


def _act(action: str, *, reason: str, value: float, tenant_id: UUID, now: datetime) -> bool:
    row = GovernorAction(id=new_id(), tenant_id=tenant_id, action=action, reason=reason, value=value, began_at=now)
    with tenant_scope(tenant_id):
        if GovernorAction.objects.filter(tenant_id=tenant_id, action=action, ended_at=None).exists():
            return False
        row.save(force_insert=True)
        _audit(f"governor.{action}", row, SYSTEM, now)
    touched = _expire(tenant_id, now) if action == "clean_up" else 0
    touched += _doubt(_STALE if action == "clean_up" else _CONFLICTING, row, now)
    with tenant_scope(tenant_id):
        GovernorAction.objects.filter(tenant_id=tenant_id, id=row.id).update(touched=touched)
    return True


def _expire(tenant_id: UUID, now: datetime) -> int:
    closed = 0
    for (user_id,) in _ask(_EXPIRED, tenant_id, now):
        try:
            closed += expire_user_facts(user=UserRef(id=user_id, tenant_id=tenant_id), now=now)
        except CodedError as error:
            log.warning("governor_left_a_user", code=error.code)
    return closed


def _doubt(statement: str, row: GovernorAction, now: datetime) -> int:
    disputed = 0
    for user_id, fact_id in _ask(statement, row.tenant_id, now):
        user = UserRef(id=user_id, tenant_id=row.tenant_id)
        try:
            dispute_fact(FactAct(user=user, fact_id=fact_id, actor=ACTOR, now=now, batch_id=row.id))
            disputed += 1
        except CodedError as error:
            # Busy, erased or closed meanwhile: the next action sees it again.
            log.warning("governor_left_a_fact", code=error.code)
    return disputed


def undo_action(*, tenant_id: UUID, action_id: UUID, actor: Actor, now: datetime) -> int:
    """Take the doubts of an action back, but those that somebody has decided since; how many. Writes, audited.

    Facts that were closed because their day had passed stay closed: they do not hold. Raises NotFound, and UserBusy
    with the action still open: undone again, it takes back what is left.
    """
    with tenant_scope(tenant_id):
        if not GovernorAction.objects.filter(tenant_id=tenant_id, id=action_id, ended_at=None).exists():
            raise NotFound(_NO_ACTION)
    undone, by = 0, f"{actor.type.value}:{actor.id}"
    for user_id, fact_id in _ask(_TOUCHED, tenant_id, now, batch=action_id):
        user = UserRef(id=user_id, tenant_id=tenant_id)
        clear_doubt(FactAct(user=user, fact_id=fact_id, actor=by, now=now, batch_id=action_id))
        undone += 1
    with tenant_scope(tenant_id):
        _end("governor.undo", tenant_id, action_id, actor, now)
    return undone


def end_action(*, tenant_id: UUID, action_id: UUID, actor: Actor, now: datetime) -> None:
    """A person has seen it and lets it stand; the governor may act again. Writes, audited. Raises NotFound."""
    with tenant_scope(tenant_id):
        _end("governor.seen", tenant_id, action_id, actor, now)


def _end(name: str, tenant_id: UUID, action_id: UUID, actor: Actor, now: datetime) -> None:
    rows = GovernorAction.objects.select_for_update().filter(tenant_id=tenant_id, id=action_id, ended_at=None)
    row = rows.first()
    if row is None:
        raise NotFound(_NO_ACTION)
    row.ended_at, row.ended_by = now, f"{actor.type.value}:{actor.id}"
    row.save(update_fields=["ended_at", "ended_by"])
    _audit(name, row, actor, now)


def list_open(*, tenant_id: UUID, at: datetime) -> list[Open]:
    """What holds at a moment: the governor's actions, pauses and quarantines that came by themselves. In a scope."""
    rows = GovernorAction.objects.filter(tenant_id=tenant_id, began_at__lte=at)
    rows = rows.filter(Q(ended_at=None) | Q(ended_at__gt=at)).order_by("began_at")
    own = [Open(row.action, row.began_at, row.reason, row.value, row.touched, row.id) for row in rows]
    return sorted([*own, *_list_switches(tenant_id, at), *_list_warnings(tenant_id, at)], key=lambda one: one.since)


def _list_warnings(tenant_id: UUID, at: datetime) -> list[Open]:
    """Rules that people have been told of and that are not held back yet."""
    rows = RuleWarning.objects.filter(tenant_id=tenant_id, warned_at__lte=at)
    rows = rows.filter(Q(ended_at=None) | Q(ended_at__gt=at)).order_by("warned_at")
    return [
        Open(
            "rule_warned",
            row.warned_at,
            "precision_too_low",
            value=row.right_count / row.judged,
            id=row.id,
            subject=f"{row.rule} v{row.rule_version}",
            due_at=row.due_at,
        )
        for row in rows
    ]


# The switches keep their present state alone; quarantines of slices know when they ended.
_SWITCHES = """
SELECT 'extraction_' || s.mode, s.changed_at, s.reason FROM extraction_tenant_state s
 WHERE s.tenant_id = %(tenant)s AND s.mode <> 'on' AND s.actor LIKE 'system:%%' AND s.changed_at <= %(now)s
UNION ALL
SELECT 'extraction_quarantine', q.since, q.reason FROM extraction_quarantine q
 WHERE q.tenant_id = %(tenant)s AND q.since <= %(now)s AND (q.lifted_at IS NULL OR q.lifted_at > %(now)s)
UNION ALL
SELECT 'rule_quarantine', max(a.happened_at), 'precision_too_low' FROM audit_event a
  JOIN patterns_rule r ON r.id = ANY(a.object_ids) AND r.state = 'quarantined'
 WHERE a.tenant_id = %(tenant)s AND a.action = 'rule.quarantine' AND a.actor_type = 'system'
   AND a.happened_at <= %(now)s
 GROUP BY r.id
"""


def _list_switches(tenant_id: UUID, at: datetime) -> list[Open]:
    return [Open(*row) for row in _ask(_SWITCHES, tenant_id, at)]


def _audit(name: str, row: GovernorAction, actor: Actor, now: datetime) -> None:
    record_audit_event(
        tenant_id=row.tenant_id, actor=actor, action=name, now=now, object_type="governor", object_ids=[row.id]
    )


def _ask(statement: str, tenant_id: UUID, now: datetime, **more: Any) -> list[tuple[Any, ...]]:
    tuning = settings.UNDE_TUNING
    values = {
        "tenant": tenant_id,
        "now": now,
        "stale": now - tuning.QUALITY_STALE_AFTER,
        "since": now - LEVELS["conflict_rate"].window,
        "chain": tuning.QUALITY_CHAIN,
        "most": tuning.GOVERNOR_AT_ONCE,
        **more,
    }
    with tenant_scope(tenant_id):
        return fetch_rows(statement, values)
