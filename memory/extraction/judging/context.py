"""The input of the gate, with queries that its rules share. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from memory.extraction.judging.clauses import MessageReader
from memory.extraction.judging.recipes import GATE
from memory.extraction.judging.values import fold_words
from memory.extraction.types import Candidate, Decision, Item, Material, Operation
from memory.types import Fact, RecordedMessage
from patterns.rules.ruleset import RuleSet


@dataclass(slots=True)
class GateContext:
    """Everything the gate looks at.

    `earlier`: evidence messages of open candidates and items; `sessions`: by message id; `is_adaptive`: whether the
    tenant keeps adaptive items (SPEC X-7), of which `items` are those held now.
    """

    material: Material
    rules: RuleSet
    zone: ZoneInfo
    now: datetime
    session_gap: timedelta
    event_days: int
    rule_name: str
    rule_version: int
    candidates: Mapping[tuple[str, str], Candidate] = field(default_factory=dict)
    earlier: Mapping[UUID, RecordedMessage] = field(default_factory=dict)
    sessions: Mapping[UUID, int] = field(default_factory=dict)
    quarantined: frozenset[tuple[str, str]] = frozenset()
    withheld: frozenset[str] = frozenset()
    """Types of which the user has not agreed that they are kept."""
    is_adaptive: bool = False
    items: Mapping[tuple[str, str], Item] = field(default_factory=dict)
    readers: dict[UUID, MessageReader] = field(default_factory=dict)
    """Messages analysed so far; may be handed on to another context over the same messages."""
    _folded: dict[UUID, str] = field(default_factory=dict)

    def read(self, message: RecordedMessage) -> MessageReader:
        """The message as the grammar sees it, analysed once a run."""
        if message.id not in self.readers:
            said_at = message.created_at.astimezone(self.zone)
            self.readers[message.id] = MessageReader(message.content, rules=self.rules, said_at=said_at)
        return self.readers[message.id]

    def is_echo(self, message: RecordedMessage) -> bool:
        """Whether the message is a copy out of what the assistant said before it (M-5)."""
        text = self._fold(message)
        return text.count(" ") > GATE.echo_words and any(
            text in self._fold(other)
            for other in self.material.messages.values()
            if other.role == "assistant" and other.created_at <= message.created_at
        )

    def _fold(self, message: RecordedMessage) -> str:
        if message.id not in self._folded:
            self._folded[message.id] = f" {' '.join(fold_words(message.content))} "
        return self._folded[message.id]

    def find_current(self, slot: tuple[str, str]) -> Fact | None:
        """The active fact of a key."""
        return next((fact for fact in self.material.facts.values() if fact.slot == slot), None)


def reject(operation: Operation, reason: str) -> Decision:
    """A refusal with its code."""
    return Decision(operation, f"rejected_{reason}")


def list_evidence(operation: Operation, context: GateContext) -> list[RecordedMessage]:
    """The cited messages of the user, in the order in which they were said. The assistant's prove nothing (M-5)."""
    cited = [context.material.messages[ref] for ref in operation.evidence_message_ids]
    return sorted((m for m in cited if m.role == "user"), key=lambda m: (m.created_at, m.seq))
