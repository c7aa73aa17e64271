"""The two statements of a search (D-13): a user's places and lexemes, and the dot products of the user's vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from psycopg.pq import Format

from memory.types import UserRef
from retrieval.embedding.types import format_vector
from retrieval.places import Places, unpack_places
from retrieval.sql import read_sql
from retrieval.types import QueryVector

MAX_INDEXED_DIMENSIONS = 1300  # wider vectors do not fit an index entry (D-12)
BOUNDED = "AND e.dimensions <= 1300"


def read_places(*, user: UserRef) -> Places:
    """All indexed messages of a user as columns."""
    places, lexemes, speakers, more = fetch_packed(read_sql("read_places"), {"user_id": user.id})
    return unpack_places(places, lexemes, speakers=speakers, more=more)


def read_dots(*, user: UserRef, vector: QueryVector) -> bytes | None:
    """Dot products of the user's vectors with the question's, packed; None without any."""
    parameters = {
        "user_id": user.id,
        "vector": format_vector(vector.numbers),
        "model": vector.model_name,
        "dimensions": vector.dimensions,
    }
    packed: bytes | None = fetch_packed(bound_dimensions(read_sql("read_dots"), vector), parameters)[0]
    return packed


def bound_dimensions(statement: str, vector: QueryVector | None) -> str:
    """The statement for the vector's model: one too wide for an index entry is not in the partial index."""
    is_wide = vector is not None and vector.dimensions > MAX_INDEXED_DIMENSIONS
    return statement.replace(BOUNDED, "") if is_wide else statement


def list_lexemes(*, user: UserRef, message_ids: Sequence[UUID]) -> dict[UUID, bytes]:
    """The packed lexemes of some messages, by id."""
    with connection.cursor() as cursor:
        cursor.execute(read_sql("fetch_lexemes"), {"user_id": user.id, "message_ids": list(message_ids)})
        rows: Iterable[tuple[UUID, bytes]] = cursor.fetchall()
    return dict(rows)


def fetch_packed(statement: str, parameters: Mapping[str, object]) -> tuple[Any, ...]:
    """The one row of a statement, its bytes as they are: as text they would be twice as long."""
    with connection.cursor() as cursor:
        cursor.cursor.format = Format.BINARY
        cursor.execute(statement, parameters)
        row: tuple[Any, ...] = cursor.fetchone()
    return row
