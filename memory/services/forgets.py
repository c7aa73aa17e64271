"""Soft forgetting: hidden at once, the cascade of KSP fix 15, the way back within the grace period (SPEC G-1, G-5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.conf import settings

from memory.database.statements import fetch_rows
from memory.errors import Conflict, InvalidRequest, NotFound
from memory.facts.reading import list_facts_by_id
from memory.facts.writing import load_ledger, save_ledger
from memory.fence.user_lock import lock_user
from memory.ids import new_id
from memory.metrics import FORGET_CASCADE_FACTS
from memory.models import Action, ForgetBatch, ForgetItem, Message
from memory.registries import forget_steps
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_staff_act
from memory.tracing import traced
from memory.types import Fact, UserRef

DESCRIPTION_PURPOSE = "response_description"


class ForgetOver(Conflict):
    """The grace period is over, or the forget was undone already."""

    code = "forget_over"
    default_message = "This forget can no longer be undone."


class PlanUsed(Conflict):
    """The plan was carried out already."""

    code = "plan_used"
    default_message = "This plan was already carried out."


@dataclass(frozen=True, slots=True)
class ForgetOutcome:
    """What a forget or its undoing did: ids and counts, no text."""

    batch_id: UUID
    message_ids: list[UUID]
    facts_deactivated: list[UUID] = field(default_factory=list)
    facts_restored: list[UUID] = field(default_factory=list)
    facts_left_inactive: list[UUID] = field(default_factory=list)
    descriptions_cleared: list[UUID] = field(default_factory=list)
    derived: dict[str, int] = field(default_factory=dict)
    grace_until: datetime | None = None


def plan_forget(*, user: UserRef, message_ids: Sequence[UUID], now: datetime) -> ForgetOutcome:
    """A dry run: what would go, under a plan id that the run takes (SPEC G-5). Writes the plan alone.

    Raises NotFound when one of the ids is not a message of this user.
    """
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        found = _require_messages(user, message_ids)
        batch = _make_batch(user, found, now=now)
        resting = [fact for fact in load_ledger(user=user, now=now).list_facts() if _falls(fact, set(found))]
        described = list(_list_answers(user, found))
    return ForgetOutcome(
        batch_id=batch.id,
        message_ids=found,
        facts_deactivated=[fact.id for fact in resting],
        descriptions_cleared=described,
    )


@traced("unde.forget.plan", operation="delete_memory")
def run_plan(*, user: UserRef, plan_id: UUID, actor: str, now: datetime, reason: str | None = None) -> ForgetOutcome:
    """Carry out a plan: exactly its ids, whatever was said since. Raises NotFound, PlanUsed. Writes."""
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        batch = ForgetBatch.objects.filter(user_id=user.id, id=plan_id).first()
        if batch is None:
            raise NotFound("This plan does not exist.", fields={"plan_id": "unknown"})
        if batch.status != "planned":
            raise PlanUsed(fields={"plan_id": "was carried out"})
        items = ForgetItem.objects.filter(user_id=user.id, batch_id=batch.id, part="message").order_by("id")
        return _forget(user, batch, [item.message_id for item in items], actor=actor, now=now, reason=reason)


@traced("unde.forget", operation="delete_memory")
def forget_messages(
    *, user: UserRef, message_ids: Sequence[UUID], actor: str, now: datetime, reason: str | None = None
) -> ForgetOutcome:
    """Hide messages from all reads at once, with everything derived from them. Raises NotFound, UserBusy. Writes."""
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        found = _require_messages(user, message_ids)
        batch = _make_batch(user, found, now=now)
        return _forget(user, batch, found, actor=actor, now=now, reason=reason)


@traced("unde.restore", operation="update_memory")
def restore_forget(
    *, user: UserRef, batch_id: UUID, actor: str, now: datetime, message_id: UUID | None = None
) -> ForgetOutcome:
    """Undo a forget, or one message of it, within its grace period. Raises NotFound, ForgetOver. Writes.

    A fact whose key has a newer active row stays inactive, and the answer says so (D-28).
    """
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        batch = ForgetBatch.objects.filter(user_id=user.id, id=batch_id).first()
        if batch is None:
            raise NotFound("This forget does not exist.", fields={"batch_id": "unknown"})
        if batch.status != "done" or (batch.grace_until and batch.grace_until <= now):
            raise ForgetOver(fields={"batch_id": f"is {batch.status}"})
        items = list(ForgetItem.objects.filter(user_id=user.id, batch_id=batch.id).order_by("id"))
        restored = [i.message_id for i in items if i.part == "message" and message_id in (None, i.message_id)]
        if not restored:
            raise NotFound("This forget does not contain that message.", fields={"message_id": "unknown"})
        return _restore(user, batch, items, restored, actor=actor, now=now)


def find_forget_of(*, user: UserRef, message_id: UUID) -> UUID | None:
    """The forget that hides a message now, None when nothing does."""
    batches = ForgetItem.objects.filter(user_id=user.id, message_id=message_id, part="message").values("batch_id")
    return (
        ForgetBatch.objects.filter(user_id=user.id, id__in=batches, status="done")
        .order_by("-id")
        .values_list("id", flat=True)
        .first()
    )


# --- forgetting -------------------------------------------------------------------------------------------------------


def _require_messages(user: UserRef, message_ids: Sequence[UUID]) -> list[UUID]:
    wanted = list(dict.fromkeys(message_ids))
    if not wanted or len(wanted) > settings.UNDE_TUNING.MAX_FORGET_MESSAGES:
        raise InvalidRequest(
            fields={"message_ids": f"must name 1 to {settings.UNDE_TUNING.MAX_FORGET_MESSAGES} messages"}
        )
    rows = Message.objects.filter(user_id=user.id, id__in=wanted, forgotten_at=None).values_list("id", flat=True)
    if missing := set(wanted) - set(rows):
        raise NotFound(
            "Some of these messages do not exist.",
            fields={"message_ids": f"{len(missing)} of {len(wanted)} are not visible messages of this user"},
        )
    return wanted


def _make_batch(user: UserRef, message_ids: Sequence[UUID], *, now: datetime) -> ForgetBatch:
    batch = ForgetBatch.objects.create(
        id=new_id(), tenant_id=user.tenant_id, user_id=user.id, status="planned", created_at=now
    )
    _write_items(batch, "message", dict.fromkeys(message_ids))
    return batch


def _write_items(batch: ForgetBatch, part: str, sealed: Mapping[UUID, bytes | None]) -> None:
    """Note what the batch hides of each message, by its id; `sealed` is what is taken out of it."""
    ForgetItem.objects.bulk_create(
        ForgetItem(
            id=new_id(),
            tenant_id=batch.tenant_id,
            user_id=batch.user_id,
            batch_id=batch.id,
            message_id=message_id,
            part=part,
            sealed=words,
        )
        for message_id, words in sealed.items()
    )


def _forget(
    user: UserRef, batch: ForgetBatch, message_ids: list[UUID], *, actor: str, now: datetime, reason: str | None
) -> ForgetOutcome:
    described = _clear_descriptions(user, batch, message_ids)
    Message.objects.filter(user_id=user.id, id__in=message_ids, forgotten_at=None).update(forgotten_at=now)
    deactivated = _deactivate_facts(user, batch, set(message_ids), actor=actor, now=now, reason=reason)
    derived = _sum_counts(step.forget(user, message_ids) for step in forget_steps)
    _index_anew(user, sorted(set(described) - set(message_ids)))
    grace_until = now + settings.UNDE_TUNING.FORGET_GRACE
    ForgetBatch.objects.filter(user_id=user.id, id=batch.id).update(status="done", done_at=now, grace_until=grace_until)
    _audit("message.forget", user, message_ids, actor=actor, now=now)
    return ForgetOutcome(
        batch_id=batch.id,
        message_ids=message_ids,
        facts_deactivated=deactivated,
        descriptions_cleared=described,
        derived=derived,
        grace_until=grace_until,
    )


def _falls(fact: Fact, forgotten: set[UUID]) -> bool:
    """Whether a fact goes with these messages: its evidence is among them, and it is not from onboarding (SPEC G-1)."""
    return fact.extracted_from != "onboarding" and bool(forgotten & set(fact.evidence_message_ids))


def _deactivate_facts(
    user: UserRef, batch: ForgetBatch, forgotten: set[UUID], *, actor: str, now: datetime, reason: str | None
) -> list[UUID]:
    ledger = load_ledger(user=user, now=now)
    action = ledger.open_action(kind="forget", said_at=now)
    action.batch_id = batch.id
    action.secret = {"reason": reason} if reason else None
    # Who comes to restore takes them out of the batch: the log alone keeps what was hidden when.
    action.detail = {"messages": len(forgotten), "hidden": sorted(map(str, forgotten))}
    for fact in ledger.list_facts():
        if _falls(fact, forgotten):
            ledger.deactivate_fact(fact, action=action, at=max(now, fact.valid_at))
    save_ledger(ledger, user=user, actor=actor, now=now)
    FORGET_CASCADE_FACTS.inc(len(action.changes))
    return [change.fact.id for change in action.changes]


# The answer to a message: a reply to it, or the next assistant message by time (not all pairs are linked, KSP fix 15).
_ANSWERS = """
SELECT answer.id, answer.response_description
  FROM memory_message core
  CROSS JOIN LATERAL (
    SELECT a.id, a.response_description FROM memory_message a
     WHERE a.user_id = core.user_id AND a.role = 'assistant' AND a.reply_to_id = core.id
    UNION
    (SELECT a.id, a.response_description FROM memory_message a
      WHERE a.user_id = core.user_id AND a.conversation_id = core.conversation_id AND a.role = 'assistant'
        AND (a.created_at, a.seq) > (core.created_at, core.seq)
      ORDER BY a.created_at, a.seq LIMIT 1)
    UNION
    SELECT core.id, core.response_description) answer
 WHERE core.user_id = %s AND core.id = ANY(%s) AND answer.response_description IS NOT NULL
"""


def _index_anew(user: UserRef, message_ids: Sequence[UUID]) -> None:
    """What a description said is in the index row of its message too."""
    if message_ids:
        for step in forget_steps:
            step.forget(user, message_ids)
            step.restore(user, message_ids)


def _list_answers(user: UserRef, message_ids: Sequence[UUID]) -> dict[UUID, str]:
    return dict(fetch_rows(_ANSWERS, [user.id, list(message_ids)]))


def _clear_descriptions(user: UserRef, batch: ForgetBatch, message_ids: Sequence[UUID]) -> list[UUID]:
    """Clear what answered the forgotten; kept sealed in the batch so that the forget can be undone."""
    described = _list_answers(user, message_ids)
    vault = UserVault(user_id=user.id)
    sealed = {key: vault.seal(text, purpose=DESCRIPTION_PURPOSE) for key, text in described.items()}
    _write_items(batch, "description", sealed)
    Message.objects.filter(user_id=user.id, id__in=list(described)).update(response_description=None)
    return list(described)


# --- the way back -----------------------------------------------------------------------------------------------------


def _restore(
    user: UserRef, batch: ForgetBatch, items: list[ForgetItem], restored: list[UUID], *, actor: str, now: datetime
) -> ForgetOutcome:
    Message.objects.filter(user_id=user.id, id__in=restored).update(forgotten_at=None)
    is_whole = all(item.message_id in restored for item in items if item.part == "message")
    if is_whole:
        _restore_descriptions(user, items)
        ForgetBatch.objects.filter(user_id=user.id, id=batch.id).update(status="restored", restored_at=now)
    back, left = _restore_facts(user, batch, restored, actor=actor, now=now)
    derived = _sum_counts(step.restore(user, restored) for step in forget_steps)
    if is_whole:
        described = {item.message_id for item in items if item.part == "description"}
        _index_anew(user, sorted(described - set(restored)))
    used = [item.id for item in items if item.message_id in restored and item.part == "message"]
    ForgetItem.objects.filter(user_id=user.id, id__in=used).delete()
    _audit("message.restore", user, restored, actor=actor, now=now)
    return ForgetOutcome(
        batch_id=batch.id, message_ids=restored, facts_restored=back, facts_left_inactive=left, derived=derived
    )


def _restore_descriptions(user: UserRef, items: list[ForgetItem]) -> None:
    vault = UserVault(user_id=user.id)
    for item in items:
        if item.part == "description" and item.sealed is not None:
            Message.objects.filter(user_id=user.id, id=item.message_id, response_description=None).update(
                response_description=vault.open(item.sealed, purpose=DESCRIPTION_PURPOSE)
            )
    ForgetItem.objects.filter(user_id=user.id, id__in=[i.id for i in items if i.part == "description"]).delete()


def _restore_facts(
    user: UserRef, batch: ForgetBatch, restored: Sequence[UUID], *, actor: str, now: datetime
) -> tuple[list[UUID], list[UUID]]:
    """Reopen what this forget closed and whose evidence is visible again."""
    effects = [
        effect
        for action in Action.objects.filter(user_id=user.id, kind="forget", batch_id=batch.id)
        for effect in action.effects
    ]
    closed = list_facts_by_id(user=user, fact_ids=[UUID(effect["fact_id"]) for effect in effects])
    hidden = _list_hidden(user, {mid for fact in closed.values() for mid in fact.evidence_message_ids})
    ledger = load_ledger(user=user, now=now)
    action = ledger.open_action(kind="restore", said_at=now)
    action.batch_id = batch.id
    action.detail = {"shown": sorted(map(str, restored))}
    for fact in closed.values():
        if not fact.is_active and not hidden & set(fact.evidence_message_ids):
            ledger.reopen_fact(fact, action=action)
    save_ledger(ledger, user=user, actor=actor, now=now)
    by_action = {
        name: [c.fact.id for c in action.changes if c.action == name] for name in ("restored", "stored_inactive")
    }
    return by_action["restored"], by_action["stored_inactive"]


def _list_hidden(user: UserRef, message_ids: set[UUID]) -> set[UUID]:
    rows = Message.objects.filter(user_id=user.id, id__in=message_ids).exclude(forgotten_at=None)
    return set(rows.values_list("id", flat=True))


def _audit(action: str, user: UserRef, message_ids: Sequence[UUID], *, actor: str, now: datetime) -> None:
    record_staff_act(
        tenant_id=user.tenant_id, actor=actor, action=action, now=now, object_type="message", object_ids=message_ids
    )


def _sum_counts(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in counts:
        for name, count in one.items():
            total[name] = total.get(name, 0) + count
    return total
