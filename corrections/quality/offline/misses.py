"""`retrieval_miss_rate` of a user: exchanges whose pack left out what the user then had to say (SPEC Q-3, KSP).

The words of the question cannot judge the search that was made with them. What the user says next can: it is the
answer that memory owed. docs/quality.md has the definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings

from corrections.quality.offline.histories import (
    find_asked,
    group_by_conversation,
    list_packs,
    list_said,
    list_shown,
    read_evidence,
    read_history,
)
from corrections.quality.offline.retelling import Retellings, read_sentences, read_told
from corrections.quality.offline.types import Counts
from memory.selectors.messages import list_messages_by_id
from memory.tenants.scope import tenant_scope
from memory.types import RecordedMessage, UserRef
from patterns.text.excerpts import make_excerpt
from retrieval.models import RetrievalReceipt
from retrieval.pack.token_counters import ESTIMATE
from retrieval.search.questions import detect_language


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question with its last pack, and what the user said next in that conversation."""

    asked: RecordedMessage
    receipt: RetrievalReceipt
    after: Sequence[RecordedMessage]
    shown: frozenset[UUID]


def count_misses(*, user: UserRef, since: datetime, until: datetime) -> Counts:
    """The user's exchanges between two moments by language of the question, and how many of them missed something.

    Reads only; opens its own scopes. A pack whose question is not stored is no exchange.
    """
    counts = Counts()
    with tenant_scope(user.tenant_id):
        exchanges = list_exchanges(user, since=since, until=until)
    told = {one.id: read_told(one.content) for exchange in exchanges for one in exchange.after}
    again = _compare(user, told, until=until)
    for exchange in exchanges:
        wanted = {older for later in exchange.after for older in again.get(later.id, ())} - exchange.shown
        with tenant_scope(user.tenant_id):
            older = list_messages_by_id(user=user, message_ids=wanted) if wanted else {}
        counts.add(detect_language(exchange.asked.content), any(_is_missed(one, exchange) for one in older.values()))
    return counts


def list_exchanges(user: UserRef, *, since: datetime, until: datetime) -> list[Exchange]:
    """Each question once, with the last pack that was made for it. In a tenant scope."""
    packs = list_packs(user, since=since, until=until)
    if not packs:
        return []
    tuning = settings.UNDE_TUNING
    said = list_said(user, since=since - tuning.EXCHANGE_QUESTION_WITHIN, until=until)
    by_conversation, evidence = group_by_conversation(said), read_evidence(user)
    found: dict[UUID, Exchange] = {}
    for receipt in packs:
        asked = find_asked(receipt, said, user=user)
        if asked is not None and asked.id not in found:
            after = [
                one
                for one in by_conversation[asked.conversation_id]
                if (asked.created_at, asked.seq) < (one.created_at, one.seq)
                and one.created_at <= asked.created_at + tuning.EXCHANGE_ANSWER_WITHIN
            ][: tuning.EXCHANGE_MESSAGES]
            found[asked.id] = Exchange(asked, receipt, after, frozenset(list_shown(receipt, evidence)))
    return list(found.values())


def _compare(user: UserRef, told: Mapping[UUID, Sequence[frozenset[str]]], *, until: datetime) -> dict[UUID, set[UUID]]:
    """What was told again, by message. The history is read only where something was told."""
    if not any(told.values()):
        return {}
    retellings = Retellings(told)
    for message in read_history(user, since=None, until=until):
        retellings.add(message.id, read_sentences(message.content))
    return retellings.find()


def _is_missed(older: RecordedMessage, exchange: Exchange) -> bool:
    """An older message that was told again afterwards, bears on the question, and would have fitted."""
    if older.created_at >= exchange.asked.created_at or older.role != "user":
        return False
    wanted = frozenset().union(*read_sentences(exchange.asked.content))
    bears = any(wanted & words for words in read_sentences(older.content))
    return bears and _fits(older, exchange.receipt)


def _fits(older: RecordedMessage, receipt: RetrievalReceipt) -> bool:
    """Whether the pack's room for memories held the message at all: it would have come before a lesser one."""
    slot = receipt.budget.get("personal", {})
    room = slot.get("allotted")
    excerpt = make_excerpt(older.content, memory_type=older.memory_type)
    return room is None or ESTIMATE.count(excerpt) <= room
