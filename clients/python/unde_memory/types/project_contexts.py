"""What projects answer for a reply: snapshots, contexts, what became of an answer."""

from __future__ import annotations

from datetime import datetime

import msgspec

from unde_memory.types.packs import Rendered
from unde_memory.types.projects import (
    Decided,
    ProjectDecision,
    ProjectFactResult,
    ProjectLink,
    ProjectSource,
    Statement,
)


class SnapshotFact(Statement, frozen=True):
    """A statement of a snapshot."""

    source: ProjectSource | None
    citations: list[str]


class SnapshotDecision(Decided, frozen=True):
    """A decision of a snapshot."""

    title: str
    description: str
    citations: list[str]


class SnapshotEvent(msgspec.Struct, frozen=True):
    """A line of the short history."""

    at: str
    event: str
    id: str
    title: str


class SnapshotQuestion(msgspec.Struct, frozen=True):
    """A question that was open."""

    id: str
    text: str


class SnapshotBudget(msgspec.Struct, frozen=True):
    """What a snapshot costs."""

    limit: int
    used: int
    tokenizer: str


class SnapshotMissing(msgspec.Struct, frozen=True):
    """What was in the snapshot and is not there any more."""

    type: str
    id: str
    reason: str


class Snapshot(msgspec.Struct, frozen=True):
    """What a project was, for a question, as of a moment. It does not change."""

    id: str
    project_id: str
    version: int
    built_at: datetime
    hash: str
    as_of: datetime | None
    known_at: datetime | None
    name: str
    status: str
    mission: str
    goals: list[str]
    constraints: list[str]
    facts: list[SnapshotFact]
    decisions: list[SnapshotDecision]
    timeline: list[SnapshotEvent]
    open_questions: list[SnapshotQuestion]
    citations: list[ProjectSource]
    budget: SnapshotBudget
    missing: list[SnapshotMissing]


class SnapshotChange(msgspec.Struct, frozen=True):
    """One difference."""

    type: str
    id: str
    change: str
    before: str | None
    now: str | None
    text: str


class SnapshotDiff(msgspec.Struct, frozen=True):
    """Two snapshots of a project held against each other."""

    snapshot_id: str
    other_id: str
    changes: list[SnapshotChange]
    text: str


class ProjectPassage(msgspec.Struct, frozen=True):
    """Turns of a conversation that follow each other."""

    conversation_id: str
    message_ids: list[str]
    text: str


class ProjectKnowledge(msgspec.Struct, frozen=True):
    """An excerpt of a corpus."""

    corpus: str
    document_id: str | None
    chunk_id: int | None
    title: str
    text: str
    citation: str


class ProjectBudget(msgspec.Struct, frozen=True):
    """What a bundle costs."""

    limit: int
    used: int
    snapshot: int
    tokenizer: str


class ProjectContext(Rendered, frozen=True):
    """What one reply about a project needs. `to_openai` and `to_anthropic` are ready to send."""

    instructions: list[str]
    mission: str
    facts: list[SnapshotFact]
    decisions: list[SnapshotDecision]
    passages: list[ProjectPassage]
    knowledge: list[ProjectKnowledge]
    constraints: list[str]
    open_questions: list[SnapshotQuestion]
    citations: list[ProjectSource]
    clarifying_questions: list[str]
    snapshot_id: str
    receipt_id: str | None
    budget: ProjectBudget


class Writeback(msgspec.Struct, frozen=True):
    """What became of an answer."""

    facts: list[ProjectFactResult]
    decisions: list[ProjectDecision]
    links: list[ProjectLink]
    questions: list[str]
    unknown_citations: list[str]


class NamedEntity(msgspec.Struct, frozen=True):
    """Something that a request names."""

    text: str
    start: int
    end: int
    type: str | None
    key: str | None
    corpus: str | None


class NormalisedQuestion(msgspec.Struct, frozen=True):
    """A request as it was understood."""

    project_id: str | None
    binding: str | None
    intent: str
    entities: list[NamedEntity]
    constraints: list[str]
    relevance: str


class ProjectMonitor(msgspec.Struct, frozen=True):
    """How a project's processes did in the last 30 days. Null where nothing was counted."""

    latency: dict[str, float | None]
    hit_at_k: float | None
    attr_rate: float | None
    conflict_rate: float
    token_budget_used: float | None
    runs: int
    refused: int
