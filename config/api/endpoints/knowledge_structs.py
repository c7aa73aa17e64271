"""What is asked of a corpus over the wire, and its answers (API.md, Knowledge)."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import ExternalId, Instant, RequestBody

QueryText = Annotated[str, Meta(min_length=1, max_length=4_000)]
TypeName = Annotated[str, Meta(min_length=1, max_length=64)]
PathStep = Annotated[str, Meta(min_length=1, max_length=80)]


class EntityReference(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entity by its key, or by a name as people write it."""

    type: TypeName | None = None
    key: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    name: Annotated[str, Meta(min_length=1, max_length=500)] | None = None


class GraphBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An intent of the plan, or a path: edge kinds, "<" before one for the way back."""

    intent: Annotated[str, Meta(min_length=1, max_length=80)] | None = None
    path: Annotated[list[PathStep], Meta(max_length=6)] | None = None
    entity: EntityReference | None = None
    as_of: Instant | None = None


class SourceView(msgspec.Struct, frozen=True):
    """A document or a record, and the chunk of it where there is one."""

    document_id: str | None
    record_id: str | None
    chunk_id: int | None = None
    title: str = ""


class ItemView(msgspec.Struct, frozen=True):
    """One thing of a complete list, and the records that say so."""

    text: str
    type: str
    key: str
    sources: list[SourceView]


class NamedView(msgspec.Struct, frozen=True):
    """An entity that a question names, where it stands (code points), and how surely it is meant."""

    type: str
    key: str
    name: str
    start: int
    end: int
    match: str
    strict: bool


class GraphAnswer(msgspec.Struct, frozen=True):
    """All that was asked for and only that. `truncated` beyond 10,000 items; `total` is then their number."""

    found: bool
    items: list[ItemView]
    sources: list[SourceView]
    confidence: float
    total: int
    truncated: bool


class CorpusSearchBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to a corpus. `history`: earlier questions of the same person, oldest first."""

    query: QueryText
    top_k: Annotated[int, Meta(ge=1, le=100)] = 10
    per_document: Annotated[int, Meta(ge=1, le=100)] = 1
    history: Annotated[list[QueryText], Meta(max_length=50)] = []
    types: Annotated[list[TypeName], Meta(max_length=50)] | None = None
    as_of: Instant | None = None
    trace: bool = False


class ChunkView(msgspec.Struct, frozen=True):
    """A piece of a document or of a record's text."""

    document_id: str | None
    record_id: str | None
    chunk_id: int | None
    title: str
    text: str
    score: float


class CorpusSearchAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was found, and how the question was taken."""

    results: list[ChunkView]
    entities: list[NamedView]
    intent: str
    policy: Literal["strict", "boost", "none"]
    tool: Literal["graph", "text"]
    found: bool
    degraded_reason: str | None
    trace: Any = msgspec.UNSET


class AskBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to a corpus in words. Without `user_id` nothing is kept, and `history` may be sent instead."""

    corpus: ExternalId
    query: QueryText
    user_id: ExternalId | None = None
    conversation_id: ExternalId | None = None
    history: Annotated[list[QueryText], Meta(max_length=50)] = []
    style_hint: Literal["auto", "list", "text"] = "auto"
    stream: bool = False
    model: (
        Annotated[str, Meta(max_length=120, description="A model of the endpoint; `none` for the template.")] | None
    ) = None
    as_of: Instant | None = None


class FollowUpView(msgspec.Struct, frozen=True):
    """Whether the question goes on with the last topic, and the entity that it is about then."""

    is_follow_up: bool
    entity: NamedView | None = None


class AskAnswer(msgspec.Struct, frozen=True):
    """An answer in words with what it rests on. `items` is complete whatever the words show."""

    answer: str
    items: list[ItemView]
    found: bool
    sources: list[SourceView]
    entities: list[NamedView]
    intent: str
    policy: Literal["strict", "boost", "none"]
    tool: Literal["graph", "text"]
    follow_up: FollowUpView
    confidence: float
    total: int
    degraded_reason: str | None
    receipt_id: UUID | None
