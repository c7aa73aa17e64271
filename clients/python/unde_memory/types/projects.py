"""What projects take and answer."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

ProjectStatus = Literal["active", "paused", "done", "archived"]
ThreadScope = Literal["in", "out", "mixed"]
StatementLevel = Literal["fact", "hypothesis", "interpretation"]
NewState = Literal["proposed", "accepted", "implemented", "verified", "rejected"]
LinkKind = Literal["cause", "analogy", "temporal", "refines", "contradicts", "depends"]
ArtifactKind = Literal["doc", "note", "file", "dataset", "web"]
ItemKind = Literal["fact", "decision", "artifact", "thread", "snapshot"]


class NewSource(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where something is from, as it is sent: `date` is ISO 8601, a day or a time."""

    type: Literal["message", "document", "url", "artifact"]
    ref: str
    quote: str | None = None
    author: str | None = None
    date: str | None = None
    authority: float | None = None


class NewStatement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A statement about a subject, as it is sent. Without a source it is a hypothesis."""

    subject: str
    value: Any
    id: str | None = None
    level: StatementLevel = "fact"
    source: NewSource | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    exclusive: bool = False


class LinkEnd(msgspec.Struct, frozen=True):
    """One end of a link."""

    type: ItemKind
    id: str


class ProjectCounts(msgspec.Struct, frozen=True):
    """How much a project has."""

    threads: int
    facts: int
    decisions: int
    links: int
    artifacts: int
    open_conflicts: int
    open_questions: int
    snapshots: int


class Project(msgspec.Struct, frozen=True):
    """A project."""

    id: str
    name: str
    mission: str
    goals: list[str]
    constraints: list[str]
    status: str
    user_id: str | None
    version: int
    created_at: datetime
    updated_at: datetime
    counts: ProjectCounts | None = None


class ProjectThread(msgspec.Struct, frozen=True):
    """A conversation that is bound to a project."""

    project_id: str
    conversation_id: str
    user_id: str
    scope: str
    shared: bool


class ProjectSource(msgspec.Struct, frozen=True):
    """Where something is from."""

    id: str
    type: str
    ref: str
    quote: str | None
    author: str | None
    date: datetime
    authority: float | None


class Statement(msgspec.Struct, frozen=True):
    """What somebody holds of a subject."""

    id: str
    version: int
    subject: str
    value: Any
    level: str
    status: str
    valid_from: datetime
    valid_to: datetime | None
    contradicts: list[str]


class ProjectFact(Statement, frozen=True):
    """A statement: what holds, since when, and since when that is known."""

    exclusive: bool
    sources: list[ProjectSource]
    known_from: datetime
    known_to: datetime | None
    origin: str


class ProjectFactResult(msgspec.Struct, frozen=True):
    """What became of one statement."""

    id: str
    action: str
    level: str
    version: int
    contradicts: list[str]


class ProjectFactResults(msgspec.Struct, frozen=True):
    """What became of the statements."""

    results: list[ProjectFactResult]


class DecisionState(msgspec.Struct, frozen=True):
    """A state of a decision."""

    state: str
    at: datetime
    known_from: datetime
    superseded_by: str | None
    source_status: str | None
    source: ProjectSource | None


class Decided(msgspec.Struct, frozen=True):
    """Somebody's decision, and its state."""

    id: str
    version: int
    owner: str | None
    state: str
    state_since: datetime
    superseded_by: str | None
    supersedes: list[str]
    decided_at: datetime
    contradicts: list[str]
    source: ProjectSource | None


class ProjectDecision(Decided, frozen=True):
    """A decision with the state that holds, or held then."""

    project_id: str
    title: str | None
    description: str | None
    known_from: datetime
    source_erased: bool
    source_status: str | None
    history: list[DecisionState]
    origin: str


class ProjectLink(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """A link between two items."""

    id: str
    from_: LinkEnd
    to: LinkEnd
    kind: str
    weight: float
    source: ProjectSource | None
    supersedes: bool
    valid_from: datetime
    valid_to: datetime | None
    known_from: datetime
    origin: str


class Artifact(msgspec.Struct, frozen=True):
    """A document, note, file, data set or page."""

    id: str
    version: int
    kind: str
    ref: str
    title: str
    summary: str
    known_from: datetime
    created_at: datetime


class Conflict(msgspec.Struct, frozen=True):
    """An entry of the register of contradictions."""

    id: str
    kind: str
    rule: str
    items: list[str]
    state: str
    opened_at: datetime
    resolved_at: datetime | None
    kept: str | None
    resolution: str | None
    reason: str | None


class ResolvedConflict(msgspec.Struct, frozen=True):
    """A contradiction that was resolved, and both of its sides. The link between them stays."""

    conflict: Conflict
    facts: list[ProjectFact]
    decisions: list[ProjectDecision]


class ProjectQuestion(msgspec.Struct, frozen=True):
    """A question that is open, or was."""

    id: str
    text: str | None
    state: str
    conflict_id: str | None
    source: ProjectSource | None
    opened_at: datetime
    closed_at: datetime | None


class TimelineEvent(msgspec.Struct, frozen=True):
    """Something that happened."""

    at: datetime
    event: str
    type: str
    id: str
    version: int
