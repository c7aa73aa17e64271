"""Reading chunks: where they belong, what is about an entity, and the texts of those that are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from memory.database.queries import Query
from memory.tenants.scope import run_in_scope
from retrieval.knowledge.packing import write_numbers
from retrieval.knowledge.search.types import ChunkHit

MAX_NEIGHBOURS: Final = 1_000

_PLACES: Final = """
SELECT c.id, coalesce(c.document_id, 0), coalesce(c.record_id, 0), coalesce(e.type, 'Document')
FROM knowledge_chunk c
LEFT JOIN knowledge_record r ON r.corpus_id = c.corpus_id AND r.id = c.record_id
LEFT JOIN knowledge_entity e ON e.corpus_id = c.corpus_id AND e.id = r.entity_id
WHERE c.corpus_id = %(corpus_id)s AND c.id = ANY(%(ids)s::bigint[])
"""
_TEXTS: Final = """
SELECT c.id, d.external_id, r.external_id, coalesce(nullif(c.title, ''), d.title, e.name, ''), c.text,
       coalesce(e.type, ''), r.entity_id
FROM knowledge_chunk c
LEFT JOIN knowledge_document d ON d.corpus_id = c.corpus_id AND d.id = c.document_id
LEFT JOIN knowledge_record r ON r.corpus_id = c.corpus_id AND r.id = c.record_id
LEFT JOIN knowledge_entity e ON e.corpus_id = c.corpus_id AND e.id = r.entity_id
WHERE c.corpus_id = %(corpus_id)s AND c.id = ANY({ids})
"""
_OF_IDS: Final = _TEXTS.format(ids="%(ids)s::bigint[]")
# The first text of each of some entities.
_OF_ENTITIES: Final = _TEXTS.format(
    ids="""ARRAY(
  SELECT min(own.id) FROM knowledge_record of_it
  JOIN knowledge_chunk own ON own.corpus_id = of_it.corpus_id AND own.record_id = of_it.id
  WHERE of_it.corpus_id = %(corpus_id)s AND of_it.entity_id = ANY(%(entities)s::bigint[]) GROUP BY of_it.entity_id
)"""
)
# What is about an entity: its own texts first, then those of what an edge links to it, and what names it for certain.
_ABOUT: Final = """
WITH own AS (
  SELECT id FROM knowledge_entity
  WHERE corpus_id = %(corpus_id)s AND (id = %(entity_id)s OR merged_into_id = %(entity_id)s)
), near AS (
  (SELECT target_id AS id FROM knowledge_edge WHERE corpus_id = %(corpus_id)s AND source_id = %(entity_id)s
   LIMIT %(most)s)
  UNION
  (SELECT source_id FROM knowledge_edge WHERE corpus_id = %(corpus_id)s AND target_id = %(entity_id)s LIMIT %(most)s)
)
SELECT c.id, 0 FROM knowledge_record r
JOIN knowledge_chunk c ON c.corpus_id = r.corpus_id AND c.record_id = r.id
WHERE r.corpus_id = %(corpus_id)s AND r.entity_id IN (SELECT id FROM own)
UNION ALL
SELECT c.id, 0 FROM knowledge_title t
JOIN knowledge_chunk c ON c.corpus_id = t.corpus_id AND c.document_id = t.document_id
WHERE t.corpus_id = %(corpus_id)s AND t.entity_id IN (SELECT id FROM own)
UNION ALL
SELECT c.id, 1 FROM near
JOIN knowledge_record r ON r.corpus_id = %(corpus_id)s AND r.entity_id = near.id
JOIN knowledge_chunk c ON c.corpus_id = %(corpus_id)s AND c.record_id = r.id
UNION ALL
SELECT m.chunk_id, 1 FROM knowledge_mention m
WHERE m.corpus_id = %(corpus_id)s AND m.entity_id = %(entity_id)s AND m.is_strict
"""
# The texts about what a text names for certain.
_NEXT: Final = """
WITH named AS (
  SELECT entity_id FROM knowledge_mention
  WHERE corpus_id = %(corpus_id)s AND chunk_id = %(chunk_id)s AND is_strict AND entity_id <> ALL(%(known)s::bigint[])
)
SELECT c.id FROM named
JOIN knowledge_title t ON t.corpus_id = %(corpus_id)s AND t.entity_id = named.entity_id
JOIN knowledge_chunk c ON c.corpus_id = %(corpus_id)s AND c.document_id = t.document_id
UNION
SELECT c.id FROM named
JOIN knowledge_record r ON r.corpus_id = %(corpus_id)s AND r.entity_id = named.entity_id
JOIN knowledge_chunk c ON c.corpus_id = %(corpus_id)s AND c.record_id = r.id
"""


class Place(NamedTuple):
    """Which document or record a chunk is of, and the type of what the record describes."""

    chunk_id: int
    document_id: int
    record_id: int
    type: str


def read_places(corpus_id: int, chunk_ids: Sequence[int]) -> dict[int, Place]:
    """The places of chunks by id."""
    rows = run_in_scope([Query(_PLACES, {"corpus_id": corpus_id, "ids": write_numbers(chunk_ids)})])[0]
    return {row[0]: Place(*row) for row in rows}


def choose_chunks(
    ranked: Sequence[tuple[int, float]],
    places: dict[int, Place],
    *,
    top_k: int,
    per_document: int,
    types: Collection[str],
) -> list[tuple[int, float]]:
    """The best chunks in order, at most so many of one document or record, of the wanted types. Pure."""
    taken: Counter[tuple[int, int]] = Counter()
    chosen: list[tuple[int, float]] = []
    for chunk_id, score in ranked:
        place = places.get(chunk_id)
        if place is None or (types and place.type not in types):
            continue
        owner = (place.document_id, place.record_id)
        if taken[owner] < per_document:
            taken[owner] += 1
            chosen.append((chunk_id, score))
        if len(chosen) == top_k:
            break
    return chosen


def read_hits(corpus_id: int, chosen: Sequence[tuple[int, float]]) -> tuple[ChunkHit, ...]:
    """The texts of chosen chunks, in their order."""
    if not chosen:
        return ()
    values = {"corpus_id": corpus_id, "ids": write_numbers(chunk_id for chunk_id, _ in chosen)}
    rows = {row[0]: row for row in run_in_scope([Query(_OF_IDS, values)])[0]}
    return tuple(_make_hit(rows[chunk_id], score) for chunk_id, score in chosen if chunk_id in rows)


def _make_hit(row: tuple[Any, ...], score: float) -> ChunkHit:
    return ChunkHit(row[1], row[2], row[0], row[3], row[4], score, row[5])


def list_chunks_about(corpus_id: int, entity_id: int) -> dict[int, int]:
    """Chunks about an entity: 0 for its own, 1 for those of its neighbours and those that name it."""
    values = {"corpus_id": corpus_id, "entity_id": entity_id, "most": MAX_NEIGHBOURS}
    about: dict[int, int] = {}
    for chunk_id, distance in run_in_scope([Query(_ABOUT, values)])[0]:
        about[chunk_id] = min(distance, about.get(chunk_id, distance))
    return about


def list_next_chunks(corpus_id: int, chunk_id: int, *, known: Collection[int]) -> set[int]:
    """Chunks about an entity that a chunk names for certain, but for those that are known already."""
    values = {"corpus_id": corpus_id, "chunk_id": chunk_id, "known": write_numbers(known)}
    return {row[0] for row in run_in_scope([Query(_NEXT, values)])[0]}


def read_first_hits(corpus_id: int, entity_ids: Collection[int]) -> dict[int, ChunkHit]:
    """The first chunk of the record of each entity, by entity; none for those without a text."""
    if not entity_ids:
        return {}
    values = {"corpus_id": corpus_id, "entities": write_numbers(entity_ids)}
    return {row[6]: _make_hit(row, 1.0) for row in run_in_scope([Query(_OF_ENTITIES, values)])[0]}
