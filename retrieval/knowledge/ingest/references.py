"""Which entity a reference means, now that records came and went (D-48). Call under the corpus's lock.

A key means its entity. A name means the one record that bears it, as its name or else as an alias; otherwise the entity
whose key the name gives. An entity without a description is a bare node. The outcome depends on the records
that are there, not on the order in which they came.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from memory.database.statements import execute, fetch_rows
from retrieval.knowledge.ingest.drafts import refer
from retrieval.knowledge.ingest.types import EdgeDraft, Reference
from retrieval.knowledge.types import Changes, CorpusRef

_FIND_NAMED: Final = """
SELECT n.reference, e.id, a.kind
FROM unnest(%(references)s::text[], %(types)s::text[], %(folded)s::text[]) n (reference, type, folded)
JOIN knowledge_alias a ON a.corpus_id = %(corpus_id)s AND a.folded = n.folded AND a.kind IN ('name', 'declared')
  AND a.status <> 'refused'
JOIN knowledge_entity e ON e.corpus_id = a.corpus_id AND e.id = a.entity_id AND e.type = n.type AND NOT e.is_bare
"""
_FIND_KEYED: Final = """
SELECT n.reference, e.id
FROM unnest(%(references)s::text[], %(types)s::text[], %(keys)s::text[]) n (reference, type, key)
JOIN knowledge_entity e ON e.corpus_id = %(corpus_id)s AND e.type = n.type AND e.key = n.key
"""
_INSERT_BARE: Final = """
INSERT INTO knowledge_entity (tenant_id, corpus_id, type, key, name, is_bare)
SELECT DISTINCT %(tenant_id)s::uuid, %(corpus_id)s::bigint, n.type, n.key, n.key, true
FROM unnest(%(types)s::text[], %(keys)s::text[]) n (type, key)
ON CONFLICT ON CONSTRAINT a_key_is_one_entity_of_a_type DO NOTHING
"""
_LIST_OLD: Final = """
SELECT DISTINCT reference, target_id, first_value(spelling) OVER (PARTITION BY reference ORDER BY spelling DESC)
FROM knowledge_edge WHERE corpus_id = %(corpus_id)s AND reference = ANY(%(references)s)
"""
_POINT: Final = """
UPDATE knowledge_edge g SET target_id = n.target_id
FROM unnest(%(references)s::text[], %(targets)s::bigint[]) n (reference, target_id)
WHERE g.corpus_id = %(corpus_id)s AND g.reference = n.reference AND g.target_id <> n.target_id
"""
_CANONICAL: Final = """
SELECT id, merged_into_id FROM knowledge_entity
WHERE corpus_id = %(corpus_id)s AND id = ANY(%(ids)s) AND merged_into_id IS NOT NULL
"""
_INSERT_EDGES: Final = """
INSERT INTO knowledge_edge
  (tenant_id, corpus_id, kind, source_id, target_id, record_id, ordinal, reference, spelling, valid_from, valid_to)
SELECT %(tenant_id)s, %(corpus_id)s, n.*
FROM unnest(%(kinds)s::text[], %(sources)s::bigint[], %(targets)s::bigint[], %(records)s::bigint[], %(ordinals)s::int[],
  %(references)s::text[], %(spellings)s::text[], %(since)s::timestamptz[], %(until)s::timestamptz[])
  n (kind, source_id, target_id, record_id, ordinal, reference, spelling, valid_from, valid_to)
"""


class Resolution:
    """Entities by reference, and the references that more than one record may mean."""

    def __init__(self) -> None:
        self.targets: dict[str, int] = {}
        self.ambiguous: set[str] = set()


def resolve_references(corpus: CorpusRef, references: Iterable[Reference], changes: Changes) -> Resolution:
    """The entity of each reference; what is not there is made as a bare node."""
    wanted = {reference.text: reference for reference in references}
    resolution = Resolution()
    named = _find_named(corpus, [reference for reference in wanted.values() if reference.is_by_name])
    keyed = _find_keyed(corpus, list(wanted.values()))
    for text in wanted:
        entities = named.get(text, set())
        if len(entities) == 1:
            resolution.targets[text] = next(iter(entities))
        elif text in keyed:
            resolution.targets[text] = keyed[text]
        if len(entities) > 1 and keyed.get(text) not in entities:
            resolution.ambiguous.add(text)
    missing = [reference for text, reference in wanted.items() if text not in resolution.targets]
    _make_bare(corpus, missing)
    resolution.targets |= _find_keyed(corpus, missing)
    changes.entities |= set(resolution.targets.values())
    return resolution


def point_edges_again(corpus: CorpusRef, changes: Changes) -> None:
    """Edges that are stored lead to what their references mean now."""
    values = {"corpus_id": corpus.id, "references": sorted(changes.references)}
    old = fetch_rows(_LIST_OLD, values)
    if not old:
        return
    references = {text: _read_reference(text, spelling) for text, _, spelling in old}
    found = resolve_references(corpus, references.values(), changes)
    targets = follow_merges(corpus, found.targets)
    moved = {text: targets[text] for text, target, _ in old if targets[text] != target}
    changes.entities |= {target for text, target, _ in old if text in moved} | set(moved.values())
    if moved:
        execute(_POINT, {"corpus_id": corpus.id, "references": list(moved), "targets": list(moved.values())})


def write_edges(
    corpus: CorpusRef, edges: Sequence[tuple[int, int, EdgeDraft]], targets: Mapping[str, int], changes: Changes
) -> None:
    """Write edges of (record, its entity); targets by reference."""
    if not edges:
        return
    ends = follow_merges(corpus, {**targets, **{str(source): source for _, source, _ in edges}})
    execute(
        _INSERT_EDGES,
        {
            "tenant_id": corpus.tenant_id,
            "corpus_id": corpus.id,
            "kinds": [edge.kind for *_, edge in edges],
            "sources": [ends[str(source)] for _, source, _ in edges],
            "targets": [ends[edge.to.text] for *_, edge in edges],
            "records": [record for record, _, _ in edges],
            "ordinals": [edge.ordinal for *_, edge in edges],
            "references": [edge.to.text for *_, edge in edges],
            "spellings": [edge.to.spelling for *_, edge in edges],
            "since": [edge.valid_from for *_, edge in edges],
            "until": [edge.valid_to for *_, edge in edges],
        },
    )
    changes.entities |= set(ends.values())


def follow_merges(corpus: CorpusRef, targets: Mapping[str, int]) -> dict[str, int]:
    """The same with every entity replaced by the one that it was merged into."""
    values = {"corpus_id": corpus.id, "ids": sorted(set(targets.values()))}
    merged = dict(fetch_rows(_CANONICAL, values))
    return {text: merged.get(entity, entity) for text, entity in targets.items()}


def _find_named(corpus: CorpusRef, references: Sequence[Reference]) -> dict[str, set[int]]:
    """The records that bear a name: as their own if any do, otherwise as an alias."""
    values = {
        "corpus_id": corpus.id,
        "references": [reference.text for reference in references],
        "types": [reference.type for reference in references],
        "folded": [reference.text.split(":", 2)[2] for reference in references],
    }
    found: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for reference, entity, kind in fetch_rows(_FIND_NAMED, values) if references else ():
        found[reference][kind].add(entity)
    return {reference: kinds.get("name") or kinds["declared"] for reference, kinds in found.items()}


def _find_keyed(corpus: CorpusRef, references: Sequence[Reference]) -> dict[str, int]:
    values = {
        "corpus_id": corpus.id,
        "references": [reference.text for reference in references],
        "types": [reference.type for reference in references],
        "keys": [reference.key for reference in references],
    }
    return dict(fetch_rows(_FIND_KEYED, values)) if references else {}


def _make_bare(corpus: CorpusRef, references: Sequence[Reference]) -> None:
    if references:
        values = {
            "tenant_id": corpus.tenant_id,
            "corpus_id": corpus.id,
            "types": [reference.type for reference in references],
            "keys": [reference.key for reference in references],
        }
        execute(_INSERT_BARE, values)


def _read_reference(text: str, spelling: str) -> Reference:
    how, type, rest = text.split(":", 2)
    return refer(type=type, key=None, name=spelling or rest) if how == "n" else refer(type=type, key=rest, name=None)
