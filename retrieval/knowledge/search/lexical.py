"""BM25 over the postings of a corpus (Robertson et al. 1994). One read fetches what it needs; the sums are pure."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.database.queries import Query
from memory.tenants.scope import run_in_scope
from patterns.text.tokens import QueryTerm, list_query_terms
from retrieval.knowledge.search.recipe import SearchRecipe
from retrieval.knowledge.terms import number_term

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

_POSTING: Final = np.dtype([("chunk", ">i8"), ("count", ">i2")])
# Packed by the database: the driver takes longer over rows than the database over reading them.
_READ: Final = """
SELECT term, count(*), string_agg(int8send(chunk_id) || int2send(count), ''::bytea)
FROM knowledge_posting WHERE corpus_id = %(corpus_id)s AND term = ANY(%(terms)s) GROUP BY term
"""
_COUNT: Final = """
SELECT term, count(*) FROM knowledge_posting WHERE corpus_id = %(corpus_id)s AND term = ANY(%(terms)s) GROUP BY term
"""
_LENGTHS: Final = """
SELECT id, words FROM knowledge_chunk WHERE corpus_id = %(corpus_id)s AND id = ANY(%(ids)s)
"""


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a term stands: chunks and how often, and in how many chunks of the corpus."""

    chunks: Ids
    counts: Floats

    @property
    def documents(self) -> int:
        """How many chunks have it."""
        return len(self.chunks)


@dataclass(frozen=True, slots=True)
class TextScores:
    """Chunks by ascending id with their text score, and what share of the question's weight the best one has."""

    chunks: Ids
    scores: Floats
    coverage: Floats
    """For each chunk: the weight of the question's words that it has, as a share of all of them."""
    is_capped: bool = False

    @property
    def best(self) -> float:
        """The highest score, 0 without any."""
        return float(self.scores.max()) if len(self.scores) else 0.0


NOTHING: Final = TextScores(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


def weigh_terms(
    query: str, history: Sequence[str], recipe: SearchRecipe, *, kept: float = 1.0
) -> list[tuple[QueryTerm, float]]:
    """The terms of a question and of earlier ones, each with the share that it counts with (KNOWLEDGE 1.5).

    `kept` is what is left of the share of earlier ones.

    Groups of different turns are kept apart; a term that the question has already is not added again.
    """
    turns = [(query, 1.0)]
    if history:
        turns.append((history[-1], recipe.previous_turn * kept))
        if len(history) > 1:
            turns.append((history[0], recipe.first_turn * kept))
    weighed: list[tuple[QueryTerm, float]] = []
    for number, (text, share) in enumerate(turns):
        for term in list_query_terms(text):
            group = number * 1_000 + term.group
            weighed.append((QueryTerm(group, term.lexeme, term.weight), share))
    return weighed


def score_texts(
    *, corpus_id: int, chunks: int, query: str, history: Sequence[str] = (), kept: float = 1.0, recipe: SearchRecipe
) -> TextScores:
    """BM25 of every chunk that has a word of the question. Inside a tenant scope; two statements."""
    weighed = weigh_terms(query, history, recipe, kept=kept)
    if not weighed or not chunks:
        return NOTHING
    numbers = {term.lexeme: number_term(term.lexeme) for term, _ in weighed}
    found, is_capped = _read_postings(corpus_id, sorted(set(numbers.values())), recipe.max_candidates)
    postings = {lexeme: found[number] for lexeme, number in numbers.items() if number in found}
    if not postings:
        return NOTHING
    ids = np.unique(np.concatenate([one.chunks for one in postings.values()]))
    lengths = _read_lengths(corpus_id, ids)
    return _add_up(weighed, postings, ids, lengths, chunks, recipe, is_capped)


def _add_up(
    weighed: Sequence[tuple[QueryTerm, float]],
    postings: Mapping[str, Postings],
    ids: Ids,
    lengths: Floats,
    chunks: int,
    recipe: SearchRecipe,
    is_capped: bool,
) -> TextScores:
    """The best spelling of each word counts; words add up."""
    held = recipe.k1 * (1 - recipe.b + recipe.b * lengths / (lengths.mean() or 1.0))
    groups: dict[int, list[tuple[QueryTerm, float]]] = defaultdict(list)
    for term, share in weighed:
        groups[term.group].append((term, share))
    scores, covered, whole = np.zeros(len(ids)), np.zeros(len(ids)), 0.0
    for terms in groups.values():
        best, has = np.zeros(len(ids)), np.zeros(len(ids))
        rarest = max((_weigh(postings.get(term.lexeme), chunks) for term, _ in terms), default=0.0)
        for term, share in terms:
            one = postings.get(term.lexeme)
            if one is None:
                continue
            places = np.searchsorted(ids, one.chunks)
            value = share * term.weight * _weigh(one, chunks) * one.counts * (recipe.k1 + 1)
            best[places] = np.maximum(best[places], value / (one.counts + held[places]))
            has[places] = np.maximum(has[places], term.weight)
        scores += best
        if terms[0][1] == 1.0:
            whole += rarest
            covered += has * rarest
    return TextScores(ids, scores, covered / (whole or 1.0), is_capped)


def _weigh(postings: Postings | None, chunks: int) -> float:
    """How much a word says: the rarer the more; most where no chunk has it."""
    documents = postings.documents if postings else 0
    return math.log(1 + (chunks - documents + 0.5) / (documents + 0.5))


def _read_postings(corpus_id: int, terms: Sequence[int], most: int) -> tuple[dict[int, Postings], bool]:
    """Postings of terms. Where that is too much, of the rarest terms first, until so many chunks are among them."""
    values = {"corpus_id": corpus_id, "terms": list(terms)}
    counts = sorted((count, term) for term, count in run_in_scope([Query(_COUNT, values)])[0])
    kept: list[int] = []
    total = 0
    for count, term in counts:
        if kept and total + count > most * 4:
            break
        kept.append(term)
        total += count
    rows = run_in_scope([Query(_READ, {"corpus_id": corpus_id, "terms": kept})])[0]
    found = {}
    for term, _, packed in rows:
        columns = np.frombuffer(packed, dtype=_POSTING)
        found[term] = Postings(columns["chunk"].astype(np.int64), columns["count"].astype(np.float64))
    return found, len(kept) < len(counts)


def _read_lengths(corpus_id: int, ids: Ids) -> Floats:
    rows = run_in_scope([Query(_LENGTHS, {"corpus_id": corpus_id, "ids": ids.tolist()})])[0]
    words: dict[int, int] = dict(rows)
    return np.array([max(1, words.get(one, 1)) for one in ids.tolist()], dtype=np.float64)
