"""What travels through a rebuild. Pure: nothing here reads or writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from memory.registries import DerivedDifference
from memory.types import Fact, RecordedMessage

DRIFT = "drift"
KEY_LOST = "key_lost"
RULES_CHANGED = "rule_set_changed"


@dataclass(frozen=True, slots=True)
class LoggedAction:
    """One row of the action log, opened."""

    id: UUID
    position: int
    kind: str
    message_id: UUID | None
    batch_id: UUID | None
    effects: Sequence[Mapping[str, Any]]
    detail: Mapping[str, Any]
    words: Mapping[str, Any] | None
    rule_set_version: int | None
    engine_version: str
    said_at: datetime
    recorded_at: datetime

    def get_fact_ids(self, *names: str) -> list[UUID]:
        """The facts that it touched, in order; with `names`, those to which one of these happened."""
        return [UUID(effect["fact_id"]) for effect in self.effects if not names or effect["action"] in names]


@dataclass(frozen=True, slots=True)
class LostFact:
    """A fact that can't be opened: what its row says in the clear, so that its id can be lent to the fold."""

    id: UUID
    knowledge_type: str
    log_position: int


class MessageLog(Protocol):
    """All of RAW in the order of arrival, forgotten messages included: they taught until they were forgotten."""

    def __iter__(self) -> Iterator[RecordedMessage]: ...

    def __len__(self) -> int: ...

    def find_arrivals(self, message_ids: Iterable[UUID]) -> dict[UUID, datetime]:
        """When these came; those that are not there are left out."""
        ...

    def list_before(self, message: RecordedMessage, *, hidden: Collection[UUID], limit: int) -> list[RecordedMessage]:
        """What had come before a message and was said before it in its conversation, newest first."""
        ...


@dataclass(frozen=True, slots=True)
class UserLogs:
    """One user's two truths, and the facts that are stored as their fold."""

    messages: MessageLog
    actions: Sequence[LoggedAction]
    facts: Sequence[Fact]
    forgotten_by: Mapping[UUID, frozenset[UUID]] = field(default_factory=dict)
    """By forget: the messages that it hides."""
    has_erasures: bool = False
    """Parts of RAW were erased: what they taught is not in the logs any more."""
    lost: Sequence[LostFact] = ()
    """Facts whose key is lost, in the order of log and ids; their rows are gone."""

    def list_hidden(self, action: LoggedAction) -> frozenset[UUID]:
        """The messages that a forget hid or a restore showed again; those of the batch where the log does not say."""
        named = action.detail.get("hidden" if action.kind == "forget" else "shown")
        if named is not None:
            return frozenset(map(UUID, named))
        return self.forgotten_by.get(action.batch_id, frozenset()) if action.batch_id else frozenset()


@dataclass(frozen=True, slots=True)
class Fold:
    """What the logs say: every fact with its history, and the actions that the stored log does not hold."""

    facts: Sequence[Fact]
    new_actions: Sequence[LoggedAction]
    facts_at: Mapping[int, Sequence[Fact]] = field(default_factory=dict)
    """By position of the action log, where it was asked for: the active facts of then."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact that is stored otherwise than the logs say. Ids and names of columns, no text of the user."""

    fact_id: UUID
    knowledge_type: str
    problem: str
    """`missing` (the logs say it, it is not stored), `unfounded` (stored, no log says it) or `different`."""
    reason: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RebuildOutcome:
    """What a rebuild of one user found, and what it wrote."""

    user_id: UUID
    messages: int
    facts: int
    differences: Sequence[Difference] = ()
    derived_differences: Sequence[DerivedDifference] = ()
    """Rows that other rooms derived and that are not what they would derive now."""
    lost: Mapping[str, int] = field(default_factory=dict)
    """Rows that no key opens any more and that were dropped, by kind."""
    derived: Mapping[str, int] = field(default_factory=dict)
    """Rows made anew by other rooms, by name of the rebuilder; empty in a comparison."""

    @property
    def has_drift(self) -> bool:
        """Whether anything differs that no change of engine, rules or erasure explains."""
        return DRIFT in self._list_reasons()

    def count_reasons(self) -> dict[str, int]:
        """How many differences there are by reason."""
        return dict(Counter(self._list_reasons()))

    def leave_out(self, reason: str) -> RebuildOutcome:
        """The same without what differs for that reason."""
        return replace(
            self,
            differences=[each for each in self.differences if each.reason != reason],
            derived_differences=[each for each in self.derived_differences if each.reason != reason],
        )

    def _list_reasons(self) -> list[str]:
        return [each.reason for each in self.differences] + [each.reason for each in self.derived_differences]
