"""Taking in what became of a pack: which of its parts were used, confirmed, corrected or left unused (SPEC C-4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.errors import InvalidRequest
from memory.ids import new_id
from memory.types import UserRef
from retrieval.models import Feedback, RetrievalReceipt
from retrieval.reasons import CHOSEN
from retrieval.receipts.reading import find_receipt

SIGNALS = ("used", "unused", "confirmed", "corrected")


@dataclass(frozen=True, slots=True)
class Signal:
    """One item of a feedback call: about a message or about a fact."""

    signal: str
    message_id: UUID | None = None
    fact_id: UUID | None = None


def record_feedback(
    *,
    receipt: RetrievalReceipt,
    signals: Sequence[Signal],
    assistant_message_id: UUID | None,
    now: datetime,
) -> int:
    """Store signals about what the receipt's pack carried; one that is there already counts once. Writes.

    Raises InvalidRequest naming the item that the pack did not carry. Reading never changes ranking: the signals are
    used by the nightly job alone (D-22).
    """
    problems = {
        f"items[{place}]": problem
        for place, signal in enumerate(signals)
        if (problem := _find_problem(receipt, signal)) is not None
    }
    if problems:
        raise InvalidRequest(fields=problems)
    rows = [
        Feedback(
            id=new_id(),
            tenant_id=receipt.tenant_id,
            user_id=receipt.user_id,
            receipt_id=receipt.id,
            assistant_message_id=assistant_message_id,
            message_id=signal.message_id,
            fact_id=signal.fact_id,
            signal=signal.signal,
            created_at=now,
        )
        for signal in signals
    ]
    return len(Feedback.objects.bulk_create(rows, ignore_conflicts=True))


def confirm_pack(
    *, user: UserRef, receipt_id: UUID, assistant_message_id: UUID, fact_ids: Sequence[UUID], now: datetime
) -> int:
    """The user called a reply just right: its cards and these facts of its pack are confirmed (SPEC C-4). Writes.

    Cards that the reply is known not to have used are left out. Nothing happens where the receipt is gone by age.
    Returns how many signals were stored.
    """
    receipt = find_receipt(receipt_id=receipt_id, tenant_id=user.tenant_id)
    if receipt is None or receipt.user_id != user.id:
        return 0
    signals = Feedback.objects.filter(user_id=user.id, receipt_id=receipt.id, signal="unused")
    unused = set(signals.values_list("message_id", flat=True))
    chosen = zip(receipt.chosen_ids, receipt.decision_reasons, strict=True)
    cards = [message_id for message_id, reason in chosen if reason == CHOSEN and message_id not in unused]
    return record_feedback(
        receipt=receipt,
        signals=[
            *(Signal("confirmed", message_id=message_id) for message_id in cards),
            *(Signal("confirmed", fact_id=fact_id) for fact_id in fact_ids if fact_id in receipt.fact_ids),
        ],
        assistant_message_id=assistant_message_id,
        now=now,
    )


def _find_problem(receipt: RetrievalReceipt, signal: Signal) -> str | None:
    if (signal.message_id is None) == (signal.fact_id is None):
        return "needs one of message_id and fact_id"
    if signal.fact_id is not None:
        return None if signal.fact_id in receipt.fact_ids else "this pack did not carry that fact"
    carried = {*receipt.chosen_ids, *receipt.span_ids, *receipt.recent_ids, *receipt.pending_ids, *receipt.line_ids}
    return None if signal.message_id in carried else "this pack did not carry that message"
