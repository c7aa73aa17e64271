"""Receipts, read (SPEC P-4, D-21)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef

from memory.database.statements import fetch_rows
from memory.errors import CodedError, FactsUnavailable, NotFound
from memory.models import FactRow, User
from memory.types import UserRef
from retrieval.models import RetrievalReceipt
from retrieval.reasons import CHOSEN
from retrieval.receipts.writing import hash_question


class ReceiptNotFound(NotFound):
    """No such receipt in this tenant, or it was dropped by age."""

    code = "receipt_not_found"
    default_message = "This receipt does not exist."


class ReceiptPruned(CodedError):
    """The receipt is older than receipts are kept (D-21)."""

    code = "receipt_pruned"
    status = 410
    default_message = f"Receipts are kept for {settings.UNDE_TUNING.RECEIPT_DAYS_KEPT} days; this one has been pruned."


def list_known_receipts(*, user: UserRef, receipt_ids: Iterable[UUID]) -> set[UUID]:
    """Which of the ids are receipts of this user."""
    rows = RetrievalReceipt.objects.filter(user_id=user.id, id__in=list(receipt_ids))
    return set(rows.values_list("id", flat=True))


def find_receipt(*, receipt_id: UUID, tenant_id: UUID) -> RetrievalReceipt | None:
    """A receipt by its bare id, which begins with its day: one partition is read (D-21). None behind a fence (G-2)."""
    open_users = User.objects.filter(id=OuterRef("user_id"), fenced_at=None)
    return RetrievalReceipt.objects.filter(Exists(open_users), id=receipt_id, tenant_id=tenant_id).first()


def get_receipt(*, receipt_id: UUID, tenant_id: UUID, now: datetime | None = None) -> RetrievalReceipt:
    """As `find_receipt`; raises ReceiptPruned for an id of a day that is no longer kept, else ReceiptNotFound."""
    receipt = find_receipt(receipt_id=receipt_id, tenant_id=tenant_id)
    if receipt is None:
        if is_pruned(receipt_id, now=now or datetime.now(UTC)):
            raise ReceiptPruned(fields={"receipt_id": "pruned"})
        raise ReceiptNotFound(fields={"receipt_id": "unknown"})
    return receipt


def is_pruned(receipt_id: UUID, *, now: datetime) -> bool:
    """Whether an id that begins with its time (UUIDv7) is of a day whose receipts have been dropped."""
    if receipt_id.version != 7:
        return False
    made_at = datetime.fromtimestamp((receipt_id.int >> 80) / 1000, tz=UTC)
    return made_at.date() < (now.astimezone(UTC) - timedelta(days=settings.UNDE_TUNING.RECEIPT_DAYS_KEPT)).date()


def list_receipts(*, user: UserRef, limit: int) -> list[RetrievalReceipt]:
    """The latest receipts of a user, newest first."""
    return list(RetrievalReceipt.objects.filter(user_id=user.id).order_by("-created_at", "-id")[:limit])


def list_receipts_using(
    *,
    user: UserRef,
    message_id: UUID | None = None,
    fact_id: UUID | None = None,
    before: tuple[datetime, UUID] | None = None,
    limit: int,
) -> list[RetrievalReceipt]:
    """Packs and searches that handed out a message or a fact, newest first: who may have relied on it (SPEC P-4).

    A candidate that was ranked and left out was not handed out.
    """
    rows = RetrievalReceipt.objects.filter(user_id=user.id)
    if before is not None:
        rows = rows.extra(where=["(created_at, id) < (%s, %s)"], params=list(before))
    if message_id is not None:
        rows = rows.extra(
            where=[
                "(%s::uuid = ANY(span_ids || recent_ids || pending_ids || excerpt_ids || line_ids"
                " || CASE WHEN entity_positions[1] IS NULL THEN '{}' ELSE entity_message_ids END) OR EXISTS ("
                "SELECT FROM unnest(chosen_ids, decision_reasons) AS c (id, reason) WHERE id = %s::uuid"
                " AND reason = 'chosen'))"
            ],
            params=[str(message_id), str(message_id)],
        )
    if fact_id is not None:
        rows = rows.filter(fact_ids__contains=[fact_id])
    return list(rows.order_by("-created_at", "-id")[:limit])


def list_shown_messages(receipt: RetrievalReceipt) -> set[UUID]:
    """The messages that a search or a pack handed out, whole or in part. A candidate that was left out is not there."""
    chosen = zip(receipt.chosen_ids, receipt.decision_reasons, strict=True)
    parts = (receipt.span_ids, receipt.recent_ids, receipt.pending_ids, receipt.excerpt_ids, receipt.line_ids)
    return {message_id for message_id, reason in chosen if reason == CHOSEN}.union(*parts)


def is_question_of(receipt: RetrievalReceipt, text: str, *, user: UserRef) -> bool:
    """Whether a text is what the receipt was asked with. False too where no hash was kept, or no key is to be had."""
    return receipt.query_hash is not None and hash_question(text, user=user) == bytes(receipt.query_hash)


def list_left_out_facts(receipt: RetrievalReceipt) -> list[tuple[UUID, str]]:
    """Facts that were stored when a pack was made and are not in it, oldest first, each with the reason as a code.

    Read off the facts as they are now: one that was brought back since counts as closed then. No search has any.
    """
    if receipt.kind != "context":
        return []
    moment = receipt.as_of or receipt.created_at
    rows = FactRow.objects.filter(user_id=receipt.user_id, created_at__lte=receipt.created_at, valid_at__lte=moment)
    left_out = rows.exclude(id__in=receipt.fact_ids).order_by("created_at", "id")[
        : settings.UNDE_TUNING.RECEIPT_LEFT_OUT
    ]
    has_none = FactsUnavailable.code in receipt.degraded_reasons
    return [(row.id, explain_left_out(row, at=moment, has_none=has_none)) for row in left_out]


def explain_left_out(row: FactRow, *, at: datetime, has_none: bool) -> str:
    """Why a stored fact was not in a pack. `has_none`: no fact could be read then."""
    is_over = row.expires_at is not None and row.expires_at <= at
    if has_none and not is_over and (row.invalid_at is None or row.invalid_at > at):
        return FactsUnavailable.code
    if row.superseded_by is not None:
        return "superseded"
    return "expired" if is_over else "closed"


@dataclass(frozen=True, slots=True)
class Uses:
    """In how many replies something was used, of those whose receipts are kept, and when the last was."""

    replies: int = 0
    last_at: datetime | None = None


def count_fact_uses(*, user: UserRef, fact_ids: Iterable[UUID]) -> dict[UUID, Uses]:
    """Where facts were used, by id; facts that were in no reply are not there. One statement."""
    wanted = list(fact_ids)
    if not wanted:
        return {}
    rows = fetch_rows(
        "SELECT f.id, count(*), max(r.created_at) FROM retrieval_receipt r"
        " CROSS JOIN LATERAL unnest(r.fact_ids) AS f (id)"
        " WHERE r.user_id = %s AND r.kind = 'context' AND f.id = ANY(%s) GROUP BY f.id",
        [user.id, wanted],
    )
    return {row[0]: Uses(row[1], row[2]) for row in rows}
