"""Writing the index of users' messages, and their vectors where the embedder is built in (D-7, D-8, D-11).

Every function runs inside a tenant scope and under the users' locks (D-6).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from msgspec.json import encode

from memory.database.queries import Query, send_together
from memory.database.statements import execute, fetch_row
from memory.types import RecordedMessage, UserRef
from patterns.text.tokens import TOKENISER_VERSION
from retrieval.embedding.types import EmbeddingFailed, EmbeddingProvider, format_vector
from retrieval.index.embedding_models import get_configured_provider, register_model
from retrieval.index.entries import Entry, make_entries
from retrieval.sql import read_sql

HIGH, NORMAL, RECOVERY = 0, 1, 2
INDEXED_ROLES = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """What one write did."""

    indexed: int
    embedded: int
    queued: int


def index_messages(
    *,
    messages: Sequence[RecordedMessage],
    now: datetime,
    provider: EmbeddingProvider | None = None,
    priority: int = HIGH,
) -> IndexCounts:
    """Index new messages of one user, each conversation's in order of `seq` and after what it already holds.

    Writes index rows, and vectors (built-in embedder) or tasks (others), in one statement. System messages are not
    indexed.
    """
    provider = provider or get_configured_provider()
    chosen = [message for message in messages if message.role in INDEXED_ROLES]
    if not chosen:
        return IndexCounts(0, 0, 0)
    entries = make_entries(chosen, provider)
    statement = _write_index(chosen, entries, provider=provider, now=now, priority=priority)
    return IndexCounts(*send_together([statement])[0][0])


def index_all(*, messages: Sequence[RecordedMessage], entries: Sequence[Entry], now: datetime) -> bool:
    """As `index_messages`, for new messages of any users of a tenant, whose entries are made. Writes.

    `entries` are those of the configured provider. Returns whether vectors are left to workers.
    """
    provider = get_configured_provider()
    send_together([_write_index(messages, entries, provider=provider, now=now, priority=HIGH)])
    return not provider.is_inline


def remove_messages(*, user: UserRef, message_ids: Iterable[UUID]) -> int:
    """Take messages out of the index: rows, vectors, tasks and snippets go (D-4, D-28). Returns how many rows left.

    A row holds nothing of its neighbours; their snippets go too, since they may speak of what left (KSP fix 15).
    """
    return int(fetch_row(read_sql("remove_messages"), {"user_id": user.id, "message_ids": list(message_ids)})[0])


def put_back_messages(*, user: UserRef, messages: Sequence[RecordedMessage], now: datetime) -> int:
    """Index messages that had left the index, each at its old place (D-28). Returns how many rows came.

    Sessions kept their numbers meanwhile: a message finds its own by the silence before it.
    """
    ordered = sorted(messages, key=lambda message: (message.conversation_id.bytes, message.seq))
    return sum(index_messages(messages=[message], now=now, priority=NORMAL).indexed for message in ordered)


def rebuild_conversation(
    *, user: UserRef, conversation_id: UUID, messages: Sequence[RecordedMessage], now: datetime
) -> IndexCounts:
    """Index a conversation from nothing: `messages` are all its visible ones. Vectors are made again too (SPEC M-4)."""
    execute("DELETE FROM message_index WHERE user_id = %s AND conversation_id = %s", [user.id, conversation_id])
    return index_messages(messages=messages, now=now, priority=NORMAL)


def _write_index(
    messages: Sequence[RecordedMessage],
    entries: Sequence[Entry],
    *,
    provider: EmbeddingProvider,
    now: datetime,
    priority: int,
) -> Query:
    values = {
        "rows": encode([_make_row(*each) for each in zip(messages, entries, strict=True)]).decode(),
        "tenant_id": messages[0].tenant_id,
        "model": provider.name,
        "dimensions": provider.dimensions,
        "is_inline": provider.is_inline,
        "tokeniser": TOKENISER_VERSION,
        "session_gap": settings.UNDE_TUNING.SESSION_GAP.total_seconds(),
        "priority": priority,
        "now": now,
    }
    return Query(read_sql("index_messages"), values)


def _make_row(message: RecordedMessage, entry: Entry) -> dict[str, Any]:
    return {
        "user_id": message.user_id,
        "message_id": message.id,
        "conversation_id": message.conversation_id,
        "seq": message.seq,
        "role": message.role,
        "memory_type": message.memory_type,
        "speaker": entry.speaker,
        "traits": entry.traits,
        "len": entry.words,
        "created_at": message.created_at.astimezone(UTC),
        "received_at": message.received_at.astimezone(UTC),
        "lexemes": "\\x" + entry.lexemes.hex(),
        "more_lexemes": None if entry.more_lexemes is None else "\\x" + entry.more_lexemes.hex(),
        "vector": entry.vector,
    }


def store_vectors(*, user: UserRef, provider: EmbeddingProvider, vectors: dict[UUID, list[float]]) -> int:
    """Write vectors of indexed messages and take their tasks off the list. A message that left meanwhile is skipped.

    Raises EmbeddingFailed when a vector has other dimensions than the provider says.
    """
    if any(len(vector) != provider.dimensions for vector in vectors.values()):
        raise EmbeddingFailed("embedding_dimensions_differ", is_outage=True)
    model_id = register_model(provider=provider)
    return int(
        fetch_row(
            read_sql("store_vectors"),
            {
                "user_id": user.id,
                "model_id": model_id,
                "dimensions": provider.dimensions,
                "message_ids": list(vectors),
                "vectors": [format_vector(vector) for vector in vectors.values()],
            },
        )[0]
    )
