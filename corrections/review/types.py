"""The words of review as values. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from memory.extraction.types import VERDICTS

CORRECT: Final = VERDICTS[0]
SOURCES: Final = ("instant", "extraction", "correction")
MAX_REVIEWERS: Final = 5
MAX_MILLISECONDS: Final = 3_600_000
"""A longer look was a lunch; it counts as an hour."""

__all__ = ["CORRECT", "MAX_MILLISECONDS", "MAX_REVIEWERS", "SOURCES", "VERDICTS", "Judgement", "QueueCounts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a reviewer sends. `token` is made when the item is shown: the same one twice is one verdict."""

    item_id: UUID
    verdict: str
    token: UUID
    milliseconds: int


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Where a reviewer stands: items that wait for them, that they skipped, and their verdicts of today."""

    waiting: int
    skipped: int
    judged_today: int

    @property
    def share_done(self) -> int:
        """Percent of today's verdicts among those and what waits; 100 for an empty queue."""
        total = self.waiting + self.judged_today
        return round(100 * self.judged_today / total) if total else 100
