"""What the offline measures read of a user: packs, the messages around them, what packs showed (SPEC Q-3). Reads only.

Receipts hold no question. It is found among the user's messages by conversation, time, and the receipt's keyed hash.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings

from memory.models import FactRow, Message
from memory.selectors.messages import MessagePosition, list_messages, to_recorded
from memory.selectors.pages import read_in_pages
from memory.types import RecordedMessage, UserRef
from retrieval.models import RetrievalReceipt
from retrieval.receipts.reading import is_question_of, list_shown_messages
from retrieval.types import PAUSED

_FIRST = UUID(int=0)


@dataclass(slots=True)
class Evidence:
    """Messages behind facts, whatever became of the facts."""

    of_fact: dict[UUID, frozenset[UUID]] = field(default_factory=dict)

    def list_same(self, message_id: UUID) -> set[UUID]:
        """Other messages in which the user stated the same fact: same type, key and value."""
        found = (group for group in self.of_fact.values() if message_id in group)
        return set().union(*found) - {message_id}


def read_evidence(user: UserRef) -> Evidence:
    """By fact, the messages that it rests on. In a tenant scope; nothing is opened."""
    rows = FactRow.objects.filter(user_id=user.id).values_list("id", "evidence_message_ids")
    return Evidence({fact_id: frozenset(ids) for fact_id, ids in rows})


def list_packs(user: UserRef, *, since: datetime, until: datetime, limit: int | None = None) -> list[RetrievalReceipt]:
    """Receipts of packs for the present, newest first; a paused memory owes nothing. In a tenant scope."""
    rows = RetrievalReceipt.objects.filter(user_id=user.id, kind="context", as_of=None)
    rows = rows.filter(created_at__gte=since, created_at__lte=until).exclude(degraded_reasons__contains=[PAUSED])
    rows = rows.order_by("-created_at", "-id")
    return list(rows[:limit] if limit else rows)


def list_said(user: UserRef, *, since: datetime, until: datetime) -> list[RecordedMessage]:
    """What the user said between two moments, oldest first, forgotten messages left out. In a tenant scope."""
    rows = Message.objects.filter(user_id=user.id, role="user", forgotten_at=None)
    rows = rows.filter(created_at__gte=since, created_at__lte=until)
    return [to_recorded(row) for row in rows.order_by("created_at", "seq", "id")]


def read_history(user: UserRef, *, since: datetime | None, until: datetime) -> Iterator[RecordedMessage]:
    """Every message of the user themselves up to a moment, a page at a time. Opens its own scopes."""
    start = None if since is None else MessagePosition(since, 0, _FIRST)

    def read(last: RecordedMessage | None, limit: int) -> list[RecordedMessage]:
        after = MessagePosition(last.created_at, last.seq, last.id) if last else start
        return list_messages(user=user, after=after, limit=limit)

    for message in read_in_pages(user, read):
        if message.created_at > until:
            return
        if message.role == "user":
            yield message


def find_asked(receipt: RetrievalReceipt, said: Sequence[RecordedMessage], *, user: UserRef) -> RecordedMessage | None:
    """The message that a pack was to answer: the one with the receipt's hash, else the last before the pack.

    None where the user said nothing in that conversation around then: such a pack is not judged.
    """
    within: timedelta = settings.UNDE_TUNING.EXCHANGE_QUESTION_WITHIN
    near = [one for one in said if abs(one.created_at - receipt.created_at) <= within]
    if receipt.conversation_id is not None:
        near = [one for one in near if one.conversation_id == receipt.conversation_id]
    same = [one for one in near if is_question_of(receipt, one.content, user=user)]
    before = [one for one in near if one.created_at <= receipt.created_at]
    found = same or before
    return found[-1] if found else None


def list_shown(receipt: RetrievalReceipt, evidence: Evidence) -> set[UUID]:
    """The messages that a pack showed: as they are, in part, or as a fact that rests on them."""
    behind = (evidence.of_fact.get(fact_id, frozenset()) for fact_id in receipt.fact_ids)
    return list_shown_messages(receipt).union(*behind)


def group_by_conversation(said: Sequence[RecordedMessage]) -> dict[UUID, list[RecordedMessage]]:
    """Messages by conversation, in their order."""
    found: dict[UUID, list[RecordedMessage]] = defaultdict(list)
    for message in said:
        found[message.conversation_id].append(message)
    return found
