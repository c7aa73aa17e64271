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

ItemId = Annotated[str, Meta(min_length=1, max_length=128, description="Your own id, 1-128 characters.")]


def _text(longest: int, description: str) -> Meta:
    return Meta(max_length=longest, description=description)


class DocumentBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A document as it is sent."""

    id: ItemId
    text: Annotated[str, _text(MAX_TEXT, "The whole text. It is cut into chunks.")]
    title: Annotated[str, _text(500, "Its title; it is searched with every chunk.")] | None = None
    language: Annotated[str, _text(16, "A code of its language.")] | None = None
    metadata: Annotated[dict[str, Any] | None, Meta(description="Your own JSON.")] = None
    url: Annotated[str, _text(2000, "Where it is to be read.")] | None = None
    author: Annotated[str, _text(200, "Who wrote it.")] | None = None
    date: Annotated[str, _text(40, "Its date, in your own writing.")] | None = None
    authority: Annotated[float | None, Meta(description="How much it counts beside others.")] = None


class TargetBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The other end of an edge: a type with a key or a name."""

    type: Annotated[TypeName | None, Meta(description="May be left out where the schema has one only.")] = None
    key: Annotated[str, Meta(min_length=1, max_length=200, description="The key of the entity.")] | None = None
    name: Annotated[str, Meta(min_length=1, max_length=500, description="Its name, without a key.")] | None = None


class EdgeBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """An edge as a record says it."""

    kind: Annotated[EdgeKind, Meta(description="A kind of edge of the schema.")]
    to: Annotated[TargetBody, Meta(description="The other end. When nobody describes it, a bare node stands for it.")]
    valid_from: Annotated[str, _text(40, "Since when it holds: a year, a month, a day or a moment.")] | None = None
    valid_to: Annotated[str, _text(40, "Until when it holds: to the end of that year, month or day.")] | None = None


class RecordBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A typed record as it is sent."""

    id: ItemId
    type: Annotated[TypeName, Meta(description="A type of the schema.")]
    name: Annotated[str, Meta(min_length=1, max_length=500, description="Its name for people, and its first alias.")]
    key: (
        Annotated[
            str,
            Meta(min_length=1, max_length=200, description="Unique in its type. Left out: made of the name."),
        ]
        | None
    ) = None
    aliases: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=500)]] | None, Meta(description="Other names, up to 1,000.")
    ] = None
    text: Annotated[str, _text(MAX_TEXT, "What is searched. Left out: its name.")] | None = None
    fields: Annotated[dict[str, Any] | None, Meta(description="Your own JSON; intents may ask for its values.")] = None
    edges: Annotated[list[EdgeBody] | None, Meta(description="Its edges, up to 10,000.")] = None


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
