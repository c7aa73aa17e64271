"""Stores of what was worked out once, when they are full: the oldest findings go, a few at a time.

All at once they would take tens of milliseconds, in the middle of somebody's message. An erasure empties every store
that may hold words of users.
"""

from __future__ import annotations

import weakref
from array import array
from collections.abc import Callable
from itertools import islice
from typing import Any, Final, TypeVar

Name = TypeVar("Name")
Found = TypeVar("Found")

DROPPED: Final = 64


def make_room(store: dict[Any, Found]) -> list[Found]:
    """Drop the oldest of a store, and tell what they were. Threads may do so side by side."""
    names = list(islice(store, DROPPED))
    return [found for found in (store.pop(name, None) for name in names) if found is not None]


_kept: list[weakref.ref[dict[Any, Any]]] = []
_emptied: list[Callable[[], object]] = []


class WordCache(dict[Name, Found]):
    """A store whose names are words or texts of users: emptied with all others of its kind (`empty_stores`)."""

    def __init__(self) -> None:
        super().__init__()
        _kept[:] = [store for store in _kept if store() is not None]
        _kept.append(weakref.ref(self))


def empty_with_stores(empty: Callable[[], object]) -> None:
    """Let a store of another make be emptied too, e.g. an `lru_cache` by its `cache_clear`. Called at import."""
    _emptied.append(empty)


def empty_stores() -> None:
    """Forget all words and texts of users that this process has kept from earlier messages. Threads may go on."""
    for reference in list(_kept):
        store = reference()
        if store is not None:
            store.clear()
    for empty in _emptied:
        empty()


class Met:
    """What was met lately: a table of `size` places, where a later key takes the place of an earlier one.

    A key is a 64-bit integer, as `hash` gives it. That one was met may be forgotten early, as others need its place;
    what was not met is never taken for met. Eight bytes a place: two sets of the same keys took nine times as much.
    """

    __slots__ = ("_places",)

    def __init__(self, *, size: int) -> None:
        self._places = array("q", bytes(8 * max(1, size)))

    def note(self, key: int) -> bool:
        """Whether it was met before; from now on it was."""
        key = key or 1  # an empty place holds 0, and no text is likely to
        place = key % len(self._places)
        if self._places[place] == key:
            return True
        self._places[place] = key
        return False


class KnownWords(WordCache[str, Found]):
    """What is worked out of words: `known[word]` looks it up or works it out, and keeps it from the second time on.

    Names, numbers and typing slips are hardly ever met again, and there is no end of them: kept from the first time,
    they were most of what a process grew by. At most `size` words are kept, none of more than `longest` characters; a
    full store drops its oldest. Free to share between threads.
    """

    def __init__(self, work_out: Callable[[str], Found], *, size: int, longest: int) -> None:
        super().__init__()
        self._work_out = work_out
        self._size = size
        self._longest = longest
        self._met = Met(size=size)

    def __missing__(self, word: str) -> Found:
        found = self._work_out(word)
        if len(word) <= self._longest and self._met.note(hash(word)):
            if len(self) >= self._size:
                make_room(self)
            self[word] = found
        return found
