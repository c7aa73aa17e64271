"""What was found in texts that come again and again (ok, спасибо, 👍), kept from the second time on.

A text that is met once leaves nothing but its hash, so that people's own words are not kept. Each rule set has stores
of its own, which go with it: what a tenant's rules find stays among those who are read by them. Erasures empty
them.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, Generic, TypeVar

from patterns.text.caches import Met, WordCache, make_room

Found = TypeVar("Found")

MAX_CHARACTERS: Final = 100  # of a text; longer ones hardly ever come again
MET_FOR_EACH: Final = 20  # hashes of texts met once, for each that may be kept


class Recurring(Generic[Found]):
    """At most `size` findings, by what they depend on. Shared freely by threads: findings are never changed."""

    def __init__(self, *, size: int) -> None:
        self._size = size
        self._found: WordCache[Hashable, Found] = WordCache()
        self._met = Met(size=size * MET_FOR_EACH)

    def find(self, name: Hashable) -> Found | None:
        """What is kept under a name; None where nothing is."""
        return self._found.get(name)

    def note(self, name: Hashable, found: Found) -> None:
        """Keep what was found where it is found the second time. A full store drops its oldest."""
        if self._met.note(hash(name)):
            if len(self._found) >= self._size:
                make_room(self._found)
            self._found[name] = found
