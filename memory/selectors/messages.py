"""RAW, read: pages, neighbours, the last words of a conversation. Forgotten messages are never returned (SPEC G-1)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memory.database.queries import Query
from memory.database.statements import fetch_rows
from memory.models import Message
from memory.tenants.scope import ask
from memory.types import RecordedMessage, UserRef

_FIELDS = (
    "id, user_id, tenant_id, conversation_id, seq, role, content, created_at, received_at, client_id, speaker,"
    " response_description, memory_type, mood, language, blocks, metadata, reply_to_id, replaces_id, receipt_id,"
    " forgotten_at"
)

# A newer version, or a regenerated reply to the same message, takes a message out of packs (D-4).
IS_CURRENT = """
  NOT EXISTS (SELECT FROM memory_message newer WHERE newer.user_id = m.user_id AND newer.replaces_id = m.id)
  AND NOT (m.role = 'assistant' AND m.reply_to_id IS NOT NULL AND EXISTS (
    SELECT FROM memory_message sibling WHERE sibling.user_id = m.user_id AND sibling.reply_to_id = m.reply_to_id
     AND sibling.role = 'assistant' AND sibling.conversation_id = m.conversation_id AND sibling.seq > m.seq))
"""
"""Of a row `m`: whether nothing has taken its place."""


_RECENT = (
    f"SELECT {_FIELDS} FROM memory_message m WHERE m.user_id = %s::uuid AND m.conversation_id = %s::uuid"
    f" AND m.forgotten_at IS NULL AND (%s::timestamptz IS NULL OR m.created_at <= %s::timestamptz)"
    f" AND {IS_CURRENT} ORDER BY m.created_at DESC, m.seq DESC LIMIT %s::int"
)


_PREVIOUS = (
    f"SELECT {_FIELDS} FROM list_previous_messages_v1(%s::uuid, %s::uuid, %s::timestamptz, %s::integer, %s::integer)"
)


@dataclass(frozen=True, slots=True)
class MessagePosition:
    """Where a page of the listing ended: the listing is ordered by these three."""

    created_at: datetime
    seq: int
    id: UUID


def list_messages(
    *, user: UserRef, conversation_id: UUID | None = None, after: MessagePosition | None = None, limit: int
) -> list[RecordedMessage]:
    """One page of what was said, oldest first, older versions of edited messages included."""
    rows = Message.objects.filter(user_id=user.id, forgotten_at=None)
    if conversation_id:
        rows = rows.filter(conversation_id=conversation_id)
    if after:
        rows = rows.extra(
            where=["(created_at, seq, id) > (%s, %s, %s)"], params=[after.created_at, after.seq, after.id]
        )
    return [to_recorded(row) for row in rows.order_by("created_at", "seq", "id")[:limit]]


def list_messages_by_id(*, user: UserRef, message_ids: Iterable[UUID]) -> dict[UUID, RecordedMessage]:
    """The given messages of this user, forgotten ones left out."""
    rows = Message.objects.filter(user_id=user.id, id__in=list(message_ids), forgotten_at=None)
    return {row.id: to_recorded(row) for row in rows}


def list_current_messages(*, user: UserRef, message_ids: Sequence[UUID]) -> dict[UUID, RecordedMessage]:
    """Those of the messages that still count: not forgotten, not replaced by a newer version (D-4)."""
    if not message_ids:
        return {}
    found = list_messages_by_id(user=user, message_ids=message_ids)
    replaced = {
        row[0]
        for row in fetch_rows(
            "SELECT replaces_id FROM memory_message WHERE user_id = %s AND replaces_id = ANY(%s)",
            [user.id, list(found)],
        )
    }
    return {message_id: message for message_id, message in found.items() if message_id not in replaced}


def list_recent_messages(
    *, user: UserRef, conversation_id: UUID, limit: int, as_of: datetime | None = None
) -> list[RecordedMessage]:
    """The last messages of a conversation, oldest first; current versions only."""
    statement = make_recent_messages_query(user=user, conversation_id=conversation_id, limit=limit, as_of=as_of)
    return _read_rows(ask(statement))[::-1]


def make_recent_messages_query(
    *, user: UserRef, conversation_id: UUID, limit: int, as_of: datetime | None = None
) -> Query:
    """The query of `list_recent_messages`, to be prefetched."""
    return Query(_RECENT, [user.id, conversation_id, as_of, as_of, limit])


def list_previous_messages(
    *, user: UserRef, conversation_id: UUID, before: datetime, before_seq: int, limit: int
) -> list[RecordedMessage]:
    """What was said before a place in a conversation, newest first; current versions only."""
    return _read_rows(ask(Query(_PREVIOUS, [user.id, conversation_id, before, before_seq, limit])))


def find_message_by_client_id(*, user: UserRef, conversation_id: UUID, client_id: str) -> RecordedMessage | None:
    """The message of a conversation that the app knows by this id, forgotten or not.

    Index: a_client_id_is_unique_in_its_conversation.
    """
    row = Message.objects.filter(user_id=user.id, conversation_id=conversation_id, client_id=client_id).first()
    return to_recorded(row) if row else None


def has_forgotten(*, user: UserRef, message_ids: Sequence[UUID]) -> bool:
    """Whether one of the messages was forgotten."""
    rows = Message.objects.filter(user_id=user.id, id__in=message_ids, forgotten_at__isnull=False)
    return rows.exists()


def list_neighbours(*, user: UserRef, message_ids: Sequence[UUID]) -> dict[UUID, list[RecordedMessage]]:
    """For each message the one before and the one after it in its conversation: its span, computed on read (D-3)."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT core.id, {", ".join("n." + name.strip() for name in _FIELDS.split(","))}
              FROM memory_message core
              CROSS JOIN LATERAL (
                (SELECT * FROM memory_message p
                 WHERE p.user_id = core.user_id AND p.conversation_id = core.conversation_id
                   AND p.forgotten_at IS NULL AND (p.created_at, p.seq) < (core.created_at, core.seq)
                 ORDER BY p.created_at DESC, p.seq DESC LIMIT 1)
                UNION ALL
                (SELECT * FROM memory_message f
                 WHERE f.user_id = core.user_id AND f.conversation_id = core.conversation_id
                   AND f.forgotten_at IS NULL AND (f.created_at, f.seq) > (core.created_at, core.seq)
                 ORDER BY f.created_at, f.seq LIMIT 1)) n
             WHERE core.user_id = %s AND core.id = ANY(%s)
            """,
            [user.id, list(message_ids)],
        )
        found: dict[UUID, list[RecordedMessage]] = {mid: [] for mid in message_ids}
        for core_id, *fields in cursor.fetchall():
            found[core_id].append(RecordedMessage(*_open_json(fields)))
    return found


def to_recorded(row: Message) -> RecordedMessage:
    """A model row as the value that the room hands out."""
    names = [name.strip() for name in _FIELDS.split(",")]
    return RecordedMessage(**{name: getattr(row, name) for name in names})


def _read_rows(rows: Iterable[tuple[Any, ...]]) -> list[RecordedMessage]:
    return [RecordedMessage(*_open_json(list(row))) for row in rows]


_JSON_COLUMNS = [i for i, name in enumerate(_FIELDS.split(",")) if name.strip() in ("blocks", "metadata")]


def _open_json(fields: list[Any]) -> list[Any]:
    # Django's connections hand jsonb back as text; models decode it, raw cursors do not.
    for i in _JSON_COLUMNS:
        if isinstance(fields[i], str):
            fields[i] = json.loads(fields[i])
    return fields
