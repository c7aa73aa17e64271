"""What a corpus is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from retrieval.knowledge.graph.queries import GraphResult
from retrieval.knowledge.planning.deciding import Decision
from retrieval.knowledge.planning.followups import NEW_TOPIC, FollowUp, Topic
from retrieval.knowledge.planning.reading import Reading


@dataclass(frozen=True, slots=True)
class CorpusQuery:
    """A question to a corpus. `history` are earlier questions, oldest first; `topic` is what the last one was about."""

    text: str
    top_k: int = 10
    per_document: int = 1
    history: tuple[str, ...] = ()
    topic: Topic | None = None
    types: tuple[str, ...] = ()
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class ChunkHit:
    """A chunk that was found."""

    document_id: str | None
    record_id: str | None
    chunk_id: int | None
    title: str
    text: str
    score: float
    entity_type: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """Everything that a question brought up: what was decided, the items of the graph, the hits of text search."""

    decision: Decision
    reading: Reading
    follow_up: FollowUp = NEW_TOPIC
    result: GraphResult | None = None
    hits: tuple[ChunkHit, ...] = ()
    plan_version: int = 0
    degraded_reasons: tuple[str, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)

    @property
    def found(self) -> bool:
        """Whether there is anything: an item where the graph was asked, a hit otherwise."""
        return self.result.found if self.result is not None else bool(self.hits)

    def trace(self) -> dict[str, Any]:
        """How it came about: names of steps, versions and timings."""
        return {
            "steps": list(self.decision.steps),
            "plan_version": self.plan_version,
            "path": [
                [str(step) for step in path] for intent in self.decision.alternatives for path in intent.paths or ()
            ],
            "starts": [{"type": start.type, "key": start.key} for start in self.decision.starts],
            "timings_ms": dict(self.timings_ms),
        }
