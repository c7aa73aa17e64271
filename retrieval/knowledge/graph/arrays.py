"""The graph of a corpus as arrays: who is next to whom, one row a node. Pure (KNOWLEDGE section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
Weights = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by ascending id, and the share of its weight that each hands to the nodes next to it.

    `shares[i, j]` is what node j gives to node i; the shares that a node gives add up to 1. Chunks and entities are
    nodes of one graph, chunks under the negative of their id.
    """

    ids: Ids
    shares: Any  # csr_matrix; scipy has no types
    degrees: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def edges(self) -> int:
        """How many neighbours all nodes have together."""
        return int(self.shares.nnz)

    def find_places(self, ids: Ids) -> NDArray[np.int64]:
        """The places of those ids that are nodes, in their order, others left out."""
        if not len(self.ids):
            return np.zeros(0, dtype=np.int64)
        places = np.searchsorted(self.ids, ids).clip(max=len(self.ids) - 1)
        found: NDArray[np.int64] = places[self.ids[places] == ids]
        return found


def build_graph(ends: Ids, other_ends: Ids, weights: Weights) -> Graph:
    """The graph of undirected edges, given as two columns of ids and their weights. The same edge twice adds up."""
    ids, places = np.unique(np.concatenate([ends, other_ends]), return_inverse=True)
    half = len(ends)
    rows = np.concatenate([places[:half], places[half:]])
    columns = np.concatenate([places[half:], places[:half]])
    size = len(ids)
    matrix = _make_matrix((np.concatenate([weights, weights]), (rows, columns)), shape=(size, size), dtype=np.float32)
    return Graph(ids, _share_out(matrix), np.diff(matrix.indptr).astype(np.int32))


def pack_graph(graph: Graph) -> bytes:
    """A graph as bytes, for `knowledge_snapshot`."""
    head = np.array([len(graph), graph.edges], dtype="<i8")
    parts = [
        head,
        graph.ids.astype("<i8"),
        graph.shares.indptr.astype("<i8"),
        graph.shares.indices.astype("<i4"),
        graph.shares.data.astype("<f4"),
    ]
    return b"".join(part.tobytes() for part in parts)


def unpack_graph(data: bytes) -> Graph:
    """The graph in bytes of `pack_graph`."""
    nodes, edges = (int(number) for number in np.frombuffer(data, dtype="<i8", count=2))
    start = 16
    columns = []
    for kind, count in (("<i8", nodes), ("<i8", nodes + 1), ("<i4", edges), ("<f4", edges)):
        columns.append(np.frombuffer(data, dtype=kind, count=count, offset=start))
        start += columns[-1].nbytes
    ids, starts, neighbours, shares = columns
    matrix = _make_matrix((shares, neighbours, starts.astype(np.int32)), shape=(nodes, nodes), copy=False)
    return Graph(ids, matrix, np.diff(starts).astype(np.int32))


def _make_matrix(parts: tuple[Any, ...], **options: Any) -> Any:
    # Loaded with the first graph: most processes meet none, and scipy takes 20 MB and a quarter of a start's imports.
    from scipy.sparse import csr_matrix

    return csr_matrix(parts, **options)


def _share_out(matrix: Any) -> Any:
    """Each column divided by its sum."""
    sums = np.asarray(matrix.sum(axis=0)).ravel()
    sums[sums == 0] = 1
    matrix.data /= sums[matrix.indices]
    return matrix
