"""Writing the index of one user's messages, and their vectors where the embedder is built in (D-7, D-8, D-11).

Every function runs inside a tenant scope and under the user's lock (D-6).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from msgspec.json import encode

from memory.exchange import Statement, send_together
from memory.tenants.scope import run_at_end
from memory.types import RecordedMessage, UserRef
from retrieval.embedding.hashed import HashedEmbedder
from retrieval.embedding.types import EmbeddingFailed, EmbeddingProvider, format_vector
from retrieval.lexemes import pack_lexemes
from retrieval.services.models import get_configured_provider, register_model
from retrieval.sql import read_sql
from retrieval.tokens import NAME_WORDS, TOKENISER_VERSION, Token, build_date_text, count_words, tokenise
from retrieval.traits import find_traits

NEIGHBOUR_CHARACTERS = 400  # what a message lends its neighbours (measured: uncut ones cost recall on long replies)
DATE_TOKENS = 3  # of `build_date_text`: day, month, year
UNNAMED_SPEAKERS = frozenset({"", "user", "assistant", "system", "bot", "ai", "human"})
HIGH, NORMAL, RECOVERY = 0, 1, 2
INDEXED_ROLES = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """What one write did."""

    indexed: int
    embedded: int
    queued: int


def build_own_text(message: RecordedMessage) -> str:
    """The words a message is found by: its speaker where that is a name, the date, the text, and the description."""
    parts = [name_speaker(message.speaker), build_date_text(message.created_at), message.content]
    if message.response_description:
        parts.append(message.response_description)
    return " ".join(part for part in parts if part)


def build_embedded_text(message: RecordedMessage) -> str:
    """What the embedder reads: `Name: text`."""
    name = name_speaker(message.speaker)
    text = message.content if not message.response_description else f"{message.content} {message.response_description}"
    return f"{name}: {text}" if name else text


def name_speaker(speaker: str) -> str:
    """The speaker's name on one line, empty for the generic ones."""
    return "" if speaker.lower() in UNNAMED_SPEAKERS else " ".join(speaker.split())


def index_messages(
    *,
    user: UserRef,
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
    statement = _make_index_statement(chosen, provider, now=now, priority=priority)
    return IndexCounts(*send_together([statement])[0][0])


def index_at_end(*, messages: Sequence[RecordedMessage], now: datetime) -> bool:
    """As `index_messages`, for new messages of any users of a tenant; the statement leaves together with COMMIT.

    Returns whether vectors are left to workers.
    """
    provider = get_configured_provider()
    chosen = [message for message in messages if message.role in INDEXED_ROLES]
    if not chosen:
        return False
    statement = _make_index_statement(chosen, provider, now=now, priority=HIGH)
    if not run_at_end(statement):
        send_together([statement])
    return not provider.is_inline


def remove_messages(*, user: UserRef, message_ids: Iterable[UUID]) -> int:
    """Take messages out of the index: rows, vectors, tasks and snippets go (D-4, D-28). Returns how many rows left.

    A row holds nothing of its neighbours; their snippets go too, since they may speak of what left (KSP fix 15).
    """
    with connection.cursor() as cursor:
        cursor.execute(read_sql("remove_messages"), {"user_id": user.id, "message_ids": list(message_ids)})
        return int(cursor.fetchone()[0])


def put_back_messages(*, user: UserRef, messages: Sequence[RecordedMessage], now: datetime) -> int:
    """Index messages that had left the index, each at its old place (D-28). Returns how many rows came.

    Sessions kept their numbers meanwhile: a message finds its own by the silence before it.
    """
    ordered = sorted(messages, key=lambda message: (message.conversation_id.bytes, message.seq))
    return sum(index_messages(user=user, messages=[message], now=now, priority=NORMAL).indexed for message in ordered)


def rebuild_conversation(
    *, user: UserRef, conversation_id: UUID, messages: Sequence[RecordedMessage], now: datetime
) -> IndexCounts:
    """Index a conversation from nothing: `messages` are all its visible ones. Vectors are made again too (SPEC M-4)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM message_index WHERE user_id = %s AND conversation_id = %s", [user.id, conversation_id]
        )
    return index_messages(user=user, messages=messages, now=now, priority=NORMAL)


def _make_index_statement(
    messages: Sequence[RecordedMessage], provider: EmbeddingProvider, *, now: datetime, priority: int
) -> Statement:
    rows = [_build_row(message, provider) for message in messages]
    values = {
        # One JSON text: as arrays the columns cost the driver several times what reading them costs the database.
        "rows": encode(rows).decode(),
        "tenant_id": messages[0].tenant_id,
        "model": provider.name,
        "dimensions": provider.dimensions,
        "is_inline": provider.is_inline,
        "tokeniser": TOKENISER_VERSION,
        "session_gap": settings.UNDE_TUNING.SESSION_GAP.total_seconds(),
        "priority": priority,
        "now": now,
    }
    return Statement(read_sql("index_messages"), values)


def _build_row(message: RecordedMessage, provider: EmbeddingProvider) -> dict[str, Any]:
    own_text = build_own_text(message)
    words = count_words(own_text)
    own, lent, is_whole = _tokenise(message, own_text, words)
    lexemes, more_lexemes = pack_lexemes(own, lent=lent)
    row = {
        "user_id": message.user_id,
        "message_id": message.id,
        "conversation_id": message.conversation_id,
        "seq": message.seq,
        "role": message.role,
        "memory_type": message.memory_type,
        "traits": int(find_traits(message.content)),
        "len": words,
        "created_at": message.created_at.astimezone(UTC),
        "received_at": message.received_at.astimezone(UTC),
        "lexemes": "\\x" + lexemes.hex(),
    }
    if speaker := name_speaker(message.speaker):
        row["speaker"] = speaker
    if more_lexemes is not None:
        row["more_lexemes"] = "\\x" + more_lexemes.hex()
    if provider.is_inline:
        row["vector"] = _embed(message, provider, lent if is_whole else None)
    return row


def _embed(message: RecordedMessage, provider: EmbeddingProvider, words: Sequence[Token] | None) -> str:
    """The vector as text; `words` are the tokens of the content, where they are known."""
    text = build_embedded_text(message)
    if words is not None and text is message.content and isinstance(provider, HashedEmbedder):
        return format_vector(provider.embed_tokens(words))
    return format_vector(provider.embed_documents([text])[0])


def _tokenise(message: RecordedMessage, own_text: str, words: int) -> tuple[list[Token], list[Token], bool]:
    """The tokens of the message's own text, what it lends its neighbours, and whether that is all of its content."""
    own = tokenise(own_text)
    is_date_and_content = not message.response_description and not name_speaker(message.speaker)
    is_whole = len(message.content) <= NEIGHBOUR_CHARACTERS
    if is_date_and_content and is_whole and words <= NAME_WORDS - DATE_TOKENS:
        # A date is three tokens whatever follows it, so the rest are those of the content (a test holds it).
        return own, own[DATE_TOKENS:], True
    return own, tokenise(message.content[:NEIGHBOUR_CHARACTERS]), is_whole


def queue_messages(
    *, user: UserRef, message_ids: Sequence[UUID], provider: EmbeddingProvider, now: datetime, priority: int = NORMAL
) -> int:
    """Put indexed messages on the list of vectors to be made. Returns how many were not on it yet."""
    model_id = register_model(provider=provider)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO embedding_task"
            " (tenant_id, user_id, message_id, model_id, priority, available_at, received_at) "
            "SELECT tenant_id, user_id, message_id, %s::smallint, %s::smallint, %s::timestamptz, received_at "
            "FROM message_index WHERE user_id = %s::uuid AND message_id = ANY(%s::uuid[]) ON CONFLICT DO NOTHING",
            [model_id, priority, now, user.id, list(message_ids)],
        )
        return int(cursor.rowcount)


def store_vectors(*, user: UserRef, provider: EmbeddingProvider, vectors: dict[UUID, list[float]]) -> int:
    """Write vectors of indexed messages and take their tasks off the list. A message that left meanwhile is skipped.

    Raises EmbeddingFailed when a vector has other dimensions than the provider says.
    """
    if any(len(vector) != provider.dimensions for vector in vectors.values()):
        raise EmbeddingFailed("embedding_dimensions_differ", is_permanent=True)
    model_id = register_model(provider=provider)
    with connection.cursor() as cursor:
        cursor.execute(
            read_sql("store_vectors"),
            {
                "user_id": user.id,
                "model_id": model_id,
                "dimensions": provider.dimensions,
                "message_ids": list(vectors),
                "vectors": [format_vector(vector) for vector in vectors.values()],
            },
        )
        return int(cursor.fetchone()[0])
