"""What a person should look at in a registry: names of several entities, unsure readings, twins of two scripts; and the
log of what was decided. Call inside a tenant scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.database.statements import fetch_rows
from retrieval.knowledge.entities.matching import list_keys, match_texts
from retrieval.knowledge.entities.resolving import find_candidates
from retrieval.knowledge.entities.types import KeyKind, Match
from retrieval.knowledge.entities.words import TextWords

MAX_ROWS: Final = 50
MAX_PAIRS: Final = 400  # that share a key; few of them are the same name
EXCERPT: Final = 160

# Of one type first: across types the question tells which is meant. Settled once a person confirmed one of them.
_AMBIGUOUS: Final = """
SELECT min(a.text), array_agg(DISTINCT coalesce(e.merged_into_id, e.id)),
       count(DISTINCT coalesce(e.merged_into_id, e.id)) > count(DISTINCT e.type) AS is_of_one_type
FROM knowledge_alias a JOIN knowledge_entity e ON e.corpus_id = a.corpus_id AND e.id = a.entity_id
WHERE a.corpus_id = %(corpus_id)s AND a.status NOT IN ('refused', 'ignored')
GROUP BY a.folded
HAVING count(DISTINCT coalesce(e.merged_into_id, e.id)) > 1 AND count(*) FILTER (WHERE a.status = 'confirmed') <> 1
ORDER BY 3 DESC, a.folded LIMIT %(limit)s
"""
_UNSURE: Final = """
SELECT m.surface, m.entity_id, m.match, count(*), min(m.chunk_id)
FROM knowledge_mention m
WHERE m.corpus_id = %(corpus_id)s AND m.match IN ('skeleton', 'acronym')
GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1 LIMIT %(limit)s
"""
# One of the two in plain Latin letters, the other not: few pairs, however many names there are.
_PAIRS: Final = """
SELECT DISTINCT least(a.entity_id, b.entity_id), greatest(a.entity_id, b.entity_id),
       CASE WHEN a.entity_id < b.entity_id THEN a.text ELSE b.text END,
       CASE WHEN a.entity_id < b.entity_id THEN b.text ELSE a.text END
FROM knowledge_alias b
JOIN knowledge_alias_key k ON k.corpus_id = b.corpus_id AND k.alias_id = b.id AND k.kind = %(skeleton)s
JOIN knowledge_alias_key j ON j.corpus_id = k.corpus_id AND j.key = k.key AND j.kind = k.kind
JOIN knowledge_alias a ON a.corpus_id = j.corpus_id AND a.id = j.alias_id
JOIN knowledge_entity e ON e.corpus_id = a.corpus_id AND e.id = a.entity_id
JOIN knowledge_entity f ON f.corpus_id = b.corpus_id AND f.id = b.entity_id
WHERE b.corpus_id = %(corpus_id)s AND e.type = f.type AND e.id <> f.id
  AND e.merged_into_id IS NULL AND f.merged_into_id IS NULL AND a.status <> 'refused' AND b.status <> 'refused'
  AND octet_length(a.folded) = char_length(a.folded) AND octet_length(b.folded) > char_length(b.folded)
LIMIT %(limit)s
"""
_EXCERPTS: Final = """
SELECT m.chunk_id, m.entity_id, substr(c.text, greatest(m.start_at - 60, 0) + 1, %(length)s)
FROM unnest(%(chunks)s::bigint[], %(entities)s::bigint[]) n (chunk_id, entity_id)
JOIN knowledge_mention m ON m.corpus_id = %(corpus_id)s AND m.chunk_id = n.chunk_id AND m.entity_id = n.entity_id
JOIN knowledge_chunk c ON c.corpus_id = m.corpus_id AND c.id = m.chunk_id
"""
_ENTITIES: Final = """
SELECT id, type, key, name, is_bare FROM knowledge_entity WHERE corpus_id = %(corpus_id)s AND id = ANY(%(ids)s)
"""
_REFUSED: Final = """
SELECT entity_id, text FROM knowledge_alias
WHERE corpus_id = %(corpus_id)s AND entity_id = ANY(%(ids)s) AND status = 'refused'
"""
_LOG: Final = """
SELECT id, kind, entity_id, other_id, text, reason, staff_id, made_at, undone_at, undone_by
FROM knowledge_registry_action WHERE corpus_id = %(corpus_id)s ORDER BY made_at DESC LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Named:
    """An entity in a list."""

    id: int
    type: str
    key: str
    name: str
    is_bare: bool


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A name that several entities bear."""

    text: str
    entities: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class Unsure:
    """Words of documents that may name an entity in another script or as initials."""

    text: str
    entity: Named
    match: str
    times: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class Twins:
    """Two entities of a type whose names are one name in two scripts."""

    first: Named
    second: Named
    first_text: str
    second_text: str


@dataclass(frozen=True, slots=True)
class WorkList:
    """All that waits, each part up to MAX_ROWS."""

    ambiguous: tuple[Ambiguous, ...]
    unsure: tuple[Unsure, ...]
    twins: tuple[Twins, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision of the log."""

    id: UUID
    kind: str
    entity: Named | None
    other: Named | None
    text: str
    reason: str
    staff_id: int | None
    made_at: datetime
    undone_at: datetime | None
    undone_by: int | None


def read_work_list(*, corpus_id: int) -> WorkList:
    """What waits for a person in a corpus."""
    values = {"corpus_id": corpus_id, "limit": MAX_ROWS}
    ambiguous = fetch_rows(_AMBIGUOUS, values)
    unsure = fetch_rows(_UNSURE, values)
    pairs = _list_twins(corpus_id)
    ids = {one for _, found, _ in ambiguous for one in found} | {row[1] for row in unsure}
    entities = list_named(corpus_id, sorted(ids | {one for pair in pairs for one in pair[:2]}))
    excerpts = _read_excerpts(corpus_id, [(row[4], row[1]) for row in unsure])
    return WorkList(
        tuple(Ambiguous(text, tuple(entities[one] for one in found)) for text, found, _ in ambiguous),
        tuple(
            Unsure(text, entities[entity], match, times, excerpts.get((chunk, entity), ""))
            for text, entity, match, times, chunk in unsure
            if entity in entities
        ),
        tuple(Twins(entities[a], entities[b], text, other) for a, b, text, other in pairs),
    )


def list_decisions(*, corpus_id: int, limit: int = MAX_ROWS) -> list[Decided]:
    """What was decided, newest first."""
    rows = fetch_rows(_LOG, {"corpus_id": corpus_id, "limit": limit})
    entities = list_named(corpus_id, sorted({one for row in rows for one in row[2:4] if one}))
    return [Decided(row[0], row[1], entities.get(row[2]), entities.get(row[3]), *row[4:]) for row in rows]


def list_named(corpus_id: int, ids: Sequence[int]) -> dict[int, Named]:
    """Entities by id."""
    return {row[0]: Named(*row) for row in fetch_rows(_ENTITIES, {"corpus_id": corpus_id, "ids": list(ids)})}


def _list_twins(corpus_id: int) -> list[tuple[int, int, str, str]]:
    """Pairs whose whole names match across scripts, and of which no person said that they are two."""
    rows = fetch_rows(_PAIRS, {"corpus_id": corpus_id, "skeleton": int(KeyKind.SKELETON), "limit": MAX_PAIRS})
    refused = set(
        fetch_rows(_REFUSED, {"corpus_id": corpus_id, "ids": sorted({one for row in rows for one in row[:2]})})
    )
    found: dict[tuple[int, int], tuple[int, int, str, str]] = {}
    for first, second, text, other in rows:
        if (first, second) in found or (first, other) in refused or (second, text) in refused:
            continue
        if _is_one_name(corpus_id, text, second):
            found[first, second] = (first, second, text, other)
    return list(found.values())[:MAX_ROWS]


def _is_one_name(corpus_id: int, text: str, entity_id: int) -> bool:
    words = TextWords(text)
    candidates = find_candidates(corpus_id=corpus_id, keys=list_keys(words.surfaces, is_query=True))
    own = {key: [entry for entry in entries if entry.entity_id == entity_id] for key, entries in candidates.items()}
    hits = match_texts([(text, words)], own, is_query=True)[0]
    return any(
        hit.match is Match.SKELETON and not text[: hit.start].strip() and not text[hit.end :].strip() for hit in hits
    )


def _read_excerpts(corpus_id: int, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    values = {
        "corpus_id": corpus_id,
        "chunks": [chunk for chunk, _ in places],
        "entities": [entity for _, entity in places],
        "length": EXCERPT,
    }
    return {(chunk, entity): text for chunk, entity, text in fetch_rows(_EXCERPTS, values)}
