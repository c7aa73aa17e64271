"""Replies that name their pack, and what was found out about them (SPEC P-6)."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from memory.models import Message
from memory.selectors.messages import to_recorded
from memory.types import RecordedMessage, UserRef
from retrieval.models import AnswerFinding, Feedback, RetrievalReceipt


def list_replies(message_ids: Sequence[UUID]) -> list[tuple[UserRef, RecordedMessage, RetrievalReceipt]]:
    """The assistant messages among the given that name a receipt which is still there, with it and their user.

    Inside the tenant's scope. A receipt is a user's own: checked when the message came (D-23), and here again.
    """
    rows = Message.objects.filter(
        id__in=list(message_ids), role="assistant", forgotten_at=None, receipt_id__isnull=False
    )
    replies = [to_recorded(row) for row in rows]
    receipts = {
        (receipt.user_id, receipt.id): receipt
        for receipt in RetrievalReceipt.objects.filter(
            user_id__in={reply.user_id for reply in replies}, id__in={reply.receipt_id for reply in replies}
        )
    }
    return [
        (UserRef(id=reply.user_id, tenant_id=reply.tenant_id), reply, receipts[(reply.user_id, reply.receipt_id)])
        for reply in replies
        if reply.receipt_id and (reply.user_id, reply.receipt_id) in receipts
    ]


def list_findings(*, user: UserRef, receipt_id: UUID) -> list[AnswerFinding]:
    """What replies made from a pack gave away, oldest first."""
    return list(AnswerFinding.objects.filter(user_id=user.id, receipt_id=receipt_id).order_by("created_at", "id"))


def list_signals(*, user: UserRef, receipt_id: UUID) -> list[Feedback]:
    """What became of the parts of a pack, what people said before what was computed."""
    rows = Feedback.objects.filter(user_id=user.id, receipt_id=receipt_id)
    return list(rows.order_by("is_computed", "created_at", "id"))
