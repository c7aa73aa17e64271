"""The words of review as values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from memory.extraction.types import VERDICTS

CORRECT: Final = VERDICTS[0]
MISSED_FACT: Final = "missed_fact"
MESSAGE: Final = "message"
"""The source of items that are messages in which nothing was found: they tell what memory misses."""
SOURCES: Final = ("instant", "extraction", "correction", MESSAGE)
MAX_REVIEWERS: Final = 5
MAX_MILLISECONDS: Final = 3_600_000
"""A longer look was a lunch; it counts as an hour."""
MAX_NOTE: Final = 500
MAX_VALUE: Final = 100


def list_verdicts(source: str) -> tuple[str, ...]:
    """What may be said of an item of a source, in the order of the keys."""
    return (CORRECT, MISSED_FACT) if source == MESSAGE else VERDICTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What a reviewer adds to a verdict in words: a note, and what would have been right.

    `knowledge_type` is named for a missed fact alone: what is judged otherwise has one.
    """

    note: str = ""
    value: str = ""
    knowledge_type: str = ""

    def __bool__(self) -> bool:
        return bool(self.note or self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a reviewer sends. `token` is made when the item is shown: the same one twice is one verdict."""

    item_id: UUID
    verdict: str
    token: UUID
    milliseconds: int
    remark: Remark = Remark()


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFilter:
    """Which items are meant; an empty value means all."""

    source: str = ""
    language: str = ""
    knowledge_type: str = ""
    rule: str = ""

    def __bool__(self) -> bool:
        return any(self.values.values())

    @property
    def values(self) -> Mapping[str, Any]:
        """The chosen values by column."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Where a reviewer stands: items that wait for them, that they skipped, and their verdicts of today."""

    waiting: int
    skipped: int
    judged_today: int

    @property
    def share_done(self) -> int:
        """Percent of today's verdicts among those and what waits; 0 where there is neither."""
        total = self.waiting + self.judged_today
        return round(100 * self.judged_today / total) if total else 0
