"""What people see of one entity: what its edges lead to, and where texts name it. Call inside a tenant scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memory.database.statements import fetch_row, fetch_rows

MAX_A_SIDE: Final = 12
MAX_MENTIONS: Final = 20

_NEIGHBOURS: Final = """
(SELECT DISTINCT g.kind, e.id, e.type, e.name, true
 FROM knowledge_edge g JOIN knowledge_entity e ON e.corpus_id = g.corpus_id AND e.id = g.source_id
 WHERE g.corpus_id = %(corpus_id)s AND g.target_id = %(id)s ORDER BY 1, 4 LIMIT %(limit)s)
UNION ALL
(SELECT DISTINCT g.kind, e.id, e.type, e.name, false
 FROM knowledge_edge g JOIN knowledge_entity e ON e.corpus_id = g.corpus_id AND e.id = g.target_id
 WHERE g.corpus_id = %(corpus_id)s AND g.source_id = %(id)s ORDER BY 1, 4 LIMIT %(limit)s)
"""
_COUNT: Final = """
SELECT (SELECT count(DISTINCT (kind, source_id)) FROM knowledge_edge
        WHERE corpus_id = %(corpus_id)s AND target_id = %(id)s)
     + (SELECT count(DISTINCT (kind, target_id)) FROM knowledge_edge
        WHERE corpus_id = %(corpus_id)s AND source_id = %(id)s)
"""
_MENTIONS: Final = """
SELECT m.surface, m.match, m.is_strict, c.title,
       substr(c.text, greatest(m.start_at - 80, 0) + 1, m.start_at - greatest(m.start_at - 80, 0)),
       substr(c.text, m.start_at + 1, m.end_at - m.start_at), substr(c.text, m.end_at + 1, 80)
FROM knowledge_mention m JOIN knowledge_chunk c ON c.corpus_id = m.corpus_id AND c.id = m.chunk_id
WHERE m.corpus_id = %(corpus_id)s AND m.entity_id = %(id)s ORDER BY m.is_strict DESC, m.chunk_id LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class NeighbourRow:
    """The other end of an edge."""

    kind: str
    id: int
    type: str
    name: str
    leads_here: bool


@dataclass(frozen=True, slots=True)
class MentionRow:
    """A place where a text names an entity."""

    surface: str
    match: str
    is_strict: bool
    title: str
    before: str
    said: str
    after: str


def list_neighbours(*, corpus_id: int, entity_id: int) -> tuple[list[NeighbourRow], int]:
    """Neighbours of an entity, some of each side, and how many there are."""
    values = {"corpus_id": corpus_id, "id": entity_id, "limit": MAX_A_SIDE}
    return [NeighbourRow(*row) for row in fetch_rows(_NEIGHBOURS, values)], int(fetch_row(_COUNT, values)[0])


def list_mentions(*, corpus_id: int, entity_id: int) -> list[MentionRow]:
    """Where texts name an entity, sure places first."""
    values = {"corpus_id": corpus_id, "id": entity_id, "limit": MAX_MENTIONS}
    return [MentionRow(*row) for row in fetch_rows(_MENTIONS, values)]
