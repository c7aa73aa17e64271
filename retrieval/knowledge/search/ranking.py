"""From text scores and entities of a question to one order of chunks. Pure (KNOWLEDGE 1.2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from retrieval.knowledge.graph.arrays import Graph, build_graph
from retrieval.knowledge.graph.pagerank import rank_nodes
from retrieval.knowledge.search.lexical import TextScores
from retrieval.knowledge.search.recipe import SearchRecipe

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


def build_corpus_graph(
    *, mentions: NDArray[np.void], owns: NDArray[np.void], edges: NDArray[np.void], recipe: SearchRecipe
) -> Graph:
    """The graph of chunks and entities. A chunk is a node under the negative of its id.

    `mentions`: chunk, entity, how often and how often strictly; `owns`: chunk and the entity it is about; `edges`: two
    entities.
    """
    sure, times = mentions["strict"].astype(np.float64), mentions["times"].astype(np.float64)
    weights = np.where(sure > 0, 1 + np.log(np.maximum(sure, 1)), recipe.unsure_weight * np.minimum(times, 1))
    ends = np.concatenate([-mentions["chunk"], -owns["chunk"], edges["source"]]).astype(np.int64)
    others = np.concatenate([mentions["entity"], owns["entity"], edges["target"]]).astype(np.int64)
    owned = np.full(len(owns), recipe.own_weight)
    return build_graph(ends, others, np.concatenate([weights, owned, np.ones(len(edges))]).astype(np.float32))


def rank_chunks(
    graph: Graph, *, texts: TextScores, entities: Mapping[int, float], recipe: SearchRecipe
) -> tuple[Ids, Floats]:
    """Chunks and their scores, best first; equal scores by id. By words alone where no entity is in the graph.

    `entities` are those of the question with the weight of each.
    """
    seeds = _make_seeds(graph, texts, entities, recipe)
    if seeds is None:
        return _sort(texts.chunks, texts.scores)
    weights = rank_nodes(graph, seeds, damping=recipe.damping)
    last = int(np.searchsorted(graph.ids, 0))  # chunks come first: their ids are negative
    chunks, scores = -graph.ids[:last], weights[:last].astype(np.float64)
    alone = np.setdiff1d(texts.chunks, chunks)  # without any mention
    chunks, scores = np.concatenate([chunks, alone]), np.concatenate([scores, np.zeros(len(alone))])
    gain = _look_up(texts, chunks) / (texts.best or 1.0)
    # A chunk without a way to any entity still ranks by its words, below those that have one.
    floor = scores[scores > 0].min() * 1e-3 if (scores > 0).any() else 1e-9
    return _sort(chunks, np.maximum(scores, floor * (gain > 0)) * (1 + recipe.text_gain * gain))


def _make_seeds(
    graph: Graph, texts: TextScores, entities: Mapping[int, float], recipe: SearchRecipe
) -> NDArray[np.float32] | None:
    """Where the rank starts: rare entities more than common ones, and a little at the best hits by words."""
    seeds = np.zeros(len(graph), dtype=np.float64)
    for entity_id, weight in entities.items():
        for place in graph.find_places(np.array([entity_id])):
            seeds[place] += weight / max(1, graph.degrees[place])
    if not seeds.sum():
        return None
    seeds /= seeds.sum()
    best = np.lexsort((texts.chunks, -texts.scores))[: recipe.text_hits]
    hits = np.zeros(len(graph), dtype=np.float64)
    for place, score in zip(texts.chunks[best], texts.scores[best], strict=True):
        hits[graph.find_places(np.array([-place]))] = score
    if hits.sum():
        seeds = (1 - recipe.text_seeds) * seeds + recipe.text_seeds * hits / hits.sum()
    return seeds.astype(np.float32)


def _look_up(texts: TextScores, chunks: Ids) -> Floats:
    """The text score of each chunk, 0 for those without one."""
    if not len(texts.chunks):
        return np.zeros(len(chunks))
    places = np.searchsorted(texts.chunks, chunks).clip(max=len(texts.chunks) - 1)
    return np.where(texts.chunks[places] == chunks, texts.scores[places], 0.0)


def _sort(chunks: Ids, scores: Floats) -> tuple[Ids, Floats]:
    order = np.lexsort((chunks, -scores))
    order = order[scores[order] > 0]
    return chunks[order], scores[order]
