"""What goes over the wire about corpora (API.md, Knowledge)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from config.api.decoding import PageQuery, RequestBody
from retrieval.knowledge.ingest.types import MAX_ITEMS
from retrieval.knowledge.schemas.schema import SchemaBody
from retrieval.knowledge.settings import CorpusSettings

MAX_TEXTS = 500
QueryText = Annotated[str, Meta(max_length=100_000)]


class CorpusBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A corpus; what is left out stays as it is."""

    name: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    schema: Annotated[str, Meta(max_length=40, description="`documents` or `portfolio`.")] | SchemaBody | None = None
    settings: CorpusSettings | None = None


class CorpusCounts(msgspec.Struct, frozen=True):
    """How much is in a corpus."""

    documents: int
    records: int
    chunks: int
    entities: int
    aliases: int
    mentions: int
    edges: int


class CorpusView(msgspec.Struct, frozen=True):
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


class CorpusPage(msgspec.Struct, frozen=True):
    """A page of corpora."""

    results: list[CorpusView]
    next: str | None


class IngestBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Documents and records, up to 500 of both; each takes the place of what had its id."""

    documents: Annotated[list[msgspec.Raw], Meta(max_length=MAX_ITEMS)] = []
    records: Annotated[list[msgspec.Raw], Meta(max_length=MAX_ITEMS)] = []


class Warning(msgspec.Struct, frozen=True):
    """What should be looked at, though the item was taken."""

    code: str
    field: str
    message: str


class IngestResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one item."""

    id: str | None
    kind: Literal["document", "record"]
    status: Literal["added", "replaced", "unchanged", "error"]
    warnings: list[Warning]
    error: dict[str, Any] | None = None


class IngestAnswer(msgspec.Struct, frozen=True):
    """Results in the order of the items, documents first."""

    results: list[IngestResult]
    version: int


class DocumentView(msgspec.Struct, frozen=True):
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


class DocumentPage(msgspec.Struct, frozen=True):
    """A page of documents."""

    results: list[DocumentView]
    next: str | None


class RecordPage(msgspec.Struct, frozen=True):
    """A page of records, each as it was sent."""

    results: list[dict[str, Any]]
    next: str | None


class EntityQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which entities: those of a type, those one of whose names begins so."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    type: Annotated[str, Meta(max_length=64)] | None = None


class AliasAnswer(msgspec.Struct, frozen=True):
    """A name of an entity: where it is from (name, declared, title, person), and what was decided about it."""

    text: str
    kind: str
    status: str


class EntityAnswer(msgspec.Struct, frozen=True):
    """An entity. `mentions` counts the places in chunks that name it for sure."""

    type: str
    key: str
    name: str
    fields: dict[str, Any]
    is_bare: bool
    aliases: list[AliasAnswer]
    mentions: int


class EntityPage(msgspec.Struct, frozen=True):
    """A page of entities."""

    results: list[EntityAnswer]
    next: str | None


class ResolveBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text, or up to 500 of them."""

    text: QueryText | None = None
    texts: Annotated[list[QueryText], Meta(max_length=MAX_TEXTS)] | None = None


class ResolvedEntity(msgspec.Struct, frozen=True):
    """An entity that a text names, at these code points. Only a strict one is sure."""

    type: str
    key: str
    name: str
    start: int
    end: int
    match: str
    strict: bool


class ResolveAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """`entities` for a text; `results` in order for texts."""

    entities: list[ResolvedEntity] | None = None
    results: list[Any] | None = None
