"""What was said before a message, as it was when the message came: for the steps that look back."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from uuid import UUID

from memory.types import RecordedMessage

KEPT = 64
"""Messages of a conversation that are kept at hand: those said last."""
KEPT_CONVERSATIONS = 32
"""Conversations whose ends are kept at hand: those that went on last."""

Place = tuple[object, int]


class Memory:
    """RAW as far as the fold has come. Holds the ends of the latest conversations; what lies before is asked for."""

    def __init__(self, list_before: Callable[..., list[RecordedMessage]]) -> None:
        """`list_before(message, hidden=..., limit=...)` reads what had come before a message and was said before it."""
        self._list_before = list_before
        self._ends: OrderedDict[UUID, list[RecordedMessage]] = OrderedDict()
        self._has_more: set[UUID] = set()
        self._replies: dict[UUID, list[UUID]] = defaultdict(list)
        self._replaced: set[UUID] = set()
        self._forgotten: set[UUID] = set()

    def add(self, message: RecordedMessage, *, replaced: Iterable[UUID]) -> None:
        """A message has come, and takes the place of others (D-4)."""
        end = self._ends.setdefault(message.conversation_id, [])
        self._ends.move_to_end(message.conversation_id)
        end.append(message)
        if len(end) > 2 * KEPT:
            end.sort(key=_find_place)
            del end[:KEPT]
            self._has_more.add(message.conversation_id)
        if len(self._ends) > KEPT_CONVERSATIONS:
            self._has_more.add(self._ends.popitem(last=False)[0])
        if message.role == "assistant" and message.reply_to_id:
            self._replies[message.reply_to_id].append(message.id)
        self._replaced.update(replaced)

    def forget(self, message_ids: Iterable[UUID]) -> None:
        """These are hidden from now on."""
        self._forgotten.update(message_ids)

    def restore(self, message_ids: Iterable[UUID]) -> None:
        """These are visible again."""
        self._forgotten.difference_update(message_ids)

    def list_previous(self, message: RecordedMessage, limit: int) -> list[RecordedMessage]:
        """What was said before a place in its conversation, newest first; current versions only."""
        hidden = self._replaced | self._forgotten
        place = _find_place(message)
        end = self._ends.get(message.conversation_id, [])
        before = [each for each in end if _find_place(each) < place and each.id not in hidden]
        if len(before) < limit and message.conversation_id in self._has_more:
            # Said long before what is at hand, or much of that is hidden: the table knows.
            return self._list_before(message, hidden=hidden, limit=limit)
        return sorted(before, key=_find_place, reverse=True)[:limit]

    def list_replaced(self, message: RecordedMessage) -> tuple[UUID, ...]:
        """The messages whose place a message takes: the edited one, and earlier answers to the same message."""
        replaced = [message.replaces_id] if message.replaces_id else []
        if message.role == "assistant" and message.reply_to_id:
            replaced += self._replies[message.reply_to_id]
        return tuple(dict.fromkeys(replaced))


def _find_place(message: RecordedMessage) -> Place:
    return (message.created_at, message.seq)
