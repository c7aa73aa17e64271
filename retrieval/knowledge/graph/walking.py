"""Walking a path over the edges of a corpus, in the database: all that it reaches and only that (SPEC N-4, D-48)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memory.database.queries import Query, Rows
from memory.tenants.scope import run_in_scope
from retrieval.knowledge.graph.paths import Path, Step

MAX_ITEMS: Final = 10_000

# Index-only, both ways: (corpus_id, source_id, kind) and (corpus_id, target_id, kind) hold the rest (sql/0001_tables).
_STEP: Final = """
SELECT e.{end}{records}
FROM knowledge_edge e
WHERE e.corpus_id = %(corpus_id)s AND e.kind = %(kind)s AND e.{start} = ANY(%(from_ids)s)
  AND e.{end} <> ALL(%(started_at)s)
  AND (%(as_of)s::timestamptz IS NULL
       OR (e.valid_from IS NULL OR e.valid_from <= %(as_of)s) AND (e.valid_to IS NULL OR e.valid_to > %(as_of)s))
GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class Reached:
    """An entity at the end of a path, and the records whose edges were the last step to it."""

    entity_id: int
    record_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """What a path reached: in the order of the records; at most MAX_ITEMS of `total`."""

    reached: tuple[Reached, ...]
    total: int

    @property
    def is_truncated(self) -> bool:
        """Whether there is more than was returned."""
        return self.total > len(self.reached)


def walk_path(*, corpus_id: int, start_ids: Sequence[int], path: Path, as_of: datetime | None = None) -> Walk:
    """Every entity that the path leads to from any of the start entities. Inside a tenant scope.

    With `as_of` only over edges that were valid then. A path never comes back to where it started: a film is no
    answer to "which films have the director of this one". A path without steps is the start itself.
    """
    if not path:
        return Walk(tuple(Reached(start, ()) for start in start_ids), len(start_ids))
    found: Rows = []
    from_ids = list(start_ids)
    for place, step in enumerate(path):
        is_last = place == len(path) - 1
        found = _take_step(corpus_id, step, from_ids, list(start_ids), as_of, with_records=is_last)
        from_ids = [row[0] for row in found]
        if not from_ids:
            break
    # In the order in which the records came, and of one record in the order in which it names things.
    found.sort(key=lambda row: (row[1][0], row[0]))
    reached = tuple(Reached(row[0], tuple(row[1])) for row in found[:MAX_ITEMS])
    return Walk(reached, len(found))


def _take_step(
    corpus_id: int,
    step: Step,
    from_ids: list[int],
    started_at: list[int],
    as_of: datetime | None,
    *,
    with_records: bool,
) -> Rows:
    start, end = ("target_id", "source_id") if step.is_backwards else ("source_id", "target_id")
    records = ", array_agg(DISTINCT e.record_id ORDER BY e.record_id)" if with_records else ""
    values: dict[str, Any] = {
        "corpus_id": corpus_id,
        "kind": step.kind,
        "from_ids": from_ids,
        "started_at": started_at,
        "as_of": as_of,
    }
    return run_in_scope([Query(_STEP.format(start=start, end=end, records=records), values)])[0]
