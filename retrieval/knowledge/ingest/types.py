"""What comes into a corpus, as values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from memory.errors import CodedError
from retrieval.knowledge.schemas.schema import EdgeKind, TypeName

MAX_ITEMS: Final = 500
MAX_ALIASES: Final = 1_000
MAX_EDGES: Final = 10_000
MAX_TEXT: Final = 1_000_000

ItemId = Annotated[str, Meta(min_length=1, max_length=128)]


class DocumentBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A document as it is sent."""

    id: ItemId
    text: Annotated[str, Meta(max_length=MAX_TEXT)]
    title: Annotated[str, Meta(max_length=500)] | None = None
    language: Annotated[str, Meta(max_length=16)] | None = None
    metadata: dict[str, Any] | None = None
    url: Annotated[str, Meta(max_length=2000)] | None = None
    author: Annotated[str, Meta(max_length=200)] | None = None
    date: Annotated[str, Meta(max_length=40)] | None = None
    authority: float | None = None


class TargetBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The other end of an edge: a type with a key or a name. The type may be left out where the schema has one only."""

    type: TypeName | None = None
    key: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    name: Annotated[str, Meta(min_length=1, max_length=500)] | None = None


class EdgeBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An edge as a record says it. A year, a month, a day or a moment says since when and until when."""

    kind: EdgeKind
    to: TargetBody
    valid_from: str | None = None
    valid_to: str | None = None


class RecordBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A typed record as it is sent."""

    id: ItemId
    type: TypeName
    name: Annotated[str, Meta(min_length=1, max_length=500)]
    key: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    aliases: list[Annotated[str, Meta(min_length=1, max_length=500)]] | None = None
    text: Annotated[str, Meta(max_length=MAX_TEXT)] | None = None
    fields: dict[str, Any] | None = None
    edges: list[EdgeBody] | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """How a record names the other end of an edge."""

    text: str
    """`k:type:key` or `n:type:folded name`: equal for references that mean the same."""
    type: str
    key: str
    """The key as given, or the one that the name gives."""
    spelling: str
    """The name as given, or nothing."""
    is_by_name: bool


@dataclass(frozen=True, slots=True)
class EdgeDraft:
    """An edge that was looked at."""

    kind: str
    to: Reference
    ordinal: int
    valid_from: datetime | None
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """A record that was looked at: it fits the schema."""

    body: RecordBody
    key: str
    edges: tuple[EdgeDraft, ...]
    warnings: tuple[Mapping[str, str], ...] = ()


@dataclass(slots=True)
class ItemResult:
    """What became of one item: added, replaced, unchanged or error."""

    id: str | None
    kind: str
    status: str
    warnings: list[Mapping[str, str]] = field(default_factory=list)
    error: CodedError | None = None


@dataclass(frozen=True, slots=True)
class IngestOutcome:
    """The results in the order of the items, documents first, and the version that the corpus has now."""

    results: tuple[ItemResult, ...]
    version: int
