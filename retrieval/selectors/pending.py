"""Messages that extraction has not read yet (SPEC X-5)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.selectors.messages import list_messages_by_id
from memory.types import RecordedMessage, UserRef

MIN_PENDING = 10
PENDING_MESSAGES = 5


def list_pending_messages(
    *, user: UserRef, conversation_id: UUID, as_of: datetime | None = None
) -> list[RecordedMessage]:
    """With more than 10 messages pending in a conversation, its last 5 pending user messages, oldest first.

    Else none.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT i.message_id FROM memory_conversation c"
            " CROSS JOIN LATERAL (SELECT i.message_id, i.seq FROM message_index i"
            "   WHERE i.user_id = c.user_id AND i.conversation_id = c.id AND i.role = 'user'"
            "     AND (c.last_extraction_at IS NULL OR i.received_at > c.last_extraction_at)"
            "     AND (%s::timestamptz IS NULL OR i.created_at <= %s::timestamptz)"
            "   ORDER BY i.seq DESC LIMIT %s) i"
            " WHERE c.user_id = %s AND c.id = %s AND c.pending_count > %s ORDER BY i.seq",
            [as_of, as_of, PENDING_MESSAGES, user.id, conversation_id, MIN_PENDING],
        )
        ids = [row[0] for row in cursor.fetchall()]
    found = list_messages_by_id(user=user, message_ids=ids) if ids else {}
    return [found[message_id] for message_id in ids if message_id in found]
