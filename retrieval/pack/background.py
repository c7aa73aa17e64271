"""What a pack needs beside search: the window, facts, pending messages, a fresh correction.

What is sent to the database together fails together; a part that cannot be opened or made is left out alone (P-8).
Facts are never left out silently: without them there is no pack, unless the caller has asked for one (D-38).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, OperationalError

from memory.database.queries import Query
from memory.epistemics import name_epistemic_type
from memory.errors import CodedError, FactsUnavailable
from memory.extraction.types import Unproven
from memory.extraction.unproven.showing import list_unproven, make_unproven_query
from memory.facts.reading import list_active_facts, list_facts_as_of, make_active_facts_query
from memory.selectors.actions import find_recent_correction, get_log_position, make_log_position_query
from memory.selectors.messages import list_recent_messages, make_recent_messages_query
from memory.tenants.database_errors import is_rolled_back
from memory.tenants.scope import prefetch
from memory.types import Fact, RecordedMessage
from retrieval.metrics import count_degraded
from retrieval.model_windows import ModelWindow, find_window
from retrieval.pack.fact_words import list_fact_words
from retrieval.pack.layers import has_layers, write_switch
from retrieval.pack.pending import list_pending_messages, make_pending_query
from retrieval.pack.tenant_windows import list_tenant_windows, make_tenant_windows_query
from retrieval.search.ranking_state import make_snapshot_version_query
from retrieval.search.stages import is_cancelled
from retrieval.types import ContextQuery, FactWords

WINDOW_MESSAGES = 10
EVIDENCE_OF_A_FACT = 2  # messages whose words a fact brings along: the latest ones
# Facts that prevent harm come first: a model that loses the end of a list loses the least.
FACT_ORDER = ("allergy", "hard_ban", "body_params", "budget", "life_event", "onboarding_style", "brand_preference")
Value = TypeVar("Value")


@dataclass(slots=True)
class Background:
    """Everything around the search.

    `question_id` is the stored message that the question is, if it is stored already.
    """

    window: list[RecordedMessage] = field(default_factory=list)
    question_id: UUID | None = None
    facts: list[Fact] = field(default_factory=list)
    words: FactWords = field(default_factory=dict)
    """What the user said, behind each fact."""
    unproven: list[Unproven] = field(default_factory=list)
    pending: list[RecordedMessage] = field(default_factory=list)
    context_window: ModelWindow | None = None
    has_layers: bool = False
    has_recent_correction: bool = False
    log_position: int = 0
    degraded_reasons: list[str] = field(default_factory=list)
    stores: list[str] = field(default_factory=list)


def gather_background(query: ContextQuery, *, now: datetime) -> Background:
    """Read what surrounds the question. A part whose store fails is left out, with a code.

    Raises FactsUnavailable where that part is the facts. A query that goes without facts gets nothing unproven either:
    facts decide what of it may be shown.
    """
    background = Background()
    with refuse_without_facts(query):
        prefetch(list_reads(query, now=now))
    read_window(query, background)
    if query.facts_missing:
        background.degraded_reasons.append(query.facts_missing)
    else:
        with refuse_without_facts(query):
            background.facts = read_facts(query, now=now)
        background.stores.append("facts")
        background.unproven = attempt(background, "unproven", lambda: read_unproven(query, background, now=now), [])
    background.log_position = get_log_position(user=query.user, as_of=query.as_of)
    has_room = query.max_tokens is None or query.max_tokens >= settings.UNDE_TUNING.LAYERS_FROM
    background.has_layers = has_room and (has_layers(user=query.user) if query.layers is None else query.layers)
    if query.model:
        own, shared = list_tenant_windows(user=query.user), settings.UNDE_TUNING.MODEL_WINDOWS
        background.context_window = find_window(query.model, own=own, shared=shared)
    if query.conversation_id and query.has_search:
        background.pending = [
            message
            for message in list_pending_messages(
                user=query.user, conversation_id=query.conversation_id, as_of=query.as_of
            )
            if message.id != background.question_id
        ]
    return background


@contextmanager
def refuse_without_facts(query: ContextQuery) -> Iterator[None]:
    """Turn what goes wrong where facts are read into FactsUnavailable, and count it.

    A query that goes without facts, a lost connection, and a statement that is late beside a search (it is asked again
    without searching) are left as they are.
    """
    try:
        yield
    except CodedError as failure:
        raise _refuse(failure.code) from None
    except DatabaseError as failure:
        is_late = query.has_search and isinstance(failure, OperationalError) and is_cancelled(failure)
        if query.facts_missing or is_late or not is_rolled_back(failure):
            raise
        raise _refuse("statement_failed") from None


def _refuse(cause: str) -> FactsUnavailable:
    count_degraded("context", [f"facts_{cause}"])
    return FactsUnavailable(fields={"facts": cause})


def list_reads(query: ContextQuery, *, now: datetime) -> list[Query]:
    """What is read of every user, sent together; each part is opened by itself below."""
    user, as_of = query.user, query.as_of
    reads = [make_log_position_query(user=user, as_of=as_of), make_snapshot_version_query(user=user, at=as_of)]
    if not query.facts_missing:
        reads.append(make_unproven_query(user=user, at=as_of or now))
        if as_of is None:
            reads.append(make_active_facts_query(user=user, now=now))
    if query.model:
        reads.append(make_tenant_windows_query(user=user))
    if query.layers is None:
        reads.append(write_switch(user=user))
    if query.conversation_id:
        conversation_id = query.conversation_id
        reads.append(
            make_recent_messages_query(
                user=user, conversation_id=conversation_id, limit=WINDOW_MESSAGES + 1, as_of=as_of
            )
        )
        if query.has_search:  # pending messages are found in the index as well: late with it, left out with it
            reads.append(make_pending_query(user=user, conversation_id=conversation_id, as_of=as_of))
    return reads


def add_correction(query: ContextQuery, background: Background) -> None:
    """Note whether the user has just corrected the service."""
    background.has_recent_correction = attempt(
        background, "actions", lambda: has_fresh_correction(query, background), False
    )


def add_words(query: ContextQuery, background: Background) -> None:
    """Add the user's own words behind each fact (T-3)."""
    background.words = list_fact_words(
        user=query.user, facts=background.facts, as_of=query.as_of, at_most=EVIDENCE_OF_A_FACT
    )


def read_window(query: ContextQuery, background: Background) -> None:
    """The last 10 messages, oldest first.

    When the newest is the question itself, it is the question and not the window.
    """
    if query.conversation_id is None:
        return
    window = list_recent_messages(
        user=query.user, conversation_id=query.conversation_id, limit=WINDOW_MESSAGES + 1, as_of=query.as_of
    )
    if window and window[-1].role == "user" and window[-1].content.strip() == query.text.strip():
        background.question_id = window.pop().id
    background.window = window[-WINDOW_MESSAGES:]


def read_facts(query: ContextQuery, *, now: datetime) -> list[Fact]:
    """What is known, or was known then: what may harm first, then by key."""
    if query.as_of:
        facts = list_facts_as_of(user=query.user, moment=query.as_of)
    else:
        facts = list_active_facts(user=query.user, now=now)
    limits, moment = settings.UNDE_TUNING.OUTDATED_AFTER, query.as_of or now
    facts = [name_epistemic_type(fact, at=moment, outdated_after=limits) for fact in facts]
    return sorted(facts, key=lambda fact: (_place_type(fact.knowledge_type), fact.knowledge_key, fact.id.bytes))


def read_unproven(query: ContextQuery, background: Background, *, now: datetime) -> list[Unproven]:
    """What may be so and is no fact: unverified allergens, and tastes where the tenant keeps them (D-25, X-7)."""
    return list_unproven(user=query.user, facts=background.facts, at=query.as_of or now)


def has_fresh_correction(query: ContextQuery, background: Background) -> bool:
    """Whether the user has just corrected the service, in the question or in their last message (SPEC P-10)."""
    said = list_said(background)
    return bool(said) and find_recent_correction(user=query.user, message_ids=said) is not None


def list_said(background: Background) -> list[UUID]:
    """The message that a fresh correction would be in: the question, or what the user said last."""
    if background.question_id:
        return [background.question_id]
    return [message.id for message in background.window if message.role == "user"][-1:]


def attempt(background: Background, store: str, read: Callable[[], Value], fallback: Value) -> Value:
    """Read from a store; when it fails in a way it foresees, go on without it and say so."""
    try:
        value = read()
    except CodedError as failure:
        background.degraded_reasons.append(f"{store}_{failure.code}")
        return fallback
    background.stores.append(store)
    return value


def _place_type(knowledge_type: str) -> int:
    return FACT_ORDER.index(knowledge_type) if knowledge_type in FACT_ORDER else len(FACT_ORDER)
