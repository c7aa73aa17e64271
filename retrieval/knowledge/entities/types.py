"""Words of the registry as values. Pure."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Match(IntEnum):
    """How a text names an entity, nearest first. The first four link when they hit one entity; the others never do."""

    EXACT = 0
    FOLDED = 1
    STEM = 2
    MORPH = 3
    SKELETON = 4
    ACRONYM = 5
    FUZZY = 6

    @property
    def word(self) -> str:
        """As callers and rows write it."""
        return self.name.lower()

    @property
    def can_link(self) -> bool:
        """Whether such a match may be strict (D-41)."""
        return self <= Match.MORPH


class KeyKind(IntEnum):
    """What a look-up key of an alias stands for."""

    ROOT = 0
    SKELETON = 1
    ACRONYM = 2
    FIRST = 3


class AliasEntry(NamedTuple):
    """An alias as the matcher needs it; `entity_id` is that of the entity it was merged into, if it was."""

    alias_id: int
    entity_id: int
    type: str
    key: str
    name: str
    text: str
    status: str


class Hit(NamedTuple):
    """An entity that a text names, from `start` until before `end` (code points)."""

    entity_id: int
    type: str
    key: str
    name: str
    start: int
    end: int
    match: Match
    is_strict: bool
