"""Values that travel through search and the pack. Pure: no Django, nothing here reads or writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Final
from uuid import UUID

from memory.epistemics import find_unproven_type
from memory.extraction.types import Unproven
from memory.types import Fact, RecordedMessage, UserRef
from retrieval.model_windows import ModelWindow
from retrieval.search.metadata import Expression


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """What a hit must be, beside relevant. None means anything; times are inclusive."""

    roles: tuple[str, ...] | None = None
    memory_types: tuple[str, ...] | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    conversation_id: UUID | None = None
    metadata: Expression | None = None


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question's vector and the model it may be compared under."""

    numbers: Sequence[float]
    model_name: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A question to one user's messages."""

    user: UserRef
    text: str
    top_k: int = 8
    filters: SearchFilters = field(default_factory=SearchFilters)
    as_of: datetime | None = None
    trace: bool = False
    has_search: bool = True
    """False where search was late already: the answer says so and finds nothing (P-8)."""


PAUSED: Final = "paused"
"""In `degraded_reasons`: the person has paused their memory, and nothing of it is used (D-38)."""
CONSENT_MISSING: Final = "consent_missing"
"""In `degraded_reasons`: the person has not agreed that their memory is used in answers."""


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """What one reply needs to be known for.

    `conversation_id` is ours; None when the conversation has no message yet.
    """

    user: UserRef
    text: str
    conversation_id: UUID | None = None
    max_tokens: int | None = None
    intent: str = ""
    mood: str = ""
    model: str = ""
    as_of: datetime | None = None
    trace: bool = False
    has_search: bool = True
    """False where search was late already: what else a reply needs is there all the same (P-8)."""
    layers: bool | None = None
    """Whether episodes take part (L-3); None: as the tenant has set it."""
    facts_missing: str = ""
    """Why the pack goes without facts, as a code of `degraded_reasons`; empty: facts are read (D-38)."""
    corpora: tuple[str, ...] = ()
    """Corpora of the tenant that the reply may rest on too."""
    zone: tzinfo = UTC
    """That of the tenant: the days that the model reads are those of its users."""

    @property
    def is_paused(self) -> bool:
        """Whether nothing of the user's memory may be used."""
        return self.facts_missing in (PAUSED, CONSENT_MISSING)

    def pause(self, reason: str = PAUSED) -> ContextQuery:
        """The same for a person whose memory may not be used: the running conversation and corpora alone."""
        return replace(self, has_search=False, layers=False, facts_missing=reason)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message that a question may mean, with raw features (D-13).

    `session_key` numbers the user's sessions within one answer; `said_at` is in seconds since 1970; `lexical` is the
    sum of idf x rank before any length norm; `smoothed` is None without a vector, and `is_unembedded` says that the
    message is of the last minutes and still waits for one (D-18).
    """

    message_id: UUID
    session_key: int
    role: str
    memory_type: str
    speaker: str
    traits: int
    len: int
    said_at: float
    lexical: float
    covered: float
    smoothed: float | None
    is_unembedded: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its final score, and the parts it came from (for trace and receipt)."""

    candidate: Candidate
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SpanMessage:
    """A message beside a hit: at most 200 characters of it. Core context is exempt from the privacy guard (K28)."""

    message_id: UUID
    role: str
    text: str
    is_core: bool = False
    similarity: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """As API.md names it."""
        return {"message_id": str(self.message_id), "role": self.role, "text": self.text}


@dataclass(frozen=True, slots=True)
class EpisodeCard:
    """One hit: snippet (an index, never trusted), raw excerpt (trusted), message id, span context (SPEC section 2)."""

    message_id: UUID
    client_id: str | None
    conversation_id: str
    role: str
    speaker: str
    memory_type: str
    mood: str
    created_at: datetime
    score: float
    snippet: str
    raw_excerpt: str
    span_context: tuple[SpanMessage, ...] = ()
    trace: Mapping[str, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """As API.md names it; `trace` only when it was asked for."""
        body: dict[str, Any] = {
            "message_id": str(self.message_id),
            "client_id": self.client_id,
            "conversation_id": self.conversation_id,
            "role": self.role,
            "created_at": self.created_at.isoformat(),
            "score": round(self.score, 6),
            "snippet": self.snippet,
            "raw_excerpt": self.raw_excerpt,
            "span_context": [message.to_dict() for message in self.span_context],
        }
        if self.trace is not None:
            body["trace"] = {name: round(value, 6) for name, value in self.trace.items()}
        return body


@dataclass(frozen=True, slots=True)
class FactExcerpt:
    """What the user said in one message behind a fact, word for word (SPEC T-3, S-4)."""

    message_id: UUID
    text: str

    def to_dict(self) -> dict[str, str]:
        """As API.md names it."""
        return {"message_id": str(self.message_id), "text": self.text}


FactWords = Mapping[UUID, tuple[FactExcerpt, ...]]
"""The excerpts of each fact, by its id, oldest first."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a search. `degraded_reason` is None when everything took part."""

    results: tuple[EpisodeCard, ...]
    degraded_reason: str | None
    receipt_id: UUID
    trace: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """As API.md names it."""
        body: dict[str, Any] = {
            "results": [card.to_dict() for card in self.results],
            "degraded_reason": self.degraded_reason,
            "receipt_id": str(self.receipt_id),
        }
        if self.trace is not None:
            body["trace"] = dict(self.trace)
        return body


@dataclass(frozen=True, slots=True)
class Directive:
    """One system rule of the pack, in the user's language, with the name and version of its template."""

    name: str
    language: str
    version: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        """As API.md names it."""
        return {"name": self.name, "language": self.language, "version": self.version, "text": self.text}


@dataclass(frozen=True, slots=True)
class SlotUse:
    """How many tokens a part of the pack was given and took."""

    allotted: int
    used: int


@dataclass(frozen=True, slots=True)
class KnowledgePassage:
    """A passage of a corpus in a pack. `citation` is what the reply names it by."""

    corpus: str
    document_id: str | None
    record_id: str | None
    chunk_id: int | None
    title: str
    text: str
    citation: str

    def to_dict(self) -> dict[str, Any]:
        """As API.md names it."""
        return {
            "corpus": self.corpus,
            "document_id": self.document_id,
            "record_id": self.record_id,
            "chunk_id": self.chunk_id,
            "title": self.title,
            "text": self.text,
            "citation": self.citation,
        }


@dataclass(frozen=True, slots=True)
class ContextPack:
    """What one reply needs (SPEC P-1). The same state, query, settings and `now` give the same pack (P-7)."""

    directives: tuple[Directive, ...]
    facts: tuple[Fact, ...]
    episode_cards: tuple[EpisodeCard, ...]
    recent_messages: tuple[RecordedMessage, ...]
    pending_raw: tuple[RecordedMessage, ...]
    budget: Mapping[str, SlotUse]
    tokenizer: str
    degraded_reasons: tuple[str, ...]
    receipt_id: UUID
    language: str
    rendered: tuple[Mapping[str, str], ...]
    summary_blocks: tuple[Mapping[str, Any], ...] = ()
    entity_slots: tuple[Mapping[str, Any], ...] = ()
    knowledge: tuple[KnowledgePassage, ...] = ()
    unverified: tuple[Unproven, ...] = ()
    adaptive_items: tuple[Unproven, ...] = ()
    words: FactWords = field(default_factory=dict)
    """What each fact rests on, as far as the pack has room for it."""
    context_window: ModelWindow | None = None
    """Of the model that was named; None for one that no table knows."""
    trace: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """As API.md names it."""
        budget: dict[str, Any] = {
            slot: {"allotted": use.allotted, "used": use.used} for slot, use in self.budget.items()
        }
        body: dict[str, Any] = {
            "directives": [directive.to_dict() for directive in self.directives],
            "facts": [describe_fact(fact, excerpts=self.words.get(fact.id, ())) for fact in self.facts],
            "unverified": [describe_unproven(one) for one in self.unverified],
            "adaptive_items": [describe_unproven(one) for one in self.adaptive_items],
            "episode_cards": [card.to_dict() for card in self.episode_cards],
            "recent_messages": [describe_message(message) for message in self.recent_messages],
            "pending_raw": [describe_pending(message) for message in self.pending_raw],
            "summary_blocks": [dict(block) for block in self.summary_blocks],
            "entity_slots": [dict(slot) for slot in self.entity_slots],
            "knowledge": [passage.to_dict() for passage in self.knowledge],
            "budget": budget
            | {
                "tokenizer": self.tokenizer,
                "context_window": self.context_window.to_dict() if self.context_window else None,
            },
            "degraded_reasons": list(self.degraded_reasons),
            "language": self.language,
            "receipt_id": str(self.receipt_id),
            "rendered": {"messages": [dict(message) for message in self.rendered]},
        }
        if self.trace is not None:
            body["trace"] = dict(self.trace)
        return body


def describe_fact(fact: Fact, *, excerpts: Sequence[FactExcerpt] = ()) -> dict[str, Any]:
    """A fact as a pack carries it: with what the user said (T-3)."""
    return {
        "id": str(fact.id),
        "knowledge_type": fact.knowledge_type,
        "knowledge_key": fact.knowledge_key,
        "value": fact.value,
        "confidence": fact.confidence,
        "provenance": fact.provenance,
        "epistemic_type": fact.epistemic_type,
        "extracted_from": fact.extracted_from,
        "valid_at": fact.valid_at.isoformat(),
        "expires_at": fact.expires_at.isoformat() if fact.expires_at else None,
        "is_disputed": fact.is_disputed,
        "evidence_message_ids": [str(message_id) for message_id in fact.evidence_message_ids],
        "excerpts": [excerpt.to_dict() for excerpt in excerpts],
    }


def describe_unproven(one: Unproven) -> dict[str, Any]:
    """A candidate or an adaptive item as a pack carries it: with what the user said (T-3)."""
    return {
        "id": str(one.id),
        "knowledge_type": one.knowledge_type,
        "knowledge_key": one.knowledge_key,
        "value": one.value,
        "confidence": one.confidence,
        "provenance": "observation",
        "epistemic_type": find_unproven_type(one.source, one.knowledge_type),
        "said_at": one.said_at.isoformat(),
        "raw_excerpt": one.excerpt,
        "evidence_message_ids": [str(message_id) for message_id in one.evidence_message_ids],
    }


def describe_message(message: RecordedMessage) -> dict[str, Any]:
    """A recent message as a pack carries it."""
    return {
        "message_id": str(message.id),
        "role": message.role,
        "speaker": message.speaker,
        "content": message.content,
        "created_at": message.created_at.isoformat(),
    }


def describe_pending(message: RecordedMessage) -> dict[str, Any]:
    """A message that extraction has not read yet, as a pack carries it."""
    return {"message_id": str(message.id), "content": message.content, "created_at": message.created_at.isoformat()}
