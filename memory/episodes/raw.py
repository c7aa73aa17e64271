"""RAW as cutting reads it: stretches of a conversation, and the marks that actions left on it. In a tenant scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from memory.database.statements import fetch_row, fetch_rows
from memory.episodes.types import SaidMessage
from memory.models import Action
from memory.selectors.messages import IS_CURRENT, list_messages_by_id
from memory.types import UserRef

PAGE = 200

# Messages that replaced others are looked up by key, two ways: with OR every message would be held against all others.
# Indexes: primary key, a_place_in_a_conversation_is_taken_once, replies_to_a_message.
_NEW = """
SELECT min(least(m.created_at, replaced.since)), max(greatest(m.created_at, replaced.until))
  FROM memory_message m
  LEFT JOIN LATERAL (
    SELECT min(each.created_at) AS since, max(each.created_at) AS until FROM (
      SELECT o.created_at FROM memory_message o
       WHERE o.user_id = m.user_id AND o.id = m.replaces_id AND o.conversation_id = m.conversation_id
      UNION ALL
      SELECT o.created_at FROM memory_message o
       WHERE o.user_id = m.user_id AND o.reply_to_id = m.reply_to_id AND o.conversation_id = m.conversation_id
         AND m.role = 'assistant' AND o.role = 'assistant') each
  ) replaced ON m.replaces_id IS NOT NULL OR m.reply_to_id IS NOT NULL
 WHERE m.user_id = %s AND m.conversation_id = %s AND m.seq > %s
"""
_STRETCHES = """
SELECT conversation_id, created_at FROM memory_message WHERE user_id = %s AND id = ANY(%s)
 ORDER BY conversation_id, created_at
"""
# Forgotten and replaced messages count too: whatever was visible once, no session reached further than these do.
_BEFORE = """
SELECT created_at FROM memory_message WHERE user_id = %s AND conversation_id = %s AND created_at < %s
 ORDER BY created_at DESC LIMIT %s
"""
_AFTER = """
SELECT created_at FROM memory_message WHERE user_id = %s AND conversation_id = %s AND created_at > %s
 ORDER BY created_at LIMIT %s
"""
_SAID = f"""
SELECT m.id, m.role, m.content, m.created_at, m.seq FROM memory_message m
 WHERE m.user_id = %s AND m.conversation_id = %s AND m.created_at BETWEEN %s AND %s AND m.forgotten_at IS NULL
   AND {IS_CURRENT}
 ORDER BY m.created_at, m.seq
"""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a conversation by time, both ends included."""

    first: datetime
    last: datetime


def find_new_stretch(*, user: UserRef, conversation_id: UUID, after_seq: int) -> Stretch | None:
    """Where messages came in after a place, and where those stand whose place they take; None where none came."""
    first, last = fetch_row(_NEW, [user.id, conversation_id, after_seq])
    return Stretch(first, last) if first else None


def list_stretches(*, user: UserRef, message_ids: Sequence[UUID], gap: timedelta) -> list[tuple[UUID, Stretch]]:
    """The sessions in which messages stand, by conversation, hidden messages included."""
    rows = fetch_rows(_STRETCHES, [user.id, list(message_ids)])
    found: list[tuple[UUID, Stretch]] = []
    for conversation_id, at in rows:
        if found and found[-1][0] == conversation_id and at <= found[-1][1].last:
            continue
        found.append((conversation_id, widen(Stretch(at, at), user=user, conversation_id=conversation_id, gap=gap)))
    return found


def widen(stretch: Stretch, *, user: UserRef, conversation_id: UUID, gap: timedelta) -> Stretch:
    """The stretch with all of the sessions at its ends."""
    first = _go_on(_BEFORE, stretch.first, user, conversation_id, gap)
    last = _go_on(_AFTER, stretch.last, user, conversation_id, gap)
    return Stretch(first, last)


def _go_on(statement: str, at: datetime, user: UserRef, conversation_id: UUID, gap: timedelta) -> datetime:
    while True:
        moments = [row[0] for row in fetch_rows(statement, [user.id, conversation_id, at, PAGE])]
        for moment in moments:
            if abs(at - moment) > gap:
                return at
            at = moment
        if len(moments) < PAGE:
            return at


def list_said(*, user: UserRef, conversation_id: UUID, stretch: Stretch) -> list[SaidMessage]:
    """The visible messages of a stretch in the order in which they were said, current versions only (D-4)."""
    return [SaidMessage(*row) for row in fetch_rows(_SAID, [user.id, conversation_id, stretch.first, stretch.last])]


def list_said_by_id(*, user: UserRef, message_ids: Sequence[UUID]) -> list[SaidMessage]:
    """Messages by id, forgotten ones left out, in the order of the ids."""
    found = list_messages_by_id(user=user, message_ids=message_ids)
    return [
        SaidMessage(each.id, each.role, each.content, each.created_at, each.seq)
        for each in (found[message_id] for message_id in message_ids if message_id in found)
    ]


def list_closes(*, user: UserRef, conversation_id: UUID) -> list[datetime]:
    """When somebody closed the running session of a conversation, oldest first."""
    rows = Action.objects.filter(user_id=user.id, kind="close", detail__conversation_ids__contains=str(conversation_id))
    return list(rows.order_by("position").values_list("said_at", flat=True))


def read_marks(*, user: UserRef) -> dict[UUID, bool]:
    """Of messages that somebody asked to keep, or to keep no longer, what was asked last."""
    marks: dict[UUID, bool] = {}
    for detail in Action.objects.filter(user_id=user.id, kind="anchor").order_by("position").values_list("detail"):
        marks.update((UUID(message_id), detail[0]["is_anchor"]) for message_id in detail[0]["message_ids"])
    return marks
