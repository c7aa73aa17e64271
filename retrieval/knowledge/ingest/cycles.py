"""Whether edges of a kind lead back to where they start. They may; walks along them must know it.

What a batch can reach is read once for all its starts, level by level; its cycles are the strongly connected components
of what was read (Tarjan 1972). So a batch costs what it reaches, at most MAX_EDGES a kind, however many starts it has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory.database.statements import fetch_row
from retrieval.knowledge.packing import write_numbers
from retrieval.knowledge.types import CorpusRef

Ids = NDArray[np.int64]
MAX_STEPS: Final = 20
MAX_EDGES: Final = 100_000  # of one kind in one batch: farther ways are not looked at
_ENDS: Final = np.dtype([("source", ">i8"), ("target", ">i8")])
_READ: Final = """
SELECT string_agg(int8send(g.source_id) || int8send(g.target_id), ''::bytea)
FROM (SELECT g.source_id, g.target_id FROM knowledge_edge g
      WHERE g.corpus_id = %(corpus_id)s AND g.kind = %(kind)s AND g.source_id = ANY(%(ids)s::bigint[])
        AND g.source_id <> g.target_id LIMIT %(most)s) g
"""


def find_cycles(corpus: CorpusRef, starts: Iterable[tuple[int, str]]) -> set[tuple[int, str]]:
    """Of (entity, kind of edge): those from which edges of the kind lead over others back to the entity."""
    by_kind: dict[str, set[int]] = defaultdict(set)
    for entity, kind in starts:
        by_kind[kind].add(entity)
    return {
        (entity, kind)
        for kind, entities in by_kind.items()
        if may_lead_on(corpus.schema, kind)
        for entity in entities & find_on_cycles(*_read_edges(corpus, kind, np.array(sorted(entities), np.int64)))
    }


def may_lead_on(schema: Mapping[str, Any], kind: str) -> bool:
    """Whether the schema lets an edge of a kind begin where another of it ends."""
    for edge in schema.get("edges", ()):
        if edge["kind"] == kind and edge.get("from") and edge.get("to"):
            return not {*_list_types(edge["from"])}.isdisjoint(_list_types(edge["to"]))
    return True


def find_on_cycles(sources: Ids, targets: Ids) -> set[int]:
    """The nodes that edges lead back to. Pure; an edge from a node to itself is no way back."""
    nodes, places = np.unique(np.concatenate([sources, targets]), return_inverse=True)
    if not len(nodes):
        return set()
    # Loaded where it is needed: see `retrieval.knowledge.graph.arrays`.
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    ends = (places[: len(sources)], places[len(sources) :])
    graph = csr_matrix((np.ones(len(sources), np.int8), ends), shape=(len(nodes), len(nodes)))
    _, labels = connected_components(graph, directed=True, connection="strong")
    return set(nodes[np.bincount(labels)[labels] > 1].tolist())


def _read_edges(corpus: CorpusRef, kind: str, starts: Ids) -> tuple[Ids, Ids]:
    """The edges of a kind that lead away from the starts, nearest first."""
    sources, targets = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    seen, frontier, left = starts, starts, MAX_EDGES
    for _ in range(MAX_STEPS):
        values = {"corpus_id": corpus.id, "kind": kind, "ids": write_numbers(frontier.tolist()), "most": left}
        found = np.frombuffer(fetch_row(_READ, values)[0] or b"", dtype=_ENDS)
        sources.append(found["source"].astype(np.int64))
        targets.append(found["target"].astype(np.int64))
        frontier = np.setdiff1d(targets[-1], seen)
        seen = np.union1d(seen, frontier)
        left -= len(found)
        if not len(frontier) or left <= 0:
            break
    return np.concatenate(sources), np.concatenate(targets)


def _list_types(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names
