"""An entity as plans speak of it. Pure."""

from __future__ import annotations

from typing import NamedTuple

from retrieval.knowledge.entities.types import Match


class Named(NamedTuple):
    """An entity that is known without looking at a text; it has the form of a hit of the resolver."""

    entity_id: int
    type: str
    key: str
    name: str
    start: int = 0
    end: int = 0
    match: Match = Match.EXACT
    is_strict: bool = True
