"""What a pack needs beside search: the window, facts, pending messages, a fresh correction.

What is sent to the database together fails together; a part that cannot be opened or made is left out alone (P-8).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from memory.errors import CodedError
from memory.exchange import Statement
from memory.extraction.types import Unproven
from memory.extraction.unproven import list_unproven, write_unproven
from memory.selectors.actions import find_recent_correction, get_log_position, write_log_position
from memory.selectors.facts import list_active_facts, list_facts_as_of, write_active_facts
from memory.selectors.messages import list_recent_messages, write_recent_messages
from memory.tenants.scope import read_ahead
from memory.types import Fact, RecordedMessage
from retrieval.selectors.pending import list_pending_messages, write_pending
from retrieval.selectors.usefulness import write_snapshot_version
from retrieval.types import ContextQuery

WINDOW_MESSAGES = 10
# What may harm comes first: a model that loses the end of a list loses the least.
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
    unproven: list[Unproven] = field(default_factory=list)
    pending: list[RecordedMessage] = field(default_factory=list)
    has_recent_correction: bool = False
    log_position: int = 0
    degraded_reasons: list[str] = field(default_factory=list)
    stores: list[str] = field(default_factory=list)


def gather_background(query: ContextQuery, *, now: datetime) -> Background:
    """Read what surrounds the question. A part whose store fails is left out, with a code."""
    background = Background()
    read_ahead(list_reads(query, now=now))
    read_window(query, background)
    background.facts = attempt(background, "facts", lambda: read_facts(query, now=now), [])
    background.unproven = attempt(background, "unproven", lambda: read_unproven(query, background, now=now), [])
    background.log_position = get_log_position(user=query.user, as_of=query.as_of)
    if query.conversation_id and query.has_search:
        background.pending = [
            message
            for message in list_pending_messages(
                user=query.user, conversation_id=query.conversation_id, as_of=query.as_of
            )
            if message.id != background.question_id
        ]
    return background


def list_reads(query: ContextQuery, *, now: datetime) -> list[Statement]:
    """What is read of every user, sent together; each part is opened by itself below."""
    user, as_of = query.user, query.as_of
    reads = [
        write_unproven(user=user, at=as_of or now),
        write_log_position(user=user, as_of=as_of),
        write_snapshot_version(user=user, at=as_of),
    ]
    if as_of is None:
        reads.append(write_active_facts(user=user, now=now))
    if query.conversation_id:
        conversation_id = query.conversation_id
        reads.append(
            write_recent_messages(user=user, conversation_id=conversation_id, limit=WINDOW_MESSAGES + 1, as_of=as_of)
        )
        if query.has_search:  # pending messages are found in the index as well: late with it, left out with it
            reads.append(write_pending(user=user, conversation_id=conversation_id, as_of=as_of))
    return reads


def add_correction(query: ContextQuery, background: Background) -> None:
    """Note whether the user has just corrected the service."""
    background.has_recent_correction = attempt(
        background, "actions", lambda: has_fresh_correction(query, background), False
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
