"""Two readings of one message side by side. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from patterns.types import Reading

ADDED: Final = "added"
LOST: Final = "lost"
CHANGED: Final = "changed"
SUPERSEDED: Final = "superseded"
CHANGES: Final = (ADDED, LOST, CHANGED, SUPERSEDED)


@dataclass(frozen=True, slots=True)
class Change:
    """One fact that a message states in one reading and not, or otherwise, in the other. Offsets: raw text."""

    change: str
    reading: Reading


def compare_readings(before: Iterable[Reading], after: Iterable[Reading]) -> list[Change]:
    """What the second reading adds, loses and says otherwise; value and day count, rule and confidence don't."""
    old = {(r.knowledge_type, r.knowledge_key): r for r in before}
    new = {(r.knowledge_type, r.knowledge_key): r for r in after}
    changes = [Change(LOST, reading) for slot, reading in old.items() if slot not in new]
    for slot, reading in new.items():
        was = old.get(slot)
        if was is None:
            changes.append(Change(ADDED, reading))
        elif (was.value, was.expires_on) != (reading.value, reading.expires_on):
            changes.append(Change(CHANGED, reading))
    return changes
