"""The input of a run: the user's new messages, some earlier ones, and the current facts. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings

from memory.database.statements import fetch_rows
from memory.extraction.judging.independence import number_sessions
from memory.extraction.model.prompt import MAX_MESSAGES, choose_messages
from memory.selectors.messages import list_messages_by_id, list_previous_messages
from memory.types import RecordedMessage, UserRef

READABLE_ROLES: Final = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Portion:
    """What one run takes. `read_up_to`: the last place it takes in each conversation, also of what it does not show."""

    messages: tuple[RecordedMessage, ...]
    read_up_to: Mapping[UUID, int]
    has_user_words: bool


# Index: a_place_in_a_conversation_is_taken_once, for each conversation with something pending.
_PENDING = """
SELECT m.id, m.conversation_id, m.seq,
       m.forgotten_at IS NULL AND NOT EXISTS (
         SELECT FROM memory_message newer WHERE newer.user_id = m.user_id AND newer.replaces_id = m.id)
  FROM memory_conversation c
  JOIN memory_message m ON m.user_id = c.user_id AND m.conversation_id = c.id AND m.seq > c.extracted_seq
 WHERE c.user_id = %s AND c.pending_since IS NOT NULL
 ORDER BY c.pending_since, c.id, m.seq LIMIT %s
"""


def choose_portion(*, user: UserRef) -> Portion:
    """The user's next unread messages, conversation by conversation in the order of their places."""
    rows = fetch_rows(_PENDING, [user.id, 2 * MAX_MESSAGES])
    found = list_messages_by_id(user=user, message_ids=[row[0] for row in rows if row[3]])
    readable = [found[row[0]] for row in rows if row[0] in found and found[row[0]].role in READABLE_ROLES]
    chosen = choose_messages(readable)
    left = {message.id for message in readable[len(chosen) :]}
    read_up_to: dict[UUID, int] = {}
    for message_id, conversation_id, seq, _ in rows:
        if message_id in left:
            break
        read_up_to[conversation_id] = seq
    context = _list_context(user, chosen)
    shown = sorted([*context, *chosen], key=lambda m: (m.created_at, m.seq))
    return Portion(tuple(shown), read_up_to, any(message.role == "user" for message in chosen))


def _list_context(user: UserRef, chosen: Sequence[RecordedMessage]) -> list[RecordedMessage]:
    first: dict[UUID, RecordedMessage] = {}
    for message in chosen:
        first.setdefault(message.conversation_id, message)
    known = {message.id for message in chosen}
    before = [
        message
        for opening in first.values()
        for message in list_previous_messages(
            user=user,
            conversation_id=opening.conversation_id,
            before=opening.created_at,
            before_seq=opening.seq,
            limit=settings.UNDE_TUNING.EXTRACTION_CONTEXT_MESSAGES,
        )
    ]
    return [message for message in before if message.id not in known and message.role in READABLE_ROLES]


# Index: messages_as_said.
_TIMES = """
SELECT id, created_at FROM memory_message
 WHERE user_id = %s AND conversation_id = %s AND created_at BETWEEN %s AND %s AND forgotten_at IS NULL
 ORDER BY created_at, seq LIMIT 5000
"""


def number_user_sessions(*, user: UserRef, messages: Iterable[RecordedMessage], gap: timedelta) -> dict[UUID, int]:
    """The session of each message within its conversation, over at most the last day before the newest of them.

    What is older than that lies on another day, which makes it independent anyway.
    """
    by_conversation: dict[UUID, list[RecordedMessage]] = {}
    for message in messages:
        by_conversation.setdefault(message.conversation_id, []).append(message)
    sessions: dict[UUID, int] = {}
    for conversation_id, own in by_conversation.items():
        last = max(message.created_at for message in own)
        first = max(min(message.created_at for message in own), last - timedelta(days=1))
        sessions.update(number_sessions(fetch_rows(_TIMES, [user.id, conversation_id, first, last]), gap=gap))
    return sessions
