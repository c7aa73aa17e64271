"""Conversations during an ingest: made by their first message, counting their own places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.ids import new_id
from memory.types import Draft, RecordedMessage, UserRef


@dataclass(slots=True)
class OpenConversation:
    """A conversation during the transaction: the next message takes `last_seq + 1`."""

    id: UUID
    last_seq: int
    last_message_at: datetime | None = None


_ENTER_CONVERSATIONS = """
INSERT INTO memory_conversation (tenant_id, user_id, id, external_id, created_at)
SELECT %s, %s, fresh.id, fresh.external_id, %s FROM unnest(%s::uuid[], %s::varchar[]) AS fresh (id, external_id)
ON CONFLICT ON CONSTRAINT a_conversation_id_is_unique_within_its_user DO NOTHING
"""


def enter_conversations(user: UserRef, drafts: Sequence[Draft], now: datetime) -> dict[str, OpenConversation]:
    """The conversations that the drafts name, by the tenant's own id; those that are new are made. Writes."""
    names = list(dict.fromkeys(draft.conversation_external_id for draft in drafts))
    found = _load_conversations(user, names)
    missing = [name for name in names if name not in found]
    if missing:
        with connection.cursor() as cursor:
            cursor.execute(_ENTER_CONVERSATIONS, [user.tenant_id, user.id, now, [new_id() for _ in missing], missing])
        found |= _load_conversations(user, missing)
    return found


def _load_conversations(user: UserRef, names: list[str]) -> dict[str, OpenConversation]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT external_id, id, last_seq, last_message_at FROM memory_conversation"
            " WHERE user_id = %s AND external_id = ANY(%s)",
            [user.id, names],
        )
        return {row[0]: OpenConversation(*row[1:]) for row in cursor.fetchall()}


def list_appended(conversations: dict[str, OpenConversation], messages: Sequence[RecordedMessage]) -> frozenset[UUID]:
    """Conversations all of whose new messages were said after everything that is stored of them."""
    first_at: dict[UUID, datetime] = {}
    for message in messages:
        first_at[message.conversation_id] = min(
            message.created_at, first_at.get(message.conversation_id, message.created_at)
        )
    return frozenset(
        c.id
        for c in conversations.values()
        if c.id in first_at and (c.last_message_at is None or c.last_message_at <= first_at[c.id])
    )
