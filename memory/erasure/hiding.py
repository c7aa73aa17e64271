"""A part erasure is invisible at once: hidden, out of every index, no fact rests on it, in the caller's transaction.

What is only hidden here is deleted by the erasers afterwards. A whole user needs none of this: the fence hides it all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings

from memory.database.statements import execute
from memory.erasure.erasers import ITEMS, fetch_ids, run_count
from memory.erasure.room import ActionEraser, ForgetEraser
from memory.erasure.types import ErasureTarget
from memory.facts.ledger import FactLedger, PendingAction
from memory.facts.writing import load_ledger, save_ledger
from memory.models import ErasureItem, FactRow
from memory.registries import forget_steps
from memory.types import EXTRACTED_ONLY_TYPES, ErasureScope, Fact

EVIDENCES_OF_AN_EXTRACTED_FACT = 2  # SPEC F-1: with fewer left, a soft type is no fact any more

_FIX_ITEMS = """
INSERT INTO erasure_item (tenant_id, user_id, erasure_id, message_id)
SELECT m.tenant_id, m.user_id, %(erasure_id)s::uuid, m.id FROM memory_message m
 WHERE m.user_id = %(user_id)s::uuid AND m.received_at <= %(erased_up_to)s::timestamptz
   AND (%(conversation_id)s::uuid IS NULL OR m.conversation_id = %(conversation_id)s::uuid)
   AND (%(message_ids)s::uuid[] IS NULL OR m.id = ANY(%(message_ids)s::uuid[]))
   AND (%(said_from)s::timestamptz IS NULL OR m.created_at >= %(said_from)s::timestamptz)
   AND (%(said_to)s::timestamptz IS NULL OR m.created_at < %(said_to)s::timestamptz)
ON CONFLICT DO NOTHING
"""

_HIDE_MESSAGES = f"""
UPDATE memory_message SET forgotten_at = coalesce(forgotten_at, %(now)s), response_description = NULL
 WHERE user_id = %(user_id)s AND id IN {ITEMS} AND (forgotten_at IS NULL OR response_description IS NOT NULL)
"""

# A description says in other words what it answered (SPEC G-1): linked answers, and the first one said afterwards.
_CLEAR_ANSWERS = f"""
UPDATE memory_message answer SET response_description = NULL
 WHERE answer.user_id = %(user_id)s AND answer.response_description IS NOT NULL
   AND (answer.reply_to_id IN {ITEMS} OR answer.id IN (
     SELECT next.id FROM erasure_item i
       JOIN memory_message core ON core.user_id = i.user_id AND core.id = i.message_id
      CROSS JOIN LATERAL (
        SELECT a.id FROM memory_message a
         WHERE a.user_id = core.user_id AND a.conversation_id = core.conversation_id AND a.role = 'assistant'
           AND (a.created_at, a.seq) > (core.created_at, core.seq)
         ORDER BY a.created_at, a.seq LIMIT 1) next
      WHERE i.user_id = %(user_id)s AND i.erasure_id = %(erasure_id)s))
RETURNING answer.id
"""


def fix_items(
    *,
    scope: ErasureScope,
    target: ErasureTarget,
    conversation_id: UUID | None,
    erased_up_to: datetime,
) -> int:
    """List the messages that a part erasure is about, forgotten ones included; how many. Writes the list."""
    return execute(
        _FIX_ITEMS,
        {
            "user_id": scope.user.id,
            "erasure_id": scope.erasure_id,
            "erased_up_to": erased_up_to,
            "conversation_id": conversation_id,
            "message_ids": list(target.message_ids) if target.scope == "messages" else None,
            "said_from": target.said_from,
            "said_to": target.said_to,
        },
    )


def hide_items(*, scope: ErasureScope, actor: str, now: datetime) -> None:
    """Hide the listed messages and everything derived from them. May be repeated. Writes under the user's lock."""
    run_count(_HIDE_MESSAGES, scope, now=now)
    answers = fetch_ids(_CLEAR_ANSWERS, scope)
    withdraw_evidence(scope=scope, actor=actor, now=now)
    # A forget that hid some of them could still be undone: its way back is closed now, not when the worker comes.
    for eraser in (ActionEraser(), ForgetEraser()):
        eraser.erase_batch(scope, limit=settings.UNDE_TUNING.ERASURE_HIDDEN_AT_ONCE)
    for message_ids in _list_items(scope):
        for step in forget_steps:
            step.forget(scope.user, message_ids)
    if answers:
        # Their descriptions are in their index rows too: those are made anew.
        for step in forget_steps:
            step.forget(scope.user, answers)
            step.restore(scope.user, answers)


def withdraw_evidence(*, scope: ErasureScope, actor: str, now: datetime) -> None:
    """Active facts lose the listed messages; those with nothing left are closed. One action in the log, if any."""
    if not _has_resting_facts(scope):
        return
    user = scope.user
    erased = {message_id for chunk in _list_items(scope) for message_id in chunk}
    ledger = load_ledger(user=user, now=now)
    action = ledger.open_action(kind="forget", said_at=now)
    action.detail = {"erasure_id": str(scope.erasure_id)}
    for fact in ledger.list_facts():
        _withdraw(ledger, fact, erased, action)
    save_ledger(ledger, user=user, actor=actor, now=now)


def _withdraw(ledger: FactLedger, fact: Fact, erased: set[UUID], action: PendingAction) -> None:
    left = [message_id for message_id in fact.evidence_message_ids if message_id not in erased]
    is_soft = fact.knowledge_type in EXTRACTED_ONLY_TYPES and fact.extracted_from == "batch"
    if is_soft and len(left) < min(EVIDENCES_OF_AN_EXTRACTED_FACT, len(fact.evidence_message_ids)):
        ledger.deactivate_fact(fact, action=action, at=max(action.said_at, fact.valid_at))
    else:
        ledger.withdraw_evidence(fact, erased, action=action)


def _has_resting_facts(scope: ErasureScope) -> bool:
    erased = ErasureItem.objects.filter(user_id=scope.user.id, erasure_id=scope.erasure_id).values("message_id")
    rows = FactRow.objects.filter(user_id=scope.user.id, is_active=True).values_list("evidence_message_ids", flat=True)
    named = {message_id for evidence in rows for message_id in evidence}
    return bool(named) and erased.filter(message_id__in=named).exists()


def _list_items(scope: ErasureScope) -> Iterator[Sequence[UUID]]:
    last: UUID | None = None
    while True:
        rows = ErasureItem.objects.filter(user_id=scope.user.id, erasure_id=scope.erasure_id).order_by("message_id")
        page = list(
            (rows.filter(message_id__gt=last) if last else rows).values_list("message_id", flat=True)[
                : settings.UNDE_TUNING.ERASURE_HIDDEN_AT_ONCE
            ]
        )
        if page:
            yield page
        if len(page) < settings.UNDE_TUNING.ERASURE_HIDDEN_AT_ONCE:
            return
        last = page[-1]
