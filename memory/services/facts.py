"""What an app or a person does to facts: state, confirm, dispute, retract; and the job that closes what expired."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.errors import Conflict, InvalidRequest
from memory.facts.ledger import FactLedger, PendingAction
from memory.facts.reading import get_fact
from memory.facts.writing import load_ledger, save_ledger
from memory.fence.consents import refuse_withheld
from memory.fence.user_lock import enter_user, lock_user
from memory.metrics import FACTS_EXPIRED
from memory.models import FactRow, Message
from memory.selectors.messages import has_forgotten
from memory.services.fact_inputs import FactInput, describe_statement, make_explicit_statement
from memory.services.pauses import refuse_if_paused
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_staff_act
from memory.types import FACTS_COVER, GUARANTEED_TYPES, Fact, FactChange, TenantRef, UserRef

VALUE_IS_KEY: Final = ("allergy", "hard_ban")
"""Types whose value says which fact it is: another value is another fact."""


class FactInactive(Conflict):
    """The fact is not active any more: only active facts are confirmed, disputed or retracted."""

    code = "fact_inactive"
    default_message = "This fact is no longer active."


def put_facts(
    *, tenant: TenantRef, user_external_id: str, facts: Sequence[FactInput], actor: str, now: datetime
) -> list[FactChange]:
    """Write facts from onboarding or from a form, all of them or none. Makes the user when it is new.

    Raises InvalidRequest, SoftType, UserErased, UserBusy, ConsentMissing, and MemoryPaused for all but the person
    themselves.
    """
    statements = [make_explicit_statement(fact, place=i, now=now, zone=tenant.zone) for i, fact in enumerate(facts)]
    with tenant_scope(tenant.id):
        user = enter_user(tenant_id=tenant.id, external_id=user_external_id, now=now)
        if not actor.startswith("visit:"):  # what the person writes on their own page is theirs to write
            refuse_if_paused(user=user)
        refuse_withheld(user=user, kinds=[FACTS_COVER + statement.knowledge_type for statement in statements])
        ledger = load_ledger(user=user, now=now)
        changes = []
        for statement in statements:
            action = ledger.open_action(kind=statement.extracted_from, said_at=now)
            # No message holds it: the log itself must, for a rebuild to give the fact back (D-1).
            action.secret = {"statement": describe_statement(statement)}
            changes.append(ledger.set_fact(statement, action=action))
        save_ledger(ledger, user=user, actor=actor, now=now)
    return changes


@dataclass(frozen=True, slots=True)
class FactAct:
    """Which fact a person speaks about, who acts, and why: a message, a reason in words (kept sealed), or neither."""

    user: UserRef
    fact_id: UUID
    actor: str
    now: datetime
    message_id: UUID | None = None
    reason: str | None = None
    batch_id: UUID | None = None
    """What it was done as a part of."""


def confirm_fact(act: FactAct) -> Fact:
    """A person says the fact is right. A disputed one is restored. Raises NotFound, FactInactive. Writes."""
    return _carry_out("confirm", _confirm, act)


def dispute_fact(act: FactAct) -> Fact:
    """A person doubts the fact: it stays, marked, and is not asserted. Raises NotFound, FactInactive. Writes."""
    return _carry_out("dispute", _dispute, act)


def clear_doubt(act: FactAct) -> Fact:
    """A doubt that was no user's is taken back. Raises NotFound, FactInactive. Writes."""
    return _carry_out("verdict", _clear, act)


def retract_fact(act: FactAct) -> Fact:
    """A person says the fact is wrong: it is closed for good. Raises NotFound, FactInactive. Writes."""
    return _carry_out("retract", _retract, act)


def correct_fact(act: FactAct, *, tenant: TenantRef, value: Any, expires_at: datetime | None = None) -> FactChange:
    """Another value takes the place of an active fact, as a person states it; all or nothing. Writes.

    A date that is still to come stays where no other is given. Raises NotFound, FactInactive, InvalidRequest naming
    `value` or `expires_at`, and what `put_facts` raises.
    """
    with tenant_scope(tenant.id):
        lock_user(user=act.user)
        fact = get_fact(user=act.user, fact_id=act.fact_id)
        if not fact.is_active:
            raise FactInactive(fields={"fact_id": "is not active"})
        if fact.knowledge_type not in GUARANTEED_TYPES:
            raise InvalidRequest(fields={"fact_id": "is of a type that nobody states"})
        is_key = fact.knowledge_type in VALUE_IS_KEY
        if is_key:
            retract_fact(act)
        wanted = FactInput(
            knowledge_type=fact.knowledge_type,
            value=value.strip() if isinstance(value, str) else value,
            source="explicit",
            knowledge_key=None if is_key else fact.knowledge_key,
            expires_at=expires_at or _keep_date(fact, act.now),
        )
        try:
            name = act.user.external_id
            return put_facts(tenant=tenant, user_external_id=name, facts=[wanted], actor=act.actor, now=act.now)[0]
        except InvalidRequest as error:
            fields = {name.removeprefix("facts[0]."): problem for name, problem in error.fields.items()}
            raise type(error)(fields=fields) from None


def _keep_date(fact: Fact, now: datetime) -> datetime | None:
    is_ahead = fact.expires_at is not None and fact.expires_at > now
    return fact.expires_at if fact.knowledge_type == "life_event" and is_ahead else None


def _carry_out(kind: str, decide: Callable[[FactLedger, Fact, PendingAction], FactChange | None], act: FactAct) -> Fact:
    with tenant_scope(act.user.tenant_id):
        lock_user(user=act.user)
        fact = get_fact(user=act.user, fact_id=act.fact_id)
        if act.message_id is not None:
            _require_message(act.user, act.message_id)
        ledger = load_ledger(user=act.user, now=act.now)
        held = ledger.find_fact(*fact.slot)
        if held is None or held.id != fact.id:
            raise FactInactive(fields={"fact_id": "is not active"})
        action = ledger.open_action(kind=kind, said_at=act.now, message_id=act.message_id)
        action.secret = {"reason": act.reason} if act.reason else None
        action.batch_id = act.batch_id
        change = decide(ledger, held, action)
        save_ledger(ledger, user=act.user, actor=act.actor, now=act.now)
        record_staff_act(
            tenant_id=act.user.tenant_id,
            actor=act.actor,
            action=f"fact.{kind}",
            now=act.now,
            object_type="fact",
            object_ids=[fact.id],
        )
    return change.fact if change else held


def _confirm(ledger: FactLedger, fact: Fact, action: PendingAction) -> FactChange | None:
    return ledger.confirm_fact(fact, action=action)


def _dispute(ledger: FactLedger, fact: Fact, action: PendingAction) -> FactChange | None:
    return ledger.dispute_fact(fact, action=action)


def _clear(ledger: FactLedger, fact: Fact, action: PendingAction) -> FactChange | None:
    return ledger.clear_doubt(fact, action=action)


def _retract(ledger: FactLedger, fact: Fact, action: PendingAction) -> FactChange | None:
    # A fact may be dated ahead of our clock (a message said up to a day later): closing it is still what was asked.
    return ledger.deactivate_fact(fact, action=action, at=max(action.said_at, fact.valid_at))


def _require_message(user: UserRef, message_id: UUID) -> None:
    if not Message.objects.filter(user_id=user.id, id=message_id, forgotten_at=None).exists():
        raise InvalidRequest(fields={"message_id": "no such message of this user"})


def expire_user_facts(*, user: UserRef, now: datetime) -> int:
    """Close this user's facts whose day has passed; returns how many (SPEC F-5). Writes under the user's lock."""
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        ledger = load_ledger(user=user, now=now)
        due = [fact for fact in ledger.list_facts() if fact.expires_at is not None and fact.expires_at <= now]
        if not due:
            return 0
        action = ledger.open_action(kind="expire", said_at=now)
        for fact in due:
            ledger.deactivate_fact(fact, action=action, at=max(fact.expires_at or now, fact.valid_at))
        save_ledger(ledger, user=user, actor="system", now=now)
    FACTS_EXPIRED.inc(len(due))
    return len(due)


def close_wrong_fact(
    *, user: UserRef, fact_id: UUID | None, detail: Mapping[str, str], reviewer: str, now: datetime
) -> None:
    """Close a fact that a reviewer found wrong, in the reviewer's name; one that is closed stays so. Under the lock."""
    ledger = load_ledger(user=user, now=now)
    fact = next((fact for fact in ledger.list_facts() if fact.id == fact_id), None)
    if fact is None:
        return
    action = ledger.open_action(kind="verdict", said_at=now)
    action.detail = dict(detail)
    ledger.deactivate_fact(fact, action=action, at=max(now, fact.valid_at))
    save_ledger(ledger, user=user, actor=reviewer, now=now)


def reopen_judged_fact(
    *, user: UserRef, fact_id: UUID | None, judged_at: datetime, detail: Mapping[str, str], reviewer: str, now: datetime
) -> None:
    """Open the fact again that a verdict of that moment closed. Under the user's lock.

    It stays closed when its key has a newer value, and when a message that it rests on was forgotten meanwhile.
    """
    closed = FactRow.objects.filter(user_id=user.id, is_active=False, superseded_by=None)
    row = closed.filter(id=fact_id).first() if fact_id else None
    if row is None or row.invalid_at is None or row.invalid_at != max(judged_at, row.valid_at):
        return
    if has_forgotten(user=user, message_ids=row.evidence_message_ids):
        return
    ledger = load_ledger(user=user, now=now)
    fact = get_fact(user=user, fact_id=row.id)
    if ledger.find_fact(*fact.slot) is not None:
        return
    action = ledger.open_action(kind="verdict", said_at=now)
    action.detail = dict(detail)
    ledger.reopen_fact(fact, action=action)
    save_ledger(ledger, user=user, actor=reviewer, now=now)
