"""`user_repeated_info` of a user: messages that say again what packs did not bring (SPEC Q-3, KSP).

A repeat counts when the same was said up to 90 days ago, at another time, when nobody asked for it or was corrected by
it, and when the last two packs to which it was relevant lacked it. docs/quality.md has the definition.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from django.conf import settings

from corrections.models import CorrectionLog
from corrections.quality.offline.histories import (
    Evidence,
    find_asked,
    list_packs,
    list_said,
    list_shown,
    read_evidence,
    read_history,
)
from corrections.quality.offline.retelling import Retellings, asks_something, read_sentences, read_told
from corrections.quality.offline.types import Counts
from memory.selectors.messages import list_previous_messages
from memory.tenants.scope import tenant_scope
from memory.types import RecordedMessage, UserRef
from retrieval.models import RetrievalReceipt
from retrieval.receipts.reading import is_question_of
from retrieval.search.questions import detect_language


@dataclass(frozen=True, slots=True)
class Repeat:
    """A message and when and where its user had said the same before."""

    message: RecordedMessage
    older_ids: frozenset[UUID]
    since: datetime
    """When it was last said before."""


def count_repeats(*, user: UserRef, since: datetime, until: datetime) -> Counts:
    """The user's messages between two moments by language, and how many of them had to be said again.

    Reads only; opens its own scopes.
    """
    counts = Counts()
    with tenant_scope(user.tenant_id):
        said = list_said(user, since=since, until=until)
        evidence = read_evidence(user) if said else Evidence()
    repeats = {one.message.id: one for one in find_repeats(user, said, evidence, until=until)}
    for message in said:
        repeat = repeats.get(message.id)
        counts.add(detect_language(message.content), repeat is not None and _is_owed(repeat, evidence, user))
    return counts


def _is_owed(repeat: Repeat, evidence: Evidence, user: UserRef) -> bool:
    """Whether memory should have spared the user this repeat."""
    with tenant_scope(user.tenant_id):
        return _is_unprompted(repeat.message, user) and _was_lacking(repeat, evidence, user)


def find_repeats(
    user: UserRef, said: list[RecordedMessage], evidence: Evidence, *, until: datetime
) -> Iterator[Repeat]:
    """The messages that say what an older one says, by their words or as the same fact."""
    if not said:
        return
    tuning = settings.UNDE_TUNING
    retellings, times = Retellings({one.id: read_told(one.content) for one in said}), {}
    for older in read_history(user, since=said[0].created_at - tuning.REPEAT_WITHIN, until=until):
        retellings.add(older.id, read_sentences(older.content))
        times[older.id] = older.created_at
    same = defaultdict(set, retellings.find())
    for message in said:
        low, high = message.created_at - tuning.REPEAT_WITHIN, message.created_at - tuning.REPEAT_APART
        others = same[message.id] | evidence.list_same(message.id)
        older_ids = frozenset(other for other in others if other in times and low <= times[other] <= high)
        if older_ids:
            yield Repeat(message, older_ids, max(times[one] for one in older_ids))


def _is_unprompted(message: RecordedMessage, user: UserRef) -> bool:
    """Neither the answer to a question of the assistant nor a correction of what it said. In a tenant scope."""
    if CorrectionLog.objects.filter(user_id=user.id, trigger_message_id=message.id).exists():
        return False
    before = list_previous_messages(
        user=user,
        conversation_id=message.conversation_id,
        before=message.created_at,
        before_seq=message.seq,
        limit=1,
    )
    return not (before and before[0].role == "assistant" and asks_something(before[0].content))


def _was_lacking(repeat: Repeat, evidence: Evidence, user: UserRef) -> bool:
    """Whether the last packs to which it was relevant all lacked it. Fewer of them than two say nothing."""
    wanted = settings.UNDE_TUNING.REPEAT_PACKS
    last = list(islice(_list_relevant(repeat, user), wanted))
    return len(last) == wanted and not any(list_shown(one, evidence) & repeat.older_ids for one in last)


def _list_relevant(repeat: Repeat, user: UserRef) -> Iterator[RetrievalReceipt]:
    """Packs between both sayings, newest first: of the same sitting, or asked for with a word of what was said."""
    tuning, message = settings.UNDE_TUNING, repeat.message
    packs = list_packs(user, since=repeat.since, until=message.created_at, limit=tuning.REPEAT_PACKS_LOOKED_AT)
    told = frozenset().union(*read_sentences(message.content))
    seen: set[UUID] = set()
    for receipt in packs:
        within = tuning.EXCHANGE_QUESTION_WITHIN
        said = list_said(user, since=receipt.created_at - within, until=receipt.created_at + within)
        asked = find_asked(receipt, said, user=user)
        if asked is None or asked.id in seen or is_question_of(receipt, message.content, user=user):
            continue
        seen.add(asked.id)
        is_here = receipt.conversation_id == message.conversation_id
        is_same_sitting = is_here and receipt.created_at >= message.created_at - tuning.EXCHANGE_ANSWER_WITHIN
        if is_same_sitting or told & frozenset().union(*read_sentences(asked.content)):
            yield receipt
