"""The one statement that finds what a question may mean (D-13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.types import UserRef
from retrieval.embedding.types import format_vector
from retrieval.fusion import FRESH_WINDOW
from retrieval.questions import Question
from retrieval.recipes import Recipe
from retrieval.sql import read_sql
from retrieval.tsvectors import quote_lexeme
from retrieval.types import Candidate, SearchFilters

MAX_INDEXED_DIMENSIONS = 1300  # wider vectors do not fit an index entry (D-12)
LARGE_USER_MESSAGES = 5_000  # above it the rarest terms choose the candidates first (D-13)


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question's vector and the model it may be compared under."""

    numbers: Sequence[float]
    model_name: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class CandidateRequest:
    """What the statement is asked for."""

    user: UserRef
    question: Question
    vector: QueryVector | None
    filters: SearchFilters
    as_of: datetime | None
    recipe: Recipe
    now: datetime
    excluded_ids: tuple[UUID, ...] = ()
    message_count: int = 0


def count_indexed(*, user: UserRef) -> int:
    """About how many messages the user has: the places taken in conversations, forgotten ones included.

    One small read.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(sum(last_seq), 0) FROM memory_conversation WHERE user_id = %s", [user.id])
        return int(cursor.fetchone()[0])


def find_candidates(request: CandidateRequest, *, is_large: bool = False) -> list[Candidate]:
    """At most a few hundred candidates with raw features, no text, in a stable order. Writes nothing.

    `is_large` takes the statement for users beyond 5,000 messages, where the rarest terms choose first.
    """
    statement = read_sql("find_candidates_large" if is_large else "find_candidates")
    vector = request.vector
    if vector is not None and vector.dimensions > MAX_INDEXED_DIMENSIONS:
        statement = statement.replace("AND e.dimensions <= 1300", "")
    with connection.cursor() as cursor:
        cursor.execute(statement, _build_parameters(request))
        return [Candidate(*row) for row in cursor.fetchall()]


def _build_parameters(request: CandidateRequest) -> dict[str, object]:
    filters, recipe, vector = request.filters, request.recipe, request.vector
    bounds = [moment for moment in (filters.created_to, request.as_of) if moment]
    terms = request.question.terms
    queries = [quote_lexeme(term.lexeme) for term in terms]
    return {
        "user_id": request.user.id,
        "conversation_id": filters.conversation_id,
        "roles": list(filters.roles) if filters.roles else None,
        "memory_types": list(filters.memory_types) if filters.memory_types else None,
        "created_from": filters.created_from,
        "created_to": min(bounds) if bounds else None,
        "excluded_ids": list(request.excluded_ids),
        "groups": [term.group for term in terms],
        "queries": queries,
        "any_query": " | ".join(queries),
        "weights": [term.weight for term in terms],
        "rank_weights": list(recipe.position_weights),
        "length_scale": recipe.length_scale,
        "previous_weight": recipe.smoothing[0],
        "before_previous_weight": recipe.smoothing[1],
        "next_weight": recipe.smoothing[2],
        "vector": format_vector(vector.numbers) if vector else None,
        "model": vector.model_name if vector else "",
        "dimensions": vector.dimensions if vector else 0,
        "depth": recipe.depth,
        "message_count": request.message_count,
        "fresh_since": request.now - FRESH_WINDOW,
    }
