"""Stores of what was worked out once, when they are full: the oldest findings go, a few at a time.

All at once they would take tens of milliseconds, in the middle of somebody's message.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final, TypeVar

Found = TypeVar("Found")

DROPPED: Final = 64


def make_room(store: dict[Any, Found]) -> list[Found]:
    """Drop the oldest of a store, and tell what they were. Threads may do so side by side."""
    names = list(islice(store, DROPPED))
    return [found for found in (store.pop(name, None) for name in names) if found is not None]


def make_room_in_set(store: set[Any]) -> None:
    """Drop some of a store that has no order."""
    for name in list(islice(store, DROPPED)):
        store.discard(name)
