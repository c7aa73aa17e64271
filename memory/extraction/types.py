"""The words of extraction as values. Pure: no Django, nothing here reads or writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.types import Fact, FactChange, RecordedMessage, Statement, UserRef

EXTRACTABLE_TYPES: Final = ("body_params", "budget", "allergy", "hard_ban", "life_event", "brand_preference")
"""Types that a model may propose. `onboarding_style` comes from the app alone."""
ADAPTIVE_TYPES: Final = ("preference", "behaviour_pattern")
"""Types that a model may propose in addition to facts if the adaptive policy is on (SPEC X-7)."""
VERDICTS: Final = ("correct", "wrong_subject", "false_fact", "missed_sarcasm")
"""The verdicts on a sample, in the order of the keys 1 to 4 (KSP metrics)."""
MODES: Final = ("on", "paused", "off")


@dataclass(frozen=True, slots=True)
class Operation:
    """One proposal of the model, in form. Ids are the short ones of the prompt."""

    operation: str
    knowledge_type: str
    knowledge_key: str | None
    value: str | int | None
    knowledge_id: str | None
    evidence_message_ids: tuple[str, ...]
    subject: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Answer:
    """A parsed answer of the model. `malformed`: invalid operations; `left_out`: operations beyond the limit."""

    operations: tuple[Operation, ...]
    malformed: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """An adaptive item, opened: a preference or a habit in the user's own words, never a fact (SPEC X-7)."""

    id: UUID
    item_type: str
    key: str
    value: str
    confidence: float
    evidence_message_ids: tuple[UUID, ...]
    first_said_at: datetime
    last_said_at: datetime
    expires_at: datetime
    is_active: bool = True
    language: str = ""
    is_merged: bool = False
    """Made of several that were alike."""

    @property
    def slot(self) -> tuple[str, str]:
        """The key under which at most one item is held."""
        return (self.item_type, self.key)


@dataclass(frozen=True, slots=True)
class Unproven:
    """One thing that may be so. `source`: candidate (an allergen nobody has checked) or adaptive (a taste, a habit).

    `confidence` counts its age (SPEC S-3); `excerpt` is what the user said, at most 200 characters of it.
    """

    id: UUID
    source: str
    knowledge_type: str
    knowledge_key: str
    value: Any
    confidence: float
    evidence_message_ids: tuple[UUID, ...]
    said_at: datetime
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class ItemDraft:
    """An item as the gate lets it through. `is_active` is False while it waits for its second evidence."""

    item_type: str
    key: str
    value: str
    confidence: float
    evidence_message_ids: tuple[UUID, ...]
    first_said_at: datetime
    last_said_at: datetime
    is_active: bool
    language: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """The input of one run: messages by short id, in order, and current facts and adaptive items."""

    messages: Mapping[str, RecordedMessage]
    facts: Mapping[str, Fact]
    items: Mapping[str, Item] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A staged fact, opened."""

    id: UUID
    kind: str
    knowledge_type: str
    knowledge_key: str
    value: Any
    confidence: float
    evidence_message_ids: tuple[UUID, ...]
    first_said_at: datetime
    last_said_at: datetime
    expires_at: datetime
    language: str = ""

    @property
    def slot(self) -> tuple[str, str]:
        """The key under which at most one candidate is open."""
        return (self.knowledge_type, self.knowledge_key)


@dataclass(frozen=True, slots=True)
class Decision:
    """The gate's decision on one proposal. `result` is a code: `accepted`, `staged`, `already_known`, `item_` and the
    outcome, or `rejected_` and the reason. `effect` says what to do: set, deactivate, dispute, stage, keep_item,
    drop_item, or nothing.
    """

    operation: Operation
    result: str
    effect: str = ""
    statement: Statement | None = None
    fact_id: UUID | None = None
    said_at: datetime | None = None
    evidence_message_ids: tuple[UUID, ...] = ()
    candidate_id: UUID | None = None
    candidate_kind: str = ""
    language: str = ""
    item: ItemDraft | None = None
    item_id: UUID | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether it changes a fact."""
        return self.result == "accepted"


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of an endpoint: its text and what it cost in tokens."""

    text: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The result of one run: its status, a reason code, and the results of its proposals."""

    status: str
    code: str = ""
    applied: int = 0
    staged: int = 0
    results: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Claim:
    """A user whose messages this worker is to read, under the run's row."""

    user: UserRef
    run_id: UUID
    trigger: str


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of a decision: the gate's code, or `stored_inactive` if the ledger has a newer value."""

    decision: Decision
    result: str
    change: FactChange | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """What goes to the endpoint. `schema` is the JSON schema of the answer."""

    version: str
    system: str
    user: str
    schema: dict[str, Any]
