"""The text behind hits: what a card shows, and the messages before short ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.database.queries import Binary, Query
from memory.tenants.scope import ask
from memory.types import UserRef
from retrieval.cards.spans import Neighbour
from retrieval.embedding.types import pack_vector
from retrieval.search.statement import bound_dimensions
from retrieval.sql import read_sql, write_array
from retrieval.types import QueryVector


@dataclass(frozen=True, slots=True)
class CardText:
    """A message as a card needs it."""

    message_id: UUID
    client_id: str | None
    conversation_id: str
    role: str
    speaker: str
    memory_type: str
    mood: str
    created_at: datetime
    content: str
    description: str | None
    snippet: str | None


def list_card_texts(
    *, user: UserRef, message_ids: Sequence[UUID], as_of: datetime | None = None
) -> dict[UUID, CardText]:
    """The messages by id, with the snippets of a moment; forgotten ones are left out."""
    if not message_ids:
        return {}
    rows = ask(make_card_texts_query(user=user, message_ids=message_ids, as_of=as_of))
    return {row[0]: CardText(*row) for row in rows}


def make_card_texts_query(*, user: UserRef, message_ids: Sequence[UUID], as_of: datetime | None = None) -> Query:
    """The query of `list_card_texts`, to be prefetched."""
    values = {"user_id": user.id, "message_ids": write_array(message_ids), "as_of": as_of}
    return Query(read_sql("fetch_messages"), values)


def list_span_neighbours(
    *, user: UserRef, message_ids: Sequence[UUID], vector: QueryVector | None
) -> dict[UUID, list[Neighbour]]:
    """For each message the two before it in its conversation, nearest first, with their similarity to the question."""
    if not message_ids:
        return {}
    parameters = {
        "user_id": user.id,
        "message_ids": write_array(message_ids),
        "vector": Binary(pack_vector(vector.numbers)) if vector else None,
        "model": vector.model_name if vector else "",
        "dimensions": vector.dimensions if vector else 0,
    }
    found: dict[UUID, list[Neighbour]] = {}
    statement = Query(bound_dimensions(read_sql("find_span_messages"), vector), parameters)
    for hit_id, message_id, role, content, similarity in ask(statement):
        found.setdefault(hit_id, []).append(Neighbour(message_id, role, content, similarity))
    return found
