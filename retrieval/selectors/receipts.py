"""Receipts, read (SPEC P-4, D-21)."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef

from memory.errors import NotFound
from memory.models import User
from memory.types import UserRef
from retrieval.models import RetrievalReceipt


class ReceiptNotFound(NotFound):
    """No such receipt in this tenant, or it was dropped by age."""

    code = "receipt_not_found"
    default_message = "There is no such receipt."


def list_known_receipts(*, user: UserRef, receipt_ids: Iterable[UUID]) -> set[UUID]:
    """Which of the ids are receipts of this user."""
    rows = RetrievalReceipt.objects.filter(user_id=user.id, id__in=list(receipt_ids))
    return set(rows.values_list("id", flat=True))


def find_receipt(*, receipt_id: UUID, tenant_id: UUID) -> RetrievalReceipt | None:
    """A receipt by its bare id, which begins with its day: one partition is read (D-21). None behind a fence (G-2)."""
    open_users = User.objects.filter(id=OuterRef("user_id"), fenced_at=None)
    return RetrievalReceipt.objects.filter(Exists(open_users), id=receipt_id, tenant_id=tenant_id).first()


def get_receipt(*, receipt_id: UUID, tenant_id: UUID) -> RetrievalReceipt:
    """As `find_receipt`; raises ReceiptNotFound."""
    receipt = find_receipt(receipt_id=receipt_id, tenant_id=tenant_id)
    if receipt is None:
        raise ReceiptNotFound(fields={"receipt_id": "unknown"})
    return receipt


def list_receipts(*, user: UserRef, limit: int) -> list[RetrievalReceipt]:
    """The latest receipts of a user, newest first."""
    return list(RetrievalReceipt.objects.filter(user_id=user.id).order_by("-created_at", "-id")[:limit])


def list_receipts_using(
    *, user: UserRef, message_id: UUID | None = None, fact_id: UUID | None = None, limit: int
) -> list[RetrievalReceipt]:
    """Packs and searches that handed out a message or a fact, newest first: who may have relied on it (SPEC P-4)."""
    rows = RetrievalReceipt.objects.filter(user_id=user.id)
    if message_id is not None:
        rows = rows.extra(
            where=["%s::uuid = ANY(chosen_ids || span_ids || recent_ids || pending_ids)"], params=[str(message_id)]
        )
    if fact_id is not None:
        rows = rows.filter(fact_ids__contains=[fact_id])
    return list(rows.order_by("-created_at", "-id")[:limit])


def count_receipts(*, user: UserRef) -> int:
    """How many receipts a user has, for the erasure certificate."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM retrieval_receipt WHERE user_id = %s", [user.id])
        return int(cursor.fetchone()[0])
