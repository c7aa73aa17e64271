"""What is shown of a user, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.models import Conversation
from memory.types import Fact, RecordedMessage, UserRef

CHANGE_WORDS: Final = {
    "added": "written",
    "superseded": "replaced the previous version",
    "renewed": "stated again",
    "deactivated": "closed",
    "stored_inactive": "stored as already past",
    "calibrated": "confidence moved",
    "kept": "kept, though hardly believed",
    "to_be_decided": "to be decided again",
}


@dataclass(frozen=True, slots=True)
class Profile:
    """The head of a user's pages."""

    user: UserRef
    created_at: datetime
    fenced_at: datetime | None
    log_position: int
    message_count: int
    forgotten_count: int
    last_message_at: datetime | None
    active_facts: int
    disputed_facts: int


@dataclass(frozen=True, slots=True)
class Line:
    """One message of an evidence span."""

    message: RecordedMessage
    is_core: bool


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of evidence: the message with the one before and the one after; no lines when it was forgotten (D-3)."""

    message_id: UUID
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A step of a fact's confidence, the rule behind it and the uses that it counted (SPEC P-9)."""

    at: datetime
    rule: str
    uses: int
    positive: int
    corrected: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Cause:
    """Which action ended or changed a version: its kind, who and when."""

    change: str
    kind: str
    actor: str
    at: datetime
    message_id: UUID | None
    adjusted: Adjusted | None = None
    """Of a calibration: how the confidence moved, and why."""

    @property
    def words(self) -> str:
        """What happened to this version, for its timeline."""
        return CHANGE_WORDS.get(self.change, self.change.replace("_", " "))


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a key, with what was done to it."""

    fact: Fact
    state: str
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class FactCard:
    """A key: its newest version, that version's evidence, and all its versions, newest first."""

    fact: Fact
    state: str
    spans: tuple[Span, ...]
    versions: tuple[Version, ...]

    @property
    def adjusted(self) -> tuple[Adjusted, ...]:
        """How feedback moved the confidence of the newest version, oldest first."""
        own = (version for version in self.versions if version.fact.id == self.fact.id)
        return tuple(cause.adjusted for version in own for cause in version.causes if cause.adjusted)


@dataclass(slots=True)
class FactGroup:
    """Cards of one type."""

    knowledge_type: str
    cards: list[FactCard] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The type in words."""
        return self.knowledge_type.replace("_", " ").capitalize()


@dataclass(frozen=True, slots=True)
class MessagePage:
    """A run of one conversation, oldest first. `older` is where the run before it ends; None at the beginning."""

    conversations: list[Conversation]
    chosen: Conversation | None
    messages: list[dict[str, Any]]
    older: int | None
