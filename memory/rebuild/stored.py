"""RAW of one user as a fold reads it: message by message, so that memory does not grow with what was said."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from uuid import UUID

from django.conf import settings

from memory.models import Message
from memory.selectors.messages import to_recorded
from memory.types import RecordedMessage, UserRef


class StoredMessages:
    """All messages of a user in the order of arrival, forgotten ones included: they taught until they were forgotten.

    Read anew each time it is gone through. Inside a tenant scope and under the user's lock.
    """

    def __init__(self, user: UserRef) -> None:
        self._rows = Message.objects.filter(user_id=user.id)

    def __iter__(self) -> Iterator[RecordedMessage]:
        for row in self._rows.order_by("id").iterator(chunk_size=settings.UNDE_TUNING.REBUILD_MESSAGES_AT_ONCE):
            yield to_recorded(row)

    def __len__(self) -> int:
        return self._rows.count()

    def find_arrivals(self, message_ids: Iterable[UUID]) -> dict[UUID, datetime]:
        """When these came; those that are not there are left out."""
        return dict(self._rows.filter(id__in=list(message_ids)).values_list("id", "received_at"))

    def list_before(self, message: RecordedMessage, *, hidden: Collection[UUID], limit: int) -> list[RecordedMessage]:
        """What had come before a message and was said before it in its conversation, newest first."""
        rows = self._rows.filter(conversation_id=message.conversation_id, id__lt=message.id).extra(
            where=["(created_at, seq) < (%s, %s)"], params=[message.created_at, message.seq]
        )
        found: list[RecordedMessage] = []
        for row in rows.order_by("-created_at", "-seq").iterator(
            chunk_size=settings.UNDE_TUNING.REBUILD_MESSAGES_AT_ONCE
        ):
            if row.id not in hidden:
                found.append(to_recorded(row))
            if len(found) == limit:
                break
        return found
