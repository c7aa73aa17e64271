"""What a search reads (D-13), in one statement: a user's places and lexemes, and the dot products of the vectors."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.database.queries import Binary, Query, Rows
from memory.database.statements import fetch_rows
from memory.tenants.scope import run_in_scope, start_apart
from memory.types import UserRef
from retrieval.embedding.types import pack_vector
from retrieval.search.columns import Places, unpack_places
from retrieval.search.smoothing import find_dots
from retrieval.sql import read_sql
from retrieval.types import QueryVector

MAX_INDEXED_DIMENSIONS = 1300  # wider vectors do not fit an index entry (D-12)
BOUNDED = "AND e.dimensions <= 1300"
MESSAGES_AT_ONCE = 5_000  # above it dot products are read by themselves, under a time limit
SHARE_OF_DOTS = 0.5  # of the search's time limit
MAX_REMEMBERED = 10_000
# Users who had many messages when this process last searched them: our ids by the hash of the tenant's, which outlive
# an erasure and say nothing. Two of one hash only read for nothing: the id is compared.
_large: dict[int, UUID] = {}
# Neither is pulled up into the rest, so that one plan serves all users.
_BY_ID = "(SELECT %(user_id)s::uuid AS id, NULL::uuid AS conversation_id, '' AS silence OFFSET 0)"
_BY_NAME = (
    "(SELECT o.id, (SELECT c.id FROM memory_conversation c WHERE c.user_id = o.id"
    " AND c.external_id = %(conversation)s::varchar) AS conversation_id,"
    " CASE WHEN o.paused_at IS NOT NULL THEN 'paused'"
    " WHEN EXISTS (SELECT FROM purpose p WHERE p.tenant_id = o.tenant_id AND p.ended_at IS NULL)"
    " AND 'answers' = ANY(withheld_v1(o.tenant_id, o.id)) THEN 'consent_missing' ELSE '' END AS silence"
    " FROM memory_user o"
    " WHERE o.tenant_id = %(tenant_id)s::uuid AND o.external_id = %(external_id)s::varchar AND o.fenced_at IS NULL)"
)


@dataclass(frozen=True, slots=True)
class UserIndex:
    """What a search reads of a user: all indexed messages as columns, and the dot product of each with the question.

    `dots` is None where they were not read, without a vector or of a user with many messages, and NaN for messages that
    have no vector.
    """

    user: UserRef
    places: Places
    dots: NDArray[np.float64] | None = None
    conversation_id: UUID | None = None
    """Our id of the conversation that was named, if it is there."""
    silence: str = ""
    """Why nothing of the memory may be used, as a code of `degraded_reasons` (D-38): only said of a user who was named.
    """
    read_ms: float = 0.0
    apart: Future[list[Rows]] | None = None
    """The dot products, packed, where they are being read on another connection; its transaction is not ours."""


def open_index(
    *, tenant_id: UUID, external_id: str, conversation: str | None, vector: QueryVector | None
) -> UserIndex | None:
    """The index of the user behind the tenant's own id, in one statement that may be the first of its scope.

    None where there is no such user, or a fenced one (SPEC G-2). The dot products of a user who had many messages the
    last time are read at the same time, on a connection of their own.
    """
    name = hash((tenant_id, external_id))
    known_id = _large.get(name)
    apart = _start_dots(known_id, vector) if known_id is not None and vector is not None else None
    values = {"tenant_id": tenant_id, "external_id": external_id, "conversation": conversation}
    inside = vector if apart is None else None
    index = _read_index(_BY_NAME, values, vector=inside, tenant_id=tenant_id, external_id=external_id)
    _remember_size(name, index)
    # Another user by that name now: what was read is nobody's.
    return index if index is None or index.user.id != known_id else replace(index, apart=apart)


def find_without_index(*, tenant_id: UUID, external_id: str, conversation: str | None) -> UserIndex | None:
    """As `open_index`, without reading any message: for an answer that has no time left to search."""
    statement = f"SELECT u.id, u.conversation_id, u.silence FROM {_BY_NAME} u"
    values = {"tenant_id": tenant_id, "external_id": external_id, "conversation": conversation}
    rows = run_in_scope([Query(statement, values)])[0]
    if not rows:
        return None
    user = UserRef(id=rows[0][0], tenant_id=tenant_id, external_id=external_id)
    return UserIndex(user, unpack_places(None, None), conversation_id=rows[0][1], silence=rows[0][2])


def read_index(*, user: UserRef, vector: QueryVector | None) -> UserIndex:
    """The index of a user who is known."""
    values = {"user_id": user.id}
    found = _read_index(_BY_ID, values, vector=vector, tenant_id=user.tenant_id, external_id=user.external_id)
    return replace(found, user=user) if found else UserIndex(user, unpack_places(None, None))


def read_places(*, user: UserRef) -> Places:
    """All indexed messages of a user as columns."""
    return read_index(user=user, vector=None).places


def _read_index(
    owner: str, values: Mapping[str, object], *, vector: QueryVector | None, tenant_id: UUID, external_id: str
) -> UserIndex | None:
    began = time.perf_counter()
    statement = bound_dimensions(read_sql("read_index").replace("(owner)", owner), vector)
    rows = run_in_scope([Query(statement, {**values, **_list_vector_values(vector), "most": MESSAGES_AT_ONCE})])[0]
    if not rows:
        return None
    user_id, conversation_id, silence, packed, lexemes, speakers, more, dots = rows[0]
    places = unpack_places(packed, lexemes, speakers=speakers, more=more)
    return UserIndex(
        user=UserRef(id=user_id, tenant_id=tenant_id, external_id=external_id),
        places=places,
        dots=find_dots(places, dots) if vector is not None and len(places) <= MESSAGES_AT_ONCE else None,
        conversation_id=conversation_id,
        silence=silence,
        read_ms=(time.perf_counter() - began) * 1000,
    )


def _list_vector_values(vector: QueryVector | None) -> dict[str, object]:
    if vector is None:
        return {"vector": None, "model": "", "dimensions": 0}
    return {
        "vector": Binary(pack_vector(vector.numbers)),
        "model": vector.model_name,
        "dimensions": vector.dimensions,
    }


def read_dots(*, user: UserRef, vector: QueryVector) -> bytes | None:
    """Dot products of the user's vectors with the question's, packed; None without any."""
    packed: bytes | None = run_in_scope([_write_dots(user.id, vector)])[0][0][0]
    return packed


def _write_dots(user_id: UUID, vector: QueryVector) -> Query:
    text = bound_dimensions(read_sql("read_dots"), vector)
    return Query(text, {"user_id": user_id, **_list_vector_values(vector)})


def _start_dots(user_id: UUID, vector: QueryVector) -> Future[list[Rows]] | None:
    return start_apart(_write_dots(user_id, vector), share=SHARE_OF_DOTS)


def _remember_size(name: int, index: UserIndex | None) -> None:
    if index is None or len(index.places) <= MESSAGES_AT_ONCE:
        _large.pop(name, None)
        return
    if len(_large) >= MAX_REMEMBERED:
        _large.clear()
    _large[name] = index.user.id


def bound_dimensions(statement: str, vector: QueryVector | None) -> str:
    """The statement for the vector's model: one too wide for an index entry is not in the partial index."""
    is_wide = vector is not None and vector.dimensions > MAX_INDEXED_DIMENSIONS
    return statement.replace(BOUNDED, "") if is_wide else statement


def list_lexemes(*, user: UserRef, message_ids: Sequence[UUID]) -> dict[UUID, bytes]:
    """The packed lexemes of some messages, by id."""
    rows: Iterable[tuple[UUID, bytes]] = fetch_rows(
        read_sql("fetch_lexemes"), {"user_id": user.id, "message_ids": list(message_ids)}
    )
    return dict(rows)


def fetch_packed(statement: str, parameters: Mapping[str, object]) -> tuple[Any, ...]:
    """The one row of a statement, its bytes as they are: as text they would be twice as long."""
    return run_in_scope([Query(statement, parameters)])[0][0]
