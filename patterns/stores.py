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


class Met:
    """What was met lately, at most `size` of it, in two halves: a full newer one takes the place of the older.

    Nothing has to be found to be dropped: a set is looked through from its emptied end, further each time.
    """

    __slots__ = ("_half", "_newer", "_older")

    def __init__(self, *, size: int) -> None:
        self._half = max(1, size // 2)
        self._newer: set[int] = set()
        self._older: set[int] = set()

    def __len__(self) -> int:
        return len(self._newer) + len(self._older)

    def note(self, key: int) -> bool:
        """Whether it was met before; from now on it was."""
        if key in self._newer or key in self._older:
            return True
        if len(self._newer) >= self._half:
            self._older, self._newer = self._newer, set()
        self._newer.add(key)
        return False
