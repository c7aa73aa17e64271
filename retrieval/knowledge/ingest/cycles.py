"""Whether edges of a kind lead back to where they start. They may; walks along them must know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from retrieval.knowledge.ingest.statements import fetch
from retrieval.knowledge.types import CorpusRef

MAX_STEPS: Final = 20
MAX_NODES: Final = 2_000  # of one start: farther ways are not looked at
_FIND: Final = """
WITH RECURSIVE walk (start, kind, node, steps) AS (
  SELECT n.id, n.kind, n.id, 0 FROM unnest(%(ids)s::bigint[], %(kinds)s::text[]) n (id, kind)
  UNION
  SELECT w.start, w.kind, g.target_id, w.steps + 1
  FROM walk w CROSS JOIN LATERAL (
    SELECT DISTINCT target_id FROM knowledge_edge g
    WHERE g.corpus_id = %(corpus_id)s AND g.source_id = w.node AND g.kind = w.kind LIMIT 64) g
  WHERE w.steps < %(steps)s AND (w.steps = 0 OR w.node <> w.start))
SELECT DISTINCT start, kind FROM (SELECT * FROM walk LIMIT %(limit)s) w WHERE node = start AND steps > 1
"""


def find_cycles(corpus: CorpusRef, starts: Sequence[tuple[int, str]]) -> set[tuple[int, str]]:
    """Of (entity, kind of edge): those from which edges of the kind lead back to the entity."""
    wanted = sorted(set(starts))
    if not wanted:
        return set()
    values = {
        "corpus_id": corpus.id,
        "ids": [entity for entity, _ in wanted],
        "kinds": [kind for _, kind in wanted],
        "steps": MAX_STEPS,
        "limit": MAX_NODES * len(wanted),
    }
    return {(entity, kind) for entity, kind in fetch(_FIND, values)}
