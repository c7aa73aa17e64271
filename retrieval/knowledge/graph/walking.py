"""The statement that walks a path over the edges of a corpus: all it reaches and only that (SPEC N-4, D-48). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from memory.database.queries import Query
from retrieval.knowledge.graph.paths import Path
from retrieval.knowledge.packing import write_numbers

MAX_ITEMS: Final = 10_000

_START: Final = "SELECT unnest(%(started_at)s::bigint[]) AS id, '{}'::bigint[] AS records"
# Index-only, both ways: (corpus_id, source_id, kind) and (corpus_id, target_id, kind) hold the rest (sql/0001_tables).
# One look-up for each entity (OFFSET keeps the planner from joining them): for many at once the index of the other
# direction seems cheap, which reads every edge of the kind.
_STEP: Final = """
SELECT e.id{records}
FROM ({starts}) s
CROSS JOIN LATERAL (
  SELECT {end} AS id, record_id FROM knowledge_edge
  WHERE corpus_id = %(corpus_id)s AND kind = %({kind})s AND {start} = s.id AND {end} <> ALL(%(started_at)s::bigint[])
    AND (%(as_of)s::timestamptz IS NULL
         OR (valid_from IS NULL OR valid_from <= %(as_of)s) AND (valid_to IS NULL OR valid_to > %(as_of)s))
  OFFSET 0
) e
GROUP BY 1
"""
_RECORDS: Final = ", array_agg(DISTINCT e.record_id ORDER BY e.record_id) AS records"
# In the order in which the records came, and of one record in the order in which it names things.
_ITEMS: Final = """
SELECT w.id, e.type, e.key, e.name, e.fields, own.external_id,
       ARRAY(
         SELECT external_id FROM knowledge_record WHERE corpus_id = %(corpus_id)s AND id = ANY(w.records) ORDER BY id
       ),
       w.total
FROM (
  SELECT id, records, count(*) OVER () AS total FROM ({reached}) r ORDER BY records[1], id LIMIT %(most)s
) w
CROSS JOIN LATERAL (
  SELECT type, key, name, fields FROM knowledge_entity WHERE corpus_id = %(corpus_id)s AND id = w.id OFFSET 0
) e
LEFT JOIN LATERAL (
  SELECT external_id FROM knowledge_record WHERE corpus_id = %(corpus_id)s AND entity_id = w.id OFFSET 0
) own ON true
ORDER BY w.records[1], w.id
"""


def make_walk_query(*, corpus_id: int, start_ids: Sequence[int], path: Path, as_of: datetime | None) -> Query:
    """One statement for every entity that a path leads to from any of the start entities.

    Rows: id, type, key, name, fields, external id of its own record or None, those of the records whose edges are the
    last step to it, and how many rows there would be without the limit of MAX_ITEMS.

    With `as_of` only over edges that were valid then. A path never comes back to where it started: a film is no
    answer to "which films have the director of this one". A path without steps is the start itself.
    """
    values: dict[str, Any] = {"corpus_id": corpus_id, "started_at": write_numbers(start_ids), "most": MAX_ITEMS}
    reached = _START
    for place, step in enumerate(path):
        start, end = ("target_id", "source_id") if step.is_backwards else ("source_id", "target_id")
        records, kind = _RECORDS if place == len(path) - 1 else "", f"kind_{place}"
        reached = _STEP.format(records=records, starts=reached, start=start, end=end, kind=kind)
        values |= {kind: step.kind, "as_of": as_of}
    return Query(_ITEMS.format(reached=reached), values)
