"""RAW is written: places in the conversation, references to other messages, rows and counters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from msgspec.json import encode

from memory.database.queries import Query, send_together
from memory.database.statements import fetch_rows
from memory.errors import InvalidRequest
from memory.ids import new_id
from memory.storing.opening import OpenConversation
from memory.storing.repeats import hash_content
from memory.types import Draft, RecordedMessage, UserRef


def place_message(
    draft: Draft, user: UserRef, conversations: dict[str, OpenConversation], now: datetime
) -> RecordedMessage:
    """The draft at the next place of its conversation."""
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
    """The messages that each message replaces: stored ones, and earlier replies to the same message.

    Raises InvalidRequest for ids of other conversations.
    """
    named = {mid for m in messages for mid in (m.reply_to_id, m.replaces_id) if mid}
    if not named:
        return {}
    stored = {
        row[0]: row[1:]
        for row in fetch_rows(
            "SELECT id, conversation_id, role, reply_to_id FROM memory_message"
            " WHERE user_id = %s AND (id = ANY(%s) OR reply_to_id = ANY(%s)) AND forgotten_at IS NULL",
            [user.id, list(named), list(named)],
        )
    }
    replaced: dict[UUID, tuple[UUID, ...]] = {}
    for message in messages:
        found = _list_replaced(message, stored)
        if found:
            replaced[message.id] = found
        if message.reply_to_id:
            stored[message.id] = (message.conversation_id, message.role, message.reply_to_id)
    return replaced


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


# One statement for any number of messages of any number of users: rows, and a conversation's counters with since when
# something waits for extraction and for being cut into episodes (SPEC M-2, X-1, D-44). The limit leaves nothing out. It
# tells the planner that conversations are few: it takes a list in JSON for a hundred rows, and for so many it would
# read the whole table of a small installation.
_STORE_MESSAGES: Final = """
WITH fresh AS MATERIALIZED (
  SELECT * FROM json_to_recordset(%s::json) AS m (
    tenant_id uuid, user_id uuid, id uuid, conversation_id uuid, seq integer, client_id varchar, content_hash bytea,
    role varchar, speaker varchar, content text, blocks text, response_description text, memory_type varchar,
    mood varchar, metadata text, language varchar, created_at timestamptz, received_at timestamptz, reply_to_id uuid,
    replaces_id uuid, receipt_id uuid)),
stored AS (
  INSERT INTO memory_message (tenant_id, user_id, id, conversation_id, seq, client_id, content_hash, role, speaker,
    content, blocks, response_description, memory_type, mood, metadata, language, created_at, received_at, reply_to_id,
    replaces_id, receipt_id)
  SELECT tenant_id, user_id, id, conversation_id, seq, client_id, content_hash, role, speaker, content,
    blocks::jsonb, response_description, memory_type, mood, metadata::jsonb, language, created_at, received_at,
    reply_to_id, replaces_id, receipt_id
  FROM fresh)
UPDATE memory_conversation c SET
  last_seq = greatest(c.last_seq, n.last_seq), last_message_at = greatest(c.last_message_at, n.last_message_at),
  pending_count = c.pending_count + n.pending_count, pending_since = coalesce(c.pending_since, n.pending_since),
  cut_due_at = coalesce(c.cut_due_at, n.cut_due_at)
FROM (
  SELECT user_id, conversation_id, max(seq) AS last_seq, max(created_at) AS last_message_at,
         count(*)::integer AS pending_count, min(received_at) AS pending_since, min(created_at) AS cut_due_at
  FROM fresh GROUP BY user_id, conversation_id LIMIT %s) n
WHERE c.user_id = n.user_id AND c.id = n.conversation_id
"""


def insert_messages(messages: Sequence[RecordedMessage]) -> None:
    """Write rows of one tenant and count them in their conversations. Call under the users' locks."""
    send_together([write_messages(messages)])


def write_messages(messages: Sequence[RecordedMessage]) -> Query:
    """The statement of `insert_messages`."""
    return Query(_STORE_MESSAGES, [encode([_make_row(message) for message in messages]).decode(), len(messages)])


def _make_row(message: RecordedMessage) -> dict[str, Any]:
    return {
        "tenant_id": message.tenant_id,
        "user_id": message.user_id,
        "id": message.id,
        "conversation_id": message.conversation_id,
        "seq": message.seq,
        "client_id": message.client_id,
        "content_hash": "\\x" + hash_content(message).hex(),
        "role": message.role,
        "speaker": message.speaker,
        "content": message.content,
        "blocks": None if message.blocks is None else _write_json(message.blocks),
        "response_description": message.response_description,
        "memory_type": message.memory_type,
        "mood": message.mood,
        "metadata": _write_json(dict(message.metadata)),
        "language": message.language,
        "created_at": message.created_at.astimezone(UTC),
        "received_at": message.received_at.astimezone(UTC),
        "reply_to_id": message.reply_to_id,
        "replaces_id": message.replaces_id,
        "receipt_id": message.receipt_id,
    }


def _write_json(value: object) -> str:
    # Not msgspec: a number that JSON has no word for must be refused by the database, not become null.
    return json.dumps(value, ensure_ascii=False)
