"""RAW is written: places in the conversation, references to other messages, rows and counters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection
from msgspec.json import encode

from memory.arrays import BYTEA, pack_array, pack_integers, pack_optional_uuids, pack_texts, pack_times, pack_uuids
from memory.errors import InvalidRequest
from memory.exchange import Binary, Statement, send_together
from memory.ids import new_id
from memory.ingest.conversations import OpenConversation
from memory.ingest.repeats import hash_content
from memory.types import Draft, RecordedMessage, UserRef


def place_message(
    draft: Draft, user: UserRef, conversations: dict[str, OpenConversation], now: datetime
) -> RecordedMessage:
    conversation = conversations[draft.conversation_external_id]
    conversation.last_seq += 1
    # All fields in their order: so they are found at once.
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
        language="",
        blocks=draft.blocks,
        metadata=draft.metadata,
        reply_to_id=draft.reply_to_id,
        replaces_id=draft.replaces_id,
        receipt_id=draft.receipt_id,
        forgotten_at=None,
    )


def find_replaced(user: UserRef, messages: Sequence[RecordedMessage]) -> dict[UUID, tuple[UUID, ...]]:
    """For each message those whose place it takes: stored ones, and of several replies to one message the earlier.

    Raises InvalidRequest for ids of other conversations.
    """
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


_SELDOM = ("speaker", "mood", "reply_to_id", "replaces_id", "receipt_id")

# One statement for any number of messages of any number of users: rows, and a conversation's counters with since when
# something waits for extraction (SPEC M-2, X-1). The rows travel as columns packed by ourselves: reading a JSON text is
# a tenth of what the statement costs the database, and psycopg's own arrays cost the driver more than that.
_STORE_MESSAGES = """
WITH fresh AS MATERIALIZED (
  SELECT * FROM unnest(
    %s::uuid[], %s::uuid[], %s::uuid[], %s::integer[], %s::text[], %s::bytea[], %s::text[], %s::text[], %s::text[],
    %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[],
    %s::uuid[], %s::uuid[], %s::uuid[]) AS m (
    user_id, id, conversation_id, seq, client_id, content_hash, role, speaker, content, blocks, response_description,
    memory_type, mood, metadata, language, created_at, received_at, reply_to_id, replaces_id, receipt_id)),
stored AS (
  INSERT INTO memory_message (tenant_id, user_id, id, conversation_id, seq, client_id, content_hash, role, speaker,
    content, blocks, response_description, memory_type, mood, metadata, language, created_at, received_at, reply_to_id,
    replaces_id, receipt_id)
  SELECT %s::uuid, user_id, id, conversation_id, seq, client_id, content_hash, role, coalesce(speaker, ''), content,
    blocks::jsonb, response_description, memory_type, coalesce(mood, ''), coalesce(metadata, '{}')::jsonb, language,
    created_at, received_at, reply_to_id, replaces_id, receipt_id
  FROM fresh)
UPDATE memory_conversation c SET
  last_seq = greatest(c.last_seq, n.last_seq), last_message_at = greatest(c.last_message_at, n.last_message_at),
  pending_count = c.pending_count + n.pending_count, pending_since = coalesce(c.pending_since, n.pending_since)
FROM (
  SELECT user_id, conversation_id, max(seq) AS last_seq, max(created_at) AS last_message_at,
         count(*)::integer AS pending_count, min(received_at) AS pending_since
  FROM fresh GROUP BY user_id, conversation_id) n
WHERE c.user_id = n.user_id AND c.id = n.conversation_id
"""

_STORE_MESSAGE = "SELECT store_message_v1(%s::uuid, %s::uuid, %s::uuid, %s::integer, %s::json)"
_STORE_PLAIN_MESSAGE = (
    "SELECT store_plain_message_v1(%s::uuid, %s::varchar, %s::varchar, %s::uuid, %s::timestamptz, %s::boolean,"
    " %s::varchar, %s::json)"
)


def insert_messages(messages: Sequence[RecordedMessage]) -> None:
    """Write rows of one tenant and count them in their conversations. Call under the users' locks."""
    send_together([write_messages(messages)])


def write_messages(messages: Sequence[RecordedMessage]) -> Statement:
    """The statement of `insert_messages`."""
    if len(messages) == 1:
        return _write_message(messages[0])
    return Statement(_STORE_MESSAGES, [*_pack_columns(messages), messages[0].tenant_id])


def _write_message(message: RecordedMessage) -> Statement:
    place = [message.tenant_id, message.user_id, message.conversation_id, message.seq]
    return Statement(_STORE_MESSAGE, [*place, encode(_make_own_row(message, message.id, message.received_at)).decode()])


def write_plain_message(
    draft: Draft, *, tenant_id: UUID, message_id: UUID, language: str, may_concern_facts: bool, now: datetime
) -> Statement:
    """The statement that stores a message which touches no fact, and says whether it has.

    It has not where the user is new, a fence or tombstones stand, the client id was seen before, or the message may
    concern facts and there are some. Takes the user's lock.
    """
    row = {**_make_own_row(draft, message_id, now), "language": language}
    names = [draft.user_external_id, draft.conversation_external_id, new_id(), now, may_concern_facts, draft.client_id]
    return Statement(_STORE_PLAIN_MESSAGE, [tenant_id, *names, encode(row).decode()])


def _pack_columns(messages: Sequence[RecordedMessage]) -> list[Binary | None]:
    """The columns of `_STORE_MESSAGES` in their order."""
    return [
        pack_uuids([message.user_id for message in messages]),
        pack_uuids([message.id for message in messages]),
        pack_uuids([message.conversation_id for message in messages]),
        pack_integers([message.seq for message in messages]),
        pack_texts([message.client_id for message in messages]),
        pack_array(BYTEA, [hash_content(message) for message in messages]),
        pack_texts([message.role for message in messages]),
        pack_texts([message.speaker or None for message in messages]),
        pack_texts([message.content for message in messages]),
        pack_texts([None if message.blocks is None else _write_json(message.blocks) for message in messages]),
        pack_texts([message.response_description for message in messages]),
        pack_texts([message.memory_type for message in messages]),
        pack_texts([message.mood or None for message in messages]),
        pack_texts([_write_json(dict(message.metadata)) if message.metadata else None for message in messages]),
        pack_texts([message.language for message in messages]),
        pack_times([message.created_at for message in messages]),
        pack_times([message.received_at for message in messages]),
        pack_optional_uuids([message.reply_to_id for message in messages]),
        pack_optional_uuids([message.replaces_id for message in messages]),
        pack_optional_uuids([message.receipt_id for message in messages]),
    ]


def _make_own_row(message: RecordedMessage | Draft, message_id: UUID, received_at: datetime) -> dict[str, Any]:
    """The columns of a row but its place, without those that most messages leave empty."""
    row = {
        "id": message_id,
        "client_id": message.client_id,
        "content_hash": "\\x" + hash_content(message).hex(),
        "role": message.role,
        "content": message.content,
        "memory_type": message.memory_type,
        "created_at": message.created_at.astimezone(UTC),
        "received_at": received_at.astimezone(UTC),
    }
    if isinstance(message, RecordedMessage):
        row["language"] = message.language
    if message.response_description is not None:
        row["response_description"] = message.response_description
    for name in _SELDOM:
        value = getattr(message, name)
        if value:
            row[name] = value
    if message.blocks is not None:
        row["blocks"] = _write_json(message.blocks)
    if message.metadata:
        row["metadata"] = _write_json(dict(message.metadata))
    return row


def _write_json(value: object) -> str:
    # Not msgspec: a number that JSON has no word for must be refused by the database, not become null.
    return json.dumps(value, ensure_ascii=False)
