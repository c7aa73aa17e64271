"""Facts that feedback leaves hardly believed: a person removes or keeps them, and may take that back (SPEC P-9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from memory.database.statements import fetch_rows
from memory.errors import Conflict, NotFound
from memory.facts.ledger import FactLedger
from memory.facts.reading import get_fact
from memory.facts.writing import load_ledger, save_ledger
from memory.fence.user_lock import lock_user
from memory.models import Action
from memory.selectors.messages import has_forgotten
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_staff_act
from memory.types import Fact, UserRef

REMOVE, KEEP, UNDO = VERBS = ("remove", "keep", "undo")

# Active facts under the limit that nobody has kept or confirmed since they fell.
# Indexes: facts_that_are_hardly_believed, calibrations_of_a_fact.
_WAITING: Final = """
SELECT k.user_id, k.id FROM user_knowledge k
  JOIN memory_user u ON u.id = k.user_id AND u.fenced_at IS NULL
 CROSS JOIN LATERAL (
   SELECT a.recorded_at, a.detail ->> 'decision' AS decision FROM memory_action a
    WHERE a.user_id = k.user_id AND a.kind = 'calibrate' AND a.detail ->> 'fact_id' = k.id::text
    ORDER BY a.position DESC LIMIT 1) last
 WHERE k.tenant_id = %(tenant)s AND k.is_active AND k.confidence < 0.2 AND k.confidence < %(limit)s
   AND last.decision IS DISTINCT FROM 'keep' AND k.last_validated_at <= last.recorded_at
   AND (k.user_id, k.id) > (%(user_id)s, %(fact_id)s) AND (%(only)s::uuid IS NULL OR k.id = %(only)s::uuid)
 ORDER BY k.user_id, k.id LIMIT %(most)s
"""
NOBODY: Final = UUID(int=0)


class DecisionOver(Conflict):
    """Something has happened to the fact since the decision."""

    code = "decision_over"
    default_message = "The fact has changed since. The decision cannot be undone."


@dataclass(frozen=True, slots=True)
class Decided:
    """What a person decided about a fact."""

    user: UserRef
    fact: Fact
    verb: str


def list_waiting(
    *, tenant_id: UUID, after: tuple[UUID, UUID] = (NOBODY, NOBODY), limit: int, only: UUID | None = None
) -> list[tuple[UUID, UUID]]:
    """A page of users and facts to decide about, in the order of their ids. In a tenant scope; reads only."""
    values = {
        "tenant": tenant_id,
        "limit": settings.UNDE_TUNING.REMOVAL_CONFIDENCE,
        "user_id": after[0],
        "fact_id": after[1],
        "only": only,
        "most": limit,
    }
    return [(row[0], row[1]) for row in fetch_rows(_WAITING, values)]


def decide(*, user: UserRef, fact_id: UUID, verb: str, actor: str, now: datetime) -> Decided:
    """Remove or keep a fact that waits for it, or undo that. Writes, audited.

    Raises NotFound for one that does not wait, DecisionOver, UserErased, UserBusy.
    """
    act = _ACTS.get(verb)
    if act is None:
        raise NotFound("This action does not exist.")
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        fact = get_fact(user=user, fact_id=fact_id)
        ledger = load_ledger(user=user, now=now)
        act(ledger, fact, user, now)
        save_ledger(ledger, user=user, actor=actor, now=now)
        record_staff_act(
            tenant_id=user.tenant_id,
            actor=actor,
            action=f"calibration.{verb}",
            now=now,
            object_type="fact",
            object_ids=[fact.id, user.id],
        )
    return Decided(user, fact, verb)


def _remove(ledger: FactLedger, fact: Fact, user: UserRef, now: datetime) -> None:
    _require_waiting(fact, user)
    action = ledger.open_action(kind="verdict", said_at=now)
    action.detail = {"fact_id": str(fact.id), "decision": REMOVE}
    ledger.deactivate_fact(fact, action=action, at=max(now, fact.valid_at))


def _keep(ledger: FactLedger, fact: Fact, user: UserRef, now: datetime) -> None:
    _require_waiting(fact, user)
    _note(ledger, fact, "keep", now)


def _undo(ledger: FactLedger, fact: Fact, user: UserRef, now: datetime) -> None:
    """The last thing that was done to the fact must be the decision."""
    last = _find_last(fact, user)
    if last is None or last.detail.get("decision") not in (REMOVE, KEEP):
        raise DecisionOver
    if last.detail["decision"] == KEEP:
        _note(ledger, fact, "reconsider", now)
        return
    if ledger.find_fact(*fact.slot) is not None or has_forgotten(user=user, message_ids=fact.evidence_message_ids):
        raise DecisionOver
    action = ledger.open_action(kind="verdict", said_at=now)
    action.detail = {"fact_id": str(fact.id), "decision": "undone"}
    ledger.reopen_fact(fact, action=action)


def _note(ledger: FactLedger, fact: Fact, decision: str, now: datetime) -> None:
    action = ledger.open_action(kind="calibrate", said_at=now)
    action.detail = {"fact_id": str(fact.id), "decision": decision}
    ledger.note_decision(fact, decision={"keep": "kept", "reconsider": "to_be_decided"}[decision], action=action)


def _require_waiting(fact: Fact, user: UserRef) -> None:
    if not list_waiting(tenant_id=user.tenant_id, only=fact.id, limit=1):
        raise NotFound("This fact does not wait for a decision.", fields={"fact_id": "does not wait for a decision"})


def _find_last(fact: Fact, user: UserRef) -> Any:
    rows = Action.objects.filter(user_id=user.id, effects__contains=[{"fact_id": str(fact.id)}])
    return rows.order_by("-position").first()


def count_waiting(*, tenant_id: UUID) -> int:
    """How many facts wait for a decision, as far as a page is long and no more. In a tenant scope."""
    return len(list_waiting(tenant_id=tenant_id, limit=settings.UNDE_TUNING.REMOVALS_A_PAGE + 1))


_ACTS: Final[dict[str, Callable[[FactLedger, Fact, UserRef, datetime], None]]] = {
    REMOVE: _remove,
    KEEP: _keep,
    UNDO: _undo,
}
