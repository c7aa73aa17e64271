"""The statements that find what a question may mean (D-13): places and dot products, hits by words, features by key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db import connection

from memory.types import UserRef
from retrieval.embedding.types import format_vector
from retrieval.fusion import FRESH_WINDOW
from retrieval.questions import Question
from retrieval.recipes import Recipe
from retrieval.smoothing import Places, unpack_places
from retrieval.sql import read_sql
from retrieval.tsvectors import quote_lexeme
from retrieval.types import Candidate, SearchFilters

MAX_INDEXED_DIMENSIONS = 1300  # wider vectors do not fit an index entry (D-12)
Row = tuple[Any, ...]  # as sql/find_hits.sql ends
MATCHED = 1e-9  # ts_rank of a term that a message lacks is 1e-20


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question's vector and the model it may be compared under."""

    numbers: Sequence[float]
    model_name: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class CandidateRequest:
    """What the statements are asked for."""

    user: UserRef
    question: Question
    vector: QueryVector | None
    filters: SearchFilters
    as_of: datetime | None
    recipe: Recipe
    now: datetime
    excluded_ids: tuple[UUID, ...] = ()


@dataclass(slots=True)
class Nearness:
    """What vectors say: the best messages inside the filters, best first, and the latest that wait for a vector."""

    places: Places | None = None
    nearest_ids: list[UUID] = field(default_factory=list)
    fresh_ids: list[UUID] = field(default_factory=list)

    def find_smoothed(self, conversation_id: UUID, seq: int) -> float | None:
        """The smoothed dot product of a place, None without one."""
        return self.places.find_smoothed(conversation_id, seq) if self.places else None


def count_indexed(*, user: UserRef) -> int:
    """About how many messages the user has: the places taken in conversations, forgotten ones included.

    One small read.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(sum(last_seq), 0) FROM memory_conversation WHERE user_id = %s", [user.id])
        return int(cursor.fetchone()[0])


def read_nearness(request: CandidateRequest) -> Nearness:
    """Dot products of all the user's messages with the question, smoothed over sessions. Nothing without a vector."""
    vector = request.vector
    if vector is None:
        return Nearness()
    scope, parameters = _list_scope(request)
    statement = read_sql("read_places").replace("/*scope*/", scope)
    if vector.dimensions > MAX_INDEXED_DIMENSIONS:
        statement = statement.replace("AND e.dimensions <= 1300", "")
    parameters |= {
        "vector": format_vector(vector.numbers),
        "model": vector.model_name,
        "dimensions": vector.dimensions,
        "fresh_since": request.now - FRESH_WINDOW,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows = cursor.fetchall()
    packed = [(row[0], row[1]) for row in rows if row[0] is not None]
    dots = next((row[1] for row in rows if row[0] is None), None) or b""
    places = unpack_places(packed, dots, weights=request.recipe.smoothing)
    fresh_ids = [message_id for row in rows for message_id in row[2] or ()]
    waiting = sorted(places.list_without_vector(fresh_ids))[-request.recipe.depth :]
    return Nearness(places, places.choose_nearest(depth=request.recipe.depth), waiting)


def find_by_words(request: CandidateRequest, nearness: Nearness) -> list[Row]:
    """The best messages by words, and those that vectors chose with what words say of them."""
    if not request.question.terms:
        return list_near(request, nearness)
    scope, parameters = _list_scope(request)
    statement = _write_hits_statement(request.question).replace("/*scope*/", scope)
    for place, term in enumerate(request.question.terms):
        parameters[f"query_{place}"] = quote_lexeme(term.lexeme)
        parameters[f"weight_{place}"] = term.weight
    parameters |= {
        "any_query": " | ".join(quote_lexeme(term.lexeme) for term in request.question.terms),
        "rank_weights": list(request.recipe.position_weights),
        "length_scale": request.recipe.length_scale,
        "depth": request.recipe.depth,
        "count_in_scope": nearness.places.count_in_scope() if nearness.places else _count_in_scope(request),
        "near_ids": _format_ids(nearness),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def list_near(request: CandidateRequest, nearness: Nearness) -> list[Row]:
    """The messages that vectors chose, and those of the last minutes; words say nothing of them."""
    if not nearness.nearest_ids and not nearness.fresh_ids:
        return []
    scope, parameters = _list_scope(request)
    statement = read_sql("fetch_features").replace("/*scope*/", scope)
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters | {"near_ids": _format_ids(nearness)})
        return list(cursor.fetchall())


def list_candidates(rows: Iterable[Row], *, nearness: Nearness) -> list[Candidate]:
    """The rows with their smoothed dot products, by id (P-7).

    A message of the last minutes that neither words nor vectors chose takes part only while it has no vector (D-18).
    """
    sessions: dict[tuple[UUID, int], int] = {}
    fresh_ids, nearest_ids = frozenset(nearness.fresh_ids), frozenset(nearness.nearest_ids)
    candidates = []
    for row in sorted(rows, key=itemgetter(0)):
        message_id, conversation_id, seq, session_no, role, memory_type, speaker, traits, words, said_at, *hit = row
        lexical, covered = hit
        smoothed = nearness.find_smoothed(conversation_id, seq)
        is_unembedded = smoothed is None and message_id in fresh_ids
        if lexical or is_unembedded or message_id in nearest_ids:
            session = sessions.setdefault((conversation_id, session_no), len(sessions))
            candidates.append(
                Candidate(
                    message_id=message_id,
                    session_key=session,
                    role=role,
                    memory_type=memory_type,
                    speaker=speaker,
                    traits=traits,
                    len=words,
                    said_at=said_at,
                    lexical=lexical,
                    covered=covered,
                    smoothed=smoothed,
                    is_unembedded=is_unembedded,
                )
            )
    return candidates


def _count_in_scope(request: CandidateRequest) -> int:
    scope, parameters = _list_scope(request)
    with connection.cursor() as cursor:
        cursor.execute(read_sql("count_places").replace("/*scope*/", scope), parameters)
        return int(cursor.fetchone()[0])


def _format_ids(nearness: Nearness) -> str:
    # As one text: the driver writes a long list element by element, which takes longer than reading the rows.
    return "{" + ",".join(map(str, (*nearness.nearest_ids, *nearness.fresh_ids))) + "}"


def _list_scope(request: CandidateRequest) -> tuple[str, dict[str, object]]:
    """The filters that are set as a condition on `i`, and the parameters of it and of the user."""
    filters = request.filters
    bounds = [moment for moment in (filters.created_to, request.as_of) if moment]
    conditions = {
        "i.conversation_id = %(conversation_id)s::uuid": ("conversation_id", filters.conversation_id),
        "i.role = ANY(%(roles)s::text[])": ("roles", list(filters.roles or ())),
        "i.memory_type = ANY(%(memory_types)s::text[])": ("memory_types", list(filters.memory_types or ())),
        "i.created_at >= %(created_from)s::timestamptz": ("created_from", filters.created_from),
        "i.created_at <= %(created_to)s::timestamptz": ("created_to", min(bounds) if bounds else None),
        "NOT i.message_id = ANY(%(excluded_ids)s::uuid[])": ("excluded_ids", list(request.excluded_ids)),
    }
    used = {condition: pair for condition, pair in conditions.items() if pair[1]}
    parameters: dict[str, object] = {"user_id": request.user.id}
    return " AND ".join(used) or "true", parameters | dict(used.values())


def _write_hits_statement(question: Question) -> str:
    """The statement with one column a group of terms; values stay parameters."""
    groups: dict[int, list[str]] = {}
    for place, term in enumerate(question.terms):
        rank = f"%(weight_{place})s::float4 * ts_rank(%(rank_weights)s::float4[], i.tsv, %(query_{place})s::tsquery)"
        groups.setdefault(term.group, []).append(rank)
    idf = "ln(1 + (%(count_in_scope)s::float8 - df + 0.5) / (df + 0.5))"
    lists = {
        "ranks": ", ".join(f"greatest({', '.join(ranks)}) AS rank_{group}" for group, ranks in groups.items()),
        "idfs": ", ".join(
            f"{idf.replace('df', f'(count(*) FILTER (WHERE rank_{group} > {MATCHED}))')} AS idf_{group}"
            for group in groups
        ),
        "lexical": " + ".join(f"idf_{group} * rank_{group}" for group in groups),
        "covered": " + ".join(f"CASE WHEN rank_{group} > {MATCHED} THEN idf_{group} ELSE 0 END" for group in groups),
    }
    statement = read_sql("find_hits")
    for name, text in lists.items():
        statement = statement.replace(f"/*{name}*/", text)
    return statement
