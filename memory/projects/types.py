"""The words of the wing as values. Bodies are what a caller sends; references name what is stored. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

STATUSES: Final = ("active", "paused", "done", "archived")
SCOPES: Final = ("in", "out", "mixed")
LEVELS: Final = ("fact", "hypothesis", "interpretation")
STATES: Final = ("proposed", "accepted", "implemented", "verified", "rejected", "superseded")
STANDING: Final = ("accepted", "implemented", "verified")
"""States of a decision that holds."""
SOURCE_TYPES: Final = ("message", "document", "url", "artifact")
LINK_KINDS: Final = ("cause", "analogy", "temporal", "refines", "contradicts", "depends")
ARTIFACT_KINDS: Final = ("doc", "note", "file", "dataset", "web")
ITEM_KINDS: Final = ("fact", "decision", "artifact", "thread", "snapshot")
MAX_FACTS: Final = 500

Status = Literal["active", "paused", "done", "archived"]
ThreadScope = Literal["in", "out", "mixed"]
Level = Literal["fact", "hypothesis", "interpretation"]
State = Literal["proposed", "accepted", "implemented", "verified", "rejected"]
SourceType = Literal["message", "document", "url", "artifact"]
LinkKind = Literal["cause", "analogy", "temporal", "refines", "contradicts", "depends"]
ArtifactKind = Literal["doc", "note", "file", "dataset", "web"]
ItemKind = Literal["fact", "decision", "artifact", "thread", "snapshot"]

OwnId = Annotated[str, Meta(min_length=1, max_length=128)]
Moment = Annotated[datetime, Meta(tz=True)]
Line = Annotated[str, Meta(max_length=2_000)]
Paragraph = Annotated[str, Meta(max_length=20_000)]


class _Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A field that is not declared is refused."""


class SourceBody(_Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where something is from."""

    type: Annotated[SourceType, Meta(description="What `ref` names.")]
    ref: Annotated[
        str,
        Meta(min_length=1, max_length=2_000, description="Id of a message or an artifact, id of a document, or a URL."),
    ]
    quote: Annotated[Line | None, Meta(description="The words. Of a message its place alone is kept.")] = None
    author: Annotated[str, Meta(max_length=200, description="Who wrote or said it.")] | None = None
    date: (
        Annotated[str, Meta(max_length=40, description="ISO 8601, a day or a time. A message has its own.")] | None
    ) = None
    authority: Annotated[float, Meta(ge=0, le=1, description="How much it is to be trusted.")] | None = None


class ProjectFactBody(_Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A statement about a subject."""

    subject: Annotated[str, Meta(min_length=1, max_length=500, description="What it is about.")]
    value: Annotated[Any, Meta(description="Text, a number, or any JSON.")]
    id: Annotated[OwnId | None, Meta(description="Your id. The same id again is a new version.")] = None
    level: Annotated[Level, Meta(description="Without a source it is stored as a hypothesis.")] = "fact"
    source: Annotated[SourceBody | None, Meta(description="Where it is from.")] = None
    valid_from: Annotated[Moment | None, Meta(description="Since when it is so. Else: the date of the source.")] = None
    valid_to: Annotated[Moment | None, Meta(description="Until when it is so.")] = None
    exclusive: Annotated[bool, Meta(description="The subject has one value at a time: another one contradicts it.")] = (
        False
    )


class DecisionBody(_Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision."""

    title: Annotated[str, Meta(min_length=1, max_length=500, description="In a line.")]
    id: Annotated[OwnId | None, Meta(description="Your id. The same id again is a new version.")] = None
    description: Annotated[Paragraph, Meta(description="What and why.")] = ""
    owner: Annotated[str, Meta(max_length=200, description="Who sees to it.")] = ""
    decided_at: Annotated[Moment | None, Meta(description="When. Else: the date of the source.")] = None
    source: Annotated[SourceBody | None, Meta(description="Without one it is a proposal.")] = None
    state: Annotated[State | None, Meta(description="Else: `accepted` with a source, `proposed` without.")] = None
    supersedes: Annotated[
        list[OwnId], Meta(max_length=100, description="Decisions whose place it takes once it is accepted.")
    ] = []


@dataclass(frozen=True, slots=True)
class ProjectRef:
    """A project, as services name it. `user_id` None: shared in the tenant."""

    id: UUID
    tenant_id: UUID
    external_id: str
    user_id: UUID | None = None
    change: int = 0

    @property
    def vault_id(self) -> UUID:
        """Whose key seals its words: the owner's, or the project's own where it is shared (D-52)."""
        return self.user_id or self.id


@dataclass(frozen=True, slots=True)
class ProjectView:
    """A project as it is, or was."""

    ref: ProjectRef
    version: int
    status: str
    name: str
    mission: str
    goals: tuple[str, ...]
    constraints: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    owner: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceView:
    """A source with its words, as far as the reader may see them."""

    id: UUID
    type: str
    ref: str
    dated: datetime
    quote: str | None = None
    author: str | None = None
    authority: float | None = None
    message_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class FactView:
    """One version of a fact, opened."""

    id: UUID
    external_id: str
    version: int
    level: str
    status: str
    subject: str
    value: Any
    is_exclusive: bool
    valid_from: datetime
    valid_to: datetime | None
    known_from: datetime
    known_to: datetime | None
    origin: str
    sources: tuple[SourceView, ...] = ()
    contradicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StateView:
    """A state of a decision."""

    state: str
    at: datetime
    known_from: datetime
    superseded_by: str | None = None
    source_status: str | None = None
    source: SourceView | None = None
    position: int = 0


@dataclass(frozen=True, slots=True)
class DecisionView:
    """One version of a decision, opened, with the state that holds. `title` None: its source was erased."""

    id: UUID
    external_id: str
    version: int
    title: str | None
    description: str | None
    owner: str | None
    state: StateView
    decided_at: datetime
    known_from: datetime
    origin: str
    source: SourceView | None = None
    is_source_erased: bool = False
    history: tuple[StateView, ...] = ()
    supersedes: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemRef:
    """An item by its kind and the caller's id."""

    kind: str
    external_id: str
    id: UUID


@dataclass(frozen=True, slots=True)
class When:
    """The two times of a reading: what held at `as_of`, as far as it was known at `known_at`. None: now."""

    as_of: datetime | None = None
    known_at: datetime | None = None


NOW: Final = When()
