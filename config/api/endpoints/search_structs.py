"""What goes over the wire of searches, packs and their receipts (API.md), as `structs` has it for the rest."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import ExternalId, Instant, PageQuery, RequestBody
from config.api.endpoints.structs import AnswerFindingView, Limit, MemoryType, Role


class SearchFiltersBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a hit must be."""

    roles: list[Role] | None = None
    memory_types: list[MemoryType] | None = None
    created_from: Instant | None = None
    created_to: Instant | None = None
    metadata: (
        Annotated[
            dict[str, Any],
            Meta(
                description=(
                    'Conditions on the metadata of messages: `{"key": value}`, or `{"key": {"eq" | "ne" | "in" |'
                    ' "contains" | "exists" | "gt" | "gte" | "lt" | "lte": ...}}`, joined by `AND`, `OR` (lists) and'
                    " `NOT`; at most 5 levels and 50 conditions. A key that is missing fits `ne`, `exists: false` and"
                    " what stands under `NOT`."
                )
            ),
        ]
        | None
    ) = None


class SearchBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to one user's messages."""

    user_id: ExternalId
    query: Annotated[str, Meta(min_length=1, max_length=8000)]
    top_k: Limit = 8
    conversation_id: ExternalId | None = None
    filters: SearchFiltersBody = SearchFiltersBody()
    as_of: Instant | None = None
    trace: bool = False


class ContextBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What should the model know for this reply?"""

    user_id: ExternalId
    conversation_id: ExternalId
    query: Annotated[str, Meta(min_length=1, max_length=8000)]
    max_tokens: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    intent: Annotated[str, Meta(max_length=40)] = ""
    mood: Annotated[str, Meta(max_length=40)] = ""
    model: Annotated[str, Meta(max_length=100)] = ""
    as_of: Instant | None = None
    trace: bool = False


class SpanView(msgspec.Struct, frozen=True):
    """A message beside a hit."""

    message_id: UUID
    role: str
    text: str


class EpisodeCardView(msgspec.Struct, frozen=True):
    """One hit: the snippet is an index and never trusted, the raw excerpt is what was said (SPEC T-3)."""

    message_id: UUID
    client_id: str | None
    conversation_id: str
    role: str
    created_at: datetime
    score: float
    snippet: str
    raw_excerpt: str
    span_context: list[SpanView]
    trace: dict[str, float] = {}


class SearchAnswer(msgspec.Struct, frozen=True):
    """Hits, best first."""

    results: list[EpisodeCardView]
    degraded_reason: str | None
    receipt_id: UUID | None


class RenderedPack(msgspec.Struct, frozen=True):
    """The pack as messages for a chat-completions call."""

    messages: list[dict[str, str]]


class ContextAnswer(msgspec.Struct, frozen=True):
    """The context pack (SPEC P-1)."""

    directives: list[dict[str, Any]]
    facts: list[dict[str, Any]]
    unverified: list[dict[str, Any]]
    adaptive_items: list[dict[str, Any]]
    episode_cards: list[EpisodeCardView]
    recent_messages: list[dict[str, Any]]
    pending_raw: list[dict[str, Any]]
    summary_blocks: list[dict[str, Any]]
    entity_slots: list[dict[str, Any]]
    knowledge: list[dict[str, Any]]
    budget: dict[str, Any]
    degraded_reasons: list[str]
    language: str
    receipt_id: UUID
    rendered: RenderedPack


class ReceiptAnswer(msgspec.Struct, frozen=True):
    """The public fields of a receipt: ids, scores and reasons; no text."""

    id: UUID
    kind: str
    created_at: datetime
    degraded_reasons: list[str]
    candidates: list[dict[str, Any]]


class SignalView(msgspec.Struct, frozen=True):
    """What became of a part of a pack: said in feedback, or computed from the reply."""

    signal: str
    is_computed: bool
    message_id: UUID | None
    fact_id: UUID | None
    assistant_message_id: UUID | None


class ReceiptWithReply(ReceiptAnswer, frozen=True):
    """A receipt with what its replies gave away and what became of its parts."""

    answer_findings: list[AnswerFindingView]
    signals: list[SignalView]


class ReceiptsQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Receipts of one user; where a message or a fact is named, those alone that handed it out."""

    message_id: UUID | None = None
    fact_id: UUID | None = None


class ReceiptPage(msgspec.Struct, frozen=True):
    """A page of receipts."""

    results: list[ReceiptAnswer]
    next: str | None
