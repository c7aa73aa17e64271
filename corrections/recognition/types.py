"""What recognition hands out. Pure: no Django."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from memory.types import Fact


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing to be done to memory. `fact` is the stored fact it is about; a `set` under a new key has none."""

    kind: str
    knowledge_type: str
    knowledge_key: str
    fact: Fact | None = None
    value: Any = None
    expires_on: date | None = None
    """A new last day, where the reply names one."""
    expires_at: datetime | None = None
    """The date that carries over from the fact whose place this one takes."""
    correction_type: str | None = None
    """None for a confirmation: nothing was wrong."""

    @property
    def slot(self) -> tuple[str, str]:
        """The key that the operation is about."""
        return (self.knowledge_type, self.knowledge_key)


@dataclass(frozen=True, slots=True)
class Detection:
    """What a reply corrects. `denied`: keys that are dealt with, no fresh facts; `reasons`: codes, never words.

    A type without operations: what the reply denies or challenges is no stored fact. `is_affirmed`: it calls the turn
    before just right (SPEC C-4).
    """

    operations: tuple[Operation, ...] = ()
    correction_type: str | None = None
    denied: frozenset[tuple[str, str]] = frozenset()
    language: str = "other"
    asserted_fact_ids: tuple[UUID, ...] = ()
    reasons: tuple[str, ...] = ()
    is_affirmed: bool = False
