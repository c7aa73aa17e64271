"""RAW is written: places in the conversation, references to other messages, rows and counters."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from psycopg.types.json import Jsonb

from memory.errors import InvalidRequest
from memory.ids import new_id
from memory.ingest.conversations import OpenConversation
from memory.ingest.repeats import hash_content
from memory.types import Draft, RecordedMessage, UserRef


def place_message(
    draft: Draft, user: UserRef, conversations: dict[str, OpenConversation], now: datetime
) -> RecordedMessage:
    conversation = conversations[draft.conversation_external_id]
    conversation.last_seq += 1
    return RecordedMessage(
        id=new_id(),
        user_id=user.id,
        tenant_id=user.tenant_id,
        conversation_id=conversation.id,
        seq=conversation.last_seq,
        role=draft.role,
        content=draft.content,
        created_at=draft.created_at,
        received_at=now,
        client_id=draft.client_id,
        speaker=draft.speaker,
        response_description=draft.response_description,
        memory_type=draft.memory_type,
        mood=draft.mood,
        blocks=draft.blocks,
        metadata=draft.metadata,
        reply_to_id=draft.reply_to_id,
        replaces_id=draft.replaces_id,
        receipt_id=draft.receipt_id,
    )


def find_replaced(user: UserRef, messages: Sequence[RecordedMessage]) -> dict[UUID, tuple[UUID, ...]]:
    """For each message the stored ones whose place it takes. Raises InvalidRequest for ids of other conversations."""
    named = {mid for m in messages for mid in (m.reply_to_id, m.replaces_id) if mid}
    if not named:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, conversation_id, role, reply_to_id FROM memory_message"
            " WHERE user_id = %s AND (id = ANY(%s) OR reply_to_id = ANY(%s)) AND forgotten_at IS NULL",
            [user.id, list(named), list(named)],
        )
        stored = {row[0]: row[1:] for row in cursor.fetchall()}
    return {message.id: replaced for message in messages if (replaced := _list_replaced(message, stored))}


def _list_replaced(message: RecordedMessage, stored: dict[UUID, tuple[Any, ...]]) -> tuple[UUID, ...]:
    for name in ("reply_to_id", "replaces_id"):
        target = getattr(message, name)
        if target and (target not in stored or stored[target][0] != message.conversation_id):
            raise InvalidRequest(fields={name: "no such message in this conversation"})
    replaced = [message.replaces_id] if message.replaces_id else []
    if message.role == "assistant" and message.reply_to_id:
        replaced += [
            mid
            for mid, (_, role, answered) in stored.items()
            if role == "assistant" and answered == message.reply_to_id
        ]
    return tuple(dict.fromkeys(replaced))


_INSERT_MESSAGE = """
INSERT INTO memory_message (tenant_id, user_id, id, conversation_id, seq, client_id, content_hash, role, speaker,
    content, blocks, response_description, memory_type, mood, metadata, language, created_at, received_at, reply_to_id,
    replaces_id, receipt_id)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""

# One statement a conversation: the counters, and since when something waits for extraction (SPEC M-2, X-1).
_COUNT_MESSAGES = """
UPDATE memory_conversation SET
  last_seq = greatest(last_seq, %s), last_message_at = greatest(last_message_at, %s),
  pending_count = pending_count + %s, pending_since = coalesce(pending_since, %s)
WHERE user_id = %s AND id = %s
"""


def insert_messages(user: UserRef, messages: Sequence[RecordedMessage]) -> None:
    rows = [_make_row(message) for message in messages]
    with connection.cursor() as cursor:
        if len(rows) == 1:
            cursor.execute(_INSERT_MESSAGE, rows[0])
        else:
            cursor.executemany(_INSERT_MESSAGE, rows)
        for conversation_id in sorted({message.conversation_id for message in messages}):
            own = [message for message in messages if message.conversation_id == conversation_id]
            cursor.execute(
                _COUNT_MESSAGES,
                [
                    max(message.seq for message in own),
                    max(message.created_at for message in own),
                    len(own),
                    own[0].received_at,
                    user.id,
                    conversation_id,
                ],
            )


def _make_row(message: RecordedMessage) -> list[Any]:
    return [
        message.tenant_id,
        message.user_id,
        message.id,
        message.conversation_id,
        message.seq,
        message.client_id,
        hash_content(message),
        message.role,
        message.speaker,
        message.content,
        Jsonb(message.blocks) if message.blocks is not None else None,
        message.response_description,
        message.memory_type,
        message.mood,
        Jsonb(dict(message.metadata)),
        message.language,
        message.created_at,
        message.received_at,
        message.reply_to_id,
        message.replaces_id,
        message.receipt_id,
    ]
