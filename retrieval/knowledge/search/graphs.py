"""The graph of a corpus for PageRank: built in the process when small, a snapshot of the worker otherwise (D-48)."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any, Final

import numpy as np

from memory.database.queries import Query
from memory.tenants.scope import run_in_scope
from retrieval.knowledge.graph.arrays import Graph, pack_graph, unpack_graph
from retrieval.knowledge.models import Corpus, Snapshot
from retrieval.knowledge.search.ranking import build_corpus_graph
from retrieval.knowledge.search.recipe import DEFAULT, SearchRecipe

BUILT_HERE: Final = 50_000  # edges and mentions that a request may read and put together: a tenth of a second
MAX_CACHED_BYTES: Final = 256 * 1024 * 1024
STALE: Final = "graph_stale"

_MENTION: Final = np.dtype([("chunk", ">i8"), ("entity", ">i8"), ("times", ">i4"), ("strict", ">i4")])
_OWN: Final = np.dtype([("chunk", ">i8"), ("entity", ">i8")])
_EDGE: Final = np.dtype([("source", ">i8"), ("target", ">i8")])
_MENTIONS: Final = """
SELECT string_agg(int8send(m.chunk_id) || int8send(m.entity_id) || int4send(m.times) || int4send(m.strict), ''::bytea)
FROM (SELECT chunk_id, entity_id, count(*)::int AS times, count(*) FILTER (WHERE is_strict)::int AS strict
      FROM knowledge_mention WHERE corpus_id = %(corpus_id)s GROUP BY 1, 2) m
"""
_OWNS: Final = """
SELECT string_agg(int8send(o.id) || int8send(o.entity_id), ''::bytea)
FROM (SELECT c.id, coalesce(e.merged_into_id, e.id) AS entity_id FROM knowledge_chunk c
      JOIN knowledge_record r ON r.corpus_id = c.corpus_id AND r.id = c.record_id
      JOIN knowledge_entity e ON e.corpus_id = r.corpus_id AND e.id = r.entity_id WHERE c.corpus_id = %(corpus_id)s
      UNION ALL
      SELECT c.id, coalesce(e.merged_into_id, e.id) FROM knowledge_chunk c
      JOIN knowledge_title t ON t.corpus_id = c.corpus_id AND t.document_id = c.document_id
      JOIN knowledge_entity e ON e.corpus_id = t.corpus_id AND e.id = t.entity_id
      WHERE c.corpus_id = %(corpus_id)s) o
"""
_EDGES: Final = """
SELECT string_agg(int8send(e.source_id) || int8send(e.target_id), ''::bytea)
FROM (SELECT DISTINCT source_id, target_id FROM knowledge_edge WHERE corpus_id = %(corpus_id)s) e
"""


@dataclass(frozen=True, slots=True)
class CorpusGraph:
    """A graph and the version of the corpus that it shows."""

    graph: Graph
    version: int
    is_stale: bool = False


class _Cache:
    """The graphs that a process used last, up to so many bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._graphs: OrderedDict[tuple[int, int], Graph] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[int, int]) -> Graph | None:
        with self._lock:
            if key in self._graphs:
                self._graphs.move_to_end(key)
            return self._graphs.get(key)

    def put(self, key: tuple[int, int], graph: Graph) -> None:
        with self._lock:
            for other in [one for one in self._graphs if one[0] == key[0]]:
                del self._graphs[other]  # an older version of the same corpus
            self._graphs[key] = graph
            while len(self._graphs) > 1 and sum(map(count_bytes, self._graphs.values())) > self._most:
                self._graphs.popitem(last=False)


_cache = _Cache(MAX_CACHED_BYTES)


def count_bytes(graph: Graph) -> int:
    """What a graph takes in memory."""
    shares = graph.shares
    return int(graph.ids.nbytes + shares.data.nbytes + shares.indices.nbytes + shares.indptr.nbytes)


def get_graph(corpus: Corpus, *, recipe: SearchRecipe = DEFAULT) -> CorpusGraph:
    """The graph of a corpus as it is now, or the last snapshot of a large one, which then says that it is stale.

    Inside a tenant scope. A large corpus without any snapshot is read at once: that takes seconds, and happens once.
    """
    cached = _cache.get((corpus.id, corpus.version))
    if cached is not None:
        return CorpusGraph(cached, corpus.version)
    if corpus.mentions + corpus.edges > BUILT_HERE and (kept := _find_snapshot(corpus)):
        return kept
    graph = read_graph(corpus.id, recipe=recipe)
    _cache.put((corpus.id, corpus.version), graph)
    return CorpusGraph(graph, corpus.version)


def read_graph(corpus_id: int, *, recipe: SearchRecipe = DEFAULT) -> Graph:
    """The graph of a corpus, put together from its rows."""
    values = {"corpus_id": corpus_id}
    rows = run_in_scope([Query(text, values) for text in (_MENTIONS, _OWNS, _EDGES)])
    mentions, owns, edges = (
        np.frombuffer(part[0][0] or b"", dtype=kind) for part, kind in zip(rows, (_MENTION, _OWN, _EDGE), strict=True)
    )
    return build_corpus_graph(mentions=mentions, owns=owns, edges=edges, recipe=recipe)


def store_snapshot(corpus: Corpus, *, now: datetime) -> None:
    """Build the graph of a corpus and keep it for its version; older ones go. Writes; inside a tenant scope."""
    graph = read_graph(corpus.id)
    Snapshot.objects.filter(corpus_id=corpus.id).exclude(version=corpus.version).delete()
    Snapshot.objects.bulk_create(
        [
            Snapshot(
                tenant_id=corpus.tenant_id,
                corpus_id=corpus.id,
                version=corpus.version,
                made_at=now,
                nodes=len(graph),
                edges=graph.edges,
                data=pack_graph(graph),
            )
        ],
        ignore_conflicts=True,
    )


def _find_snapshot(corpus: Corpus) -> CorpusGraph | None:
    rows = Snapshot.objects.filter(corpus_id=corpus.id).order_by("-version")
    version: Any = rows.values_list("version", flat=True).first()
    if version is None:
        return None
    graph = _cache.get((corpus.id, version))
    if graph is None:
        graph = unpack_graph(bytes(rows.filter(version=version).values_list("data", flat=True)[0]))
        _cache.put((corpus.id, version), graph)
    return CorpusGraph(graph, version, is_stale=version != corpus.version)
