"""What corpora answer."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec


class CorpusSettings(msgspec.Struct, frozen=True):
    """Settings of a corpus with their defaults; stored as JSON without those."""

    list_max_items: int = 20
    tone: str = ""
    min_confidence_for_answer: float = 0.0
    graph: bool = True
    router: bool = True
    conversation_memory: bool = True
    recent_turns: int = 6
    summary_after_turns: int = 6
    summary_characters: int = 500


class CorpusCounts(msgspec.Struct, frozen=True):
    """How much is in a corpus."""

    documents: int
    records: int
    chunks: int
    entities: int
    aliases: int
    mentions: int
    edges: int


class Corpus(msgspec.Struct, frozen=True):
    """A corpus."""

    id: str
    name: str
    schema_name: str
    schema: dict[str, Any]
    settings: CorpusSettings
    version: int
    counts: CorpusCounts
    created_at: datetime
    updated_at: datetime
    last_ingest_at: datetime | None


class Document(msgspec.Struct, frozen=True):
    """A document of a list, without its text."""

    id: str
    title: str
    language: str | None
    url: str | None
    author: str | None
    date: str | None
    authority: float | None
    metadata: dict[str, Any]
    version: int
    ingested_at: datetime


class Alias(msgspec.Struct, frozen=True):
    """A name of an entity."""

    text: str
    kind: str
    status: str


class Entity(msgspec.Struct, frozen=True):
    """An entity: a node of the graph, with its names."""

    type: str
    key: str
    name: str
    fields: dict[str, Any]
    is_bare: bool
    aliases: list[Alias]
    mentions: int


class IngestWarning(msgspec.Struct, frozen=True):
    """What should be looked at, though the item was taken."""

    code: str
    field: str
    message: str


class ItemError(msgspec.Struct, frozen=True):
    """Why an item was not taken."""

    code: str
    message: str
    fields: dict[str, str]


class IngestResult(msgspec.Struct, frozen=True):
    """What became of one item."""

    id: str | None
    kind: str
    status: str
    warnings: list[IngestWarning]
    error: ItemError | None = None


class Ingested(msgspec.Struct, frozen=True):
    """What became of the items, all of it in one transaction."""

    results: list[IngestResult]
    version: int


class Target(msgspec.Struct, frozen=True):
    """The other end of an edge: a type with a key or a name."""

    type: str | None = None
    key: str | None = None
    name: str | None = None


class Edge(msgspec.Struct, frozen=True):
    """An edge as a record says it."""

    kind: str
    to: Target
    valid_from: str | None = None
    valid_to: str | None = None


class Record(msgspec.Struct, frozen=True):
    """A typed record as it is sent."""

    id: str
    type: str
    name: str
    key: str | None = None
    aliases: list[str] | None = None
    text: str | None = None
    fields: dict[str, Any] | None = None
    edges: list[Edge] | None = None


class ResolvedEntity(msgspec.Struct, frozen=True):
    """An entity that a text names."""

    type: str
    key: str
    name: str
    start: int
    end: int
    match: str
    strict: bool


class ResolvedText(msgspec.Struct, frozen=True):
    """The entities of one text."""

    entities: list[ResolvedEntity]


class Resolved(msgspec.Struct, frozen=True):
    """`entities` for `text`, `results` for `texts`."""

    entities: list[ResolvedEntity] | None = None
    results: list[ResolvedText] | None = None


class Source(msgspec.Struct, frozen=True):
    """A document or a record, and the chunk of it where there is one."""

    document_id: str | None
    record_id: str | None
    chunk_id: int | None = None
    title: str = ""


class AnswerItem(msgspec.Struct, frozen=True):
    """One thing of a complete list, and the records that say so."""

    text: str
    type: str
    key: str
    sources: list[Source]


class Named(ResolvedEntity, frozen=True):
    """An entity that a question names, and how surely it is meant."""


class FollowUp(msgspec.Struct, frozen=True):
    """Whether the question goes on with the last topic."""

    is_follow_up: bool
    entity: Named | None = None


class Answered(msgspec.Struct, frozen=True):
    """A complete list of things, and what it rests on."""

    found: bool
    items: list[AnswerItem]
    sources: list[Source]
    confidence: float
    total: int


class Ask(Answered, frozen=True):
    """An answer in words with what it rests on."""

    answer: str
    entities: list[Named]
    intent: str
    policy: Any
    tool: Any
    follow_up: FollowUp
    degraded_reason: str | None
    receipt_id: str | None


class AskEvent(msgspec.Struct, frozen=True):
    """An event of an answer that is being given. `delta`: `text` follows. `answer`: all of it is in `answer`."""

    kind: str
    text: str = ""
    answer: Ask | None = None


class Graph(Answered, frozen=True):
    """All that was asked for and only that."""

    truncated: bool


class Chunk(msgspec.Struct, frozen=True):
    """A piece of a document or of a record's text."""

    document_id: str | None
    record_id: str | None
    chunk_id: int | None
    title: str
    text: str
    score: float


class CorpusSearch(msgspec.Struct, frozen=True):
    """What was found, and how the question was taken."""

    results: list[Chunk]
    entities: list[Named]
    intent: str
    policy: Any
    tool: Any
    found: bool
    degraded_reason: str | None
    trace: Any = None
