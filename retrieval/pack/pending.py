"""Messages that extraction has not read yet (SPEC X-5)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from memory.database.queries import Query
from memory.selectors.messages import list_messages_by_id
from memory.tenants.scope import ask
from memory.types import RecordedMessage, UserRef

MIN_PENDING = 10
PENDING_MESSAGES = 5


def list_pending_messages(
    *, user: UserRef, conversation_id: UUID, as_of: datetime | None = None
) -> list[RecordedMessage]:
    """With more than 10 messages pending in a conversation, its last 5 pending user messages, oldest first.

    Else none.
    """
    ids = [row[0] for row in ask(make_pending_query(user=user, conversation_id=conversation_id, as_of=as_of))]
    found = list_messages_by_id(user=user, message_ids=ids) if ids else {}
    return [found[message_id] for message_id in ids if message_id in found]


def make_pending_query(*, user: UserRef, conversation_id: UUID, as_of: datetime | None = None) -> Query:
    """The query of `list_pending_messages`, to be prefetched."""
    return Query(
        "SELECT i.message_id FROM memory_conversation c"
        " CROSS JOIN LATERAL (SELECT i.message_id, i.seq FROM message_index i"
        "   WHERE i.user_id = c.user_id AND i.conversation_id = c.id AND i.role = 'user'"
        "     AND (c.last_extraction_at IS NULL OR i.received_at > c.last_extraction_at)"
        "     AND (%s::timestamptz IS NULL OR i.created_at <= %s::timestamptz)"
        "   ORDER BY i.seq DESC LIMIT %s::int) i"
        " WHERE c.user_id = %s::uuid AND c.id = %s::uuid AND c.pending_count > %s::int ORDER BY i.seq",
        [as_of, as_of, PENDING_MESSAGES, user.id, conversation_id, MIN_PENDING],
    )
