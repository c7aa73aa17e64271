"""The stages of search that need the database or the embedder, each with its own way to fail softly (SPEC S-1, P-8).

`retrieval.pipeline` reads as the order of these; `retrieval.search.fusion`, which is pure, ranks what they find.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db import OperationalError, transaction
from numpy.typing import NDArray
from psycopg import Error as DriverError
from psycopg.errors import QueryCanceled

from memory.database.statements import execute, fetch_row
from memory.tracing import run_stage
from memory.types import UserRef
from retrieval.embedding.types import EmbeddingFailed, EmbeddingProvider
from retrieval.search.candidates import NOTHING_RANKED, Candidates, Ranking, choose_candidates, find_called
from retrieval.search.columns import Places
from retrieval.search.fusion import FRESH_WINDOW, rank_candidates
from retrieval.search.matching import WordHits, match_words
from retrieval.search.metadata_filter import list_with_metadata
from retrieval.search.periods import Period, find_periods
from retrieval.search.questions import Question, read_question
from retrieval.search.recipes import Recipe
from retrieval.search.rewriting import merge_rankings
from retrieval.search.smoothing import find_dots, smooth
from retrieval.search.statement import MESSAGES_AT_ONCE, SHARE_OF_DOTS, UserIndex, read_dots, read_index
from retrieval.search.time_limits import TooLate, run_until
from retrieval.types import QueryVector, SearchFilters

Found_ = TypeVar("Found_")
QUERY_CANCELED = "57014"
SEARCH_LATE = "search_late"
VECTORS_MISSING = "vectors_missing"


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """A question read and embedded: made before the transaction, since an embedder may be across the network."""

    question: Question
    vector: QueryVector | None
    degraded_reasons: tuple[str, ...]
    embed_ms: float
    wordings: tuple[PreparedQuestion, ...] = ()
    """Other ways to ask it, from a model (SPEC S-2)."""
    is_rewritten: bool = False
    rewrite_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """One search, planned: whose messages, what is asked, how it is ranked, how long it may take."""

    user: UserRef
    prepared: PreparedQuestion
    recipe: Recipe
    now: datetime
    filters: SearchFilters = field(default_factory=SearchFilters)
    as_of: datetime | None = None
    excluded_ids: tuple[UUID, ...] = ()
    deadline_ms: int = 2_000
    is_skipped: bool = False
    is_paused: bool = False
    """Skipped since the person wants it so, which is not late."""
    """The search was late once: nothing is looked for, and it says so."""
    index: UserIndex | None = None
    """What was read for this question already."""


@dataclass(slots=True)
class Found:
    """Ranked candidates, the question as read, and what was missing on the way."""

    question: Question
    vector: QueryVector | None
    message_count: int
    as_of: datetime | None = None
    wordings: tuple[str, ...] = ()
    ranked: Ranking = NOTHING_RANKED
    periods: tuple[Period, ...] = ()
    degraded_reasons: list[str] = field(default_factory=list)
    timings_ms: dict[str, float] = field(default_factory=dict)
    stores: list[str] = field(default_factory=lambda: ["full_text"])
    index: UserIndex | None = None


def prepare_question(
    *, text: str, provider: EmbeddingProvider | None, deadline_ms: int | None = None
) -> PreparedQuestion:
    """Read and embed a question. Touches no database.

    Without a vector the reason is noted and full text answers alone. `None`: as long as the provider takes.
    """
    started = time.perf_counter()
    vector, reasons = embed_question(text=text, provider=provider, deadline_ms=deadline_ms)
    return PreparedQuestion(read_question(text), vector, reasons, round((time.perf_counter() - started) * 1000, 3))


def embed_question(
    *, text: str, provider: EmbeddingProvider | None, deadline_ms: int | None
) -> tuple[QueryVector | None, tuple[str, ...]]:
    """The question's vector, or None with the reason: no provider, the provider failed, or it was late.

    Stop words alone give neither.
    """
    if provider is None:
        return None, ("vectors_off",)
    try:
        # The built-in embedder waits for nobody; a thread of its own would only cost.
        if provider.is_inline or deadline_ms is None:
            numbers = provider.embed_query(text)
        else:
            numbers = run_until(lambda: provider.embed_query(text), deadline_ms=deadline_ms)
    except EmbeddingFailed as failure:
        return None, (failure.code,)
    except TooLate:
        return None, ("embedding_late",)
    if not any(numbers):
        return None, ()
    return QueryVector(numbers, provider.name, provider.dimensions), ()


def find_ranked(plan: SearchPlan) -> Found:
    """Find candidates and put them in order, those of other wordings of the question among them (SPEC S-2)."""
    if plan.is_skipped:
        return find_nothing(plan)
    found = find_worded(plan)
    prepared = plan.prepared
    found.as_of = plan.as_of
    if not prepared.is_rewritten:
        return found
    found.timings_ms["rewrite"] = prepared.rewrite_ms
    found.stores.append("rewriting")
    found.wordings = tuple(wording.question.text for wording in prepared.wordings)
    # The same messages, other vectors.
    index = replace(found.index, dots=None, apart=None) if found.index else None
    others = [find_worded(replace(plan, prepared=wording, index=index)).ranked for wording in prepared.wordings]
    found.ranked = measure(found.timings_ms, "merge", lambda: merge_rankings(found.ranked, others))
    return found


def find_nothing(plan: SearchPlan) -> Found:
    """The answer where there is no time left to search, or the person has paused their memory."""
    reasons = [*plan.prepared.degraded_reasons, *([] if plan.is_paused else [SEARCH_LATE])]
    return Found(question=plan.prepared.question, vector=None, message_count=0, degraded_reasons=reasons, stores=[])


def find_worded(plan: SearchPlan) -> Found:
    """Find candidates and put them in order. Vectors missing or late: full text alone, and it says so."""
    prepared = plan.prepared
    timings = {"embed": prepared.embed_ms}
    index = plan.index or read_index(user=plan.user, vector=prepared.vector)
    timings["places"] = round(index.read_ms, 3)
    places = index.places
    found = Found(
        question=prepared.question,
        vector=prepared.vector,
        message_count=len(places),
        timings_ms=timings,
        index=index,
    )
    found.degraded_reasons.extend(prepared.degraded_reasons)
    # Words first: the dot products of many messages may be on their way.
    in_scope, hits = measure(timings, "words", lambda: find_words(plan, places))
    smoothed = measure(timings, "vectors", lambda: find_smoothed(plan, index, found))
    found.periods = find_named_periods(plan, places)
    candidates = measure(timings, "candidates", lambda: find_candidates(plan, places, hits, smoothed, in_scope, found))
    dense_weight = plan.recipe.weigh_dense(found.vector.model_name) if found.vector else 0.0
    found.ranked = measure(
        timings,
        "rank",
        lambda: rank_candidates(
            candidates,
            question=found.question,
            recipe=plan.recipe,
            dense_weight=dense_weight,
            periods=found.periods,
        ),
    )
    return found


def find_named_periods(plan: SearchPlan, places: Places) -> tuple[Period, ...]:
    """The times that the question names, relative to `as_of` or now and to what was said last."""
    if not len(places):
        return ()
    latest = datetime.fromtimestamp(float(places.said_at.max()), tz=plan.now.tzinfo)
    return find_periods(plan.prepared.question.text, now=plan.as_of or plan.now, latest=latest)


def find_smoothed(plan: SearchPlan, index: UserIndex, found: Found) -> NDArray[np.float64]:
    """Smoothed dot products of all places, NaN without a vector. For users with many messages they are a statement that
    has half of the deadline: vectors that are late leave the answer to full text (D-13)."""
    vector, places, dots = found.vector, index.places, index.dots
    if vector is None:
        return np.full(len(places), np.nan)
    if dots is None:
        limit_ms = int(plan.deadline_ms * SHARE_OF_DOTS) if len(places) > MESSAGES_AT_ONCE else None
        try:
            packed = await_dots(index, deadline_ms=plan.deadline_ms) or run_limited(
                lambda: read_dots(user=plan.user, vector=vector), timeout_ms=limit_ms
            )
        except SearchLate:
            found.degraded_reasons.append("vectors_late")
            found.vector = None
            return np.full(len(places), np.nan)
        dots = find_dots(places, packed)
    if has_no_vector(dots, places, now=plan.now):
        found.degraded_reasons.append(VECTORS_MISSING)
    else:
        found.stores.append("vectors")
    weights = places.choose_weights(plan.recipe.smoothing, plan.recipe.assistant_smoothing)
    return smooth(dots, places, weights=weights)


def has_no_vector(dots: NDArray[np.float64], places: Places, *, now: datetime) -> bool:
    """Whether no message has a vector of the model in use, though some are old enough for one and have words: so it is
    after a change of the engine until vectors are made anew (SPEC E-1)."""
    if not np.isnan(dots).all():
        return False
    awaited = places.find_received_after(now - FRESH_WINDOW) | (places.columns["len"] == 0)
    return not bool(awaited.all())


def await_dots(index: UserIndex, *, deadline_ms: int) -> bytes | None:
    """The dot products that another connection reads, packed; None where none does or it failed.

    Raises SearchLate when they passed their time limit, or nothing is heard for a second beyond it.
    """
    if index.apart is None:
        return None
    try:
        packed: bytes | None = index.apart.result(
            deadline_ms / 1000 * SHARE_OF_DOTS + settings.UNDE_TUNING.SEARCH_GRACE_SECONDS
        )[-1][0][0]
    except (QueryCanceled, TimeoutError):
        raise SearchLate from None
    except DriverError:  # a connection that went away: this one may be well
        return None
    return packed


def find_words(plan: SearchPlan, places: Places) -> tuple[NDArray[np.bool_], WordHits]:
    """Which places are asked for, and what words say of them."""
    in_scope = places.find_in_scope(filters=plan.filters, as_of=plan.as_of, excluded_ids=plan.excluded_ids)
    if plan.filters.metadata is not None:
        in_scope &= np.isin(places.message_ids, list_with_metadata(user=plan.user, expression=plan.filters.metadata))
    return in_scope, match_words(places, question=plan.prepared.question, recipe=plan.recipe, in_scope=in_scope)


def find_candidates(
    plan: SearchPlan,
    places: Places,
    hits: WordHits,
    smoothed: NDArray[np.float64],
    in_scope: NDArray[np.bool_],
    found: Found,
) -> Candidates:
    """What may answer the question, with what ranking needs of it."""
    called = find_called(
        places,
        hits=hits,
        smoothed=smoothed,
        in_scope=in_scope,
        question=found.question,
        periods=found.periods,
        recipe=plan.recipe,
    )
    return choose_candidates(
        places,
        hits=hits,
        smoothed=smoothed,
        in_scope=in_scope,
        is_fresh=places.find_received_after(plan.now - FRESH_WINDOW) & (found.vector is not None),
        question=found.question,
        recipe=plan.recipe,
        called=called,
    )


def is_cancelled(error: OperationalError) -> bool:
    """Whether a statement passed its time limit."""
    return getattr(error.__cause__, "sqlstate", None) == QUERY_CANCELED


class SearchLate(Exception):
    """The statement passed its time limit."""


def run_limited(work: Callable[[], Found_], *, timeout_ms: int | None) -> Found_:
    """Do the work, its statements under a time limit in a savepoint that survives its end. Raises SearchLate.

    Without a limit the one in force stays.
    """
    if timeout_ms is None:
        return work()
    try:
        with transaction.atomic(), limit_statements(timeout_ms):
            return work()
    except OperationalError as error:
        if not is_cancelled(error):
            raise
        raise SearchLate from None


class limit_statements:
    """Set the statement timeout inside a transaction and put the old one back."""

    def __init__(self, timeout_ms: int) -> None:
        self.timeout_ms = timeout_ms
        self.old = "0"

    def __enter__(self) -> None:
        self.old = fetch_row(
            "SELECT current_setting('statement_timeout'), set_config('statement_timeout', %s, true)",
            [str(self.timeout_ms)],
        )[0]

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if kind is None:
            execute("SELECT set_config('statement_timeout', %s, true)", [self.old])


def measure(timings_ms: dict[str, float], name: str, work: Callable[[], Found_]) -> Found_:
    """Do the work and note the milliseconds it took."""
    started = time.perf_counter()
    result = run_stage(f"unde.search.{name}", work)
    timings_ms[name] = round((time.perf_counter() - started) * 1000, 3)
    return result
