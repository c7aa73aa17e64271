"""What was said before a message, as it was when the message came: for the steps that look back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from memory.types import RecordedMessage


class Memory:
    """RAW as far as the fold has come."""

    def __init__(self) -> None:
        self._said: dict[UUID, list[RecordedMessage]] = defaultdict(list)
        self._replaced: set[UUID] = set()
        self._forgotten: set[UUID] = set()

    def add(self, message: RecordedMessage, *, replaced: Iterable[UUID]) -> None:
        """A message has come, and takes the place of others (D-4)."""
        self._said[message.conversation_id].append(message)
        self._replaced.update(replaced)

    def forget(self, message_ids: Iterable[UUID]) -> None:
        """These are hidden from now on."""
        self._forgotten.update(message_ids)

    def restore(self, message_ids: Iterable[UUID]) -> None:
        """These are visible again."""
        self._forgotten.difference_update(message_ids)

    def list_previous(self, message: RecordedMessage, limit: int) -> list[RecordedMessage]:
        """What was said before a message in its conversation, newest first; current versions only."""
        hidden = self._replaced | self._forgotten
        place = (message.created_at, message.seq)
        before = [
            each
            for each in self._said[message.conversation_id]
            if (each.created_at, each.seq) < place and each.id not in hidden
        ]
        return sorted(before, key=lambda each: (each.created_at, each.seq), reverse=True)[:limit]

    def list_replaced(self, message: RecordedMessage) -> tuple[UUID, ...]:
        """The messages whose place a message takes: the edited one, and earlier answers to the same message."""
        replaced = [message.replaces_id] if message.replaces_id else []
        if message.role == "assistant" and message.reply_to_id:
            replaced += [
                each.id
                for each in self._said[message.conversation_id]
                if each.role == "assistant" and each.reply_to_id == message.reply_to_id
            ]
        return tuple(dict.fromkeys(replaced))
