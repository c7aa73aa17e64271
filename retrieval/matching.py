"""How well a user's messages match the words of a question. Pure, exact, all messages at once (D-13).

A message is found by its own words and by those of its neighbours in the session: the previous one's count less, those
of the next one and of the one before the previous least. Their words are not written into the message; they are added
up here, so that a message that leaves takes them along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrieval.lexemes import MAX_COUNT, hash_lexeme
from retrieval.places import Places, Weights
from retrieval.questions import Question
from retrieval.recipes import Recipe
from retrieval.tokens import QueryTerm

# Occurrences 1, 2, 3 ... of a lexeme count 1, 1/4, 1/9 ..., as `ts_rank` has it; four messages lend eight each.
SUMS = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, 4 * MAX_COUNT + 1) ** 2))) / 1.64493406685


@dataclass(frozen=True, slots=True)
class WordHits:
    """What words say of each place: `lexical` the sum of idf x rank over the question's words, `covered` of idf alone.

    `ranks` has a row for each group of terms, 0 to about 1, and `idfs` their weights; places outside the filters
    are 0.
    """

    lexical: NDArray[np.float64]
    covered: NDArray[np.float64]
    ranks: NDArray[np.float64]
    idfs: NDArray[np.float64]


def match_words(places: Places, *, question: Question, recipe: Recipe, in_scope: NDArray[np.bool_]) -> WordHits:
    """Score all places for the question's terms. Spellings of one word are a group, of which the best counts.

    N and df of idf are counted inside the filters; neighbours lend their words from outside of them too.
    """
    terms = sorted(question.terms, key=lambda term: term.group)
    if not terms or not len(places):
        nothing = np.zeros(len(places))
        return WordHits(nothing, nothing, np.zeros((0, len(places))), np.zeros(0))
    own, lent = count_terms(places, [term.lexeme for term in terms])
    weights = places.choose_weights(recipe.position_weights, recipe.assistant_position_weights)
    cells, ranks = rank_terms(places, own, lent, position_weights=weights, in_scope=in_scope)
    best = _find_best(cells, ranks, terms, count=len(places))
    matched = best > 0
    frequencies = np.count_nonzero(matched, axis=1)
    idfs = np.log(1 + (int(np.count_nonzero(in_scope)) - frequencies + 0.5) / (frequencies + 0.5))
    return WordHits(idfs @ best, idfs @ matched.astype(np.float64), best, idfs)


def count_terms(places: Places, lexemes: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """How often each place has each lexeme itself, and in the part it lends: two tables, lexemes x places."""
    codes = np.array([int.from_bytes(hash_lexeme(lexeme), "little") for lexeme in lexemes], dtype=np.uint64)
    order = np.argsort(codes)
    codes = codes[order]
    is_wanted = np.zeros(1 << 16, dtype=np.bool_)
    is_wanted[codes & np.uint64(0xFFFF)] = True
    hits = np.flatnonzero(is_wanted.take(places.entries[:, 0]))
    low, middle, high = places.entries[hits].astype(np.uint64).T
    found = low | middle << np.uint64(16) | (high & np.uint64(0xFF)) << np.uint64(32)
    at = np.minimum(np.searchsorted(codes, found), len(codes) - 1)
    is_term = codes[at] == found
    lexeme_of, row_of = order[at[is_term]], places.rows[hits[is_term]]
    counts = (high[is_term] >> np.uint64(8)).astype(np.uint8)
    own = np.zeros((len(lexemes), len(places)), dtype=np.uint8)
    lent = np.zeros_like(own)
    own[lexeme_of, row_of] = counts >> 4
    lent[lexeme_of, row_of] = counts & 15
    return own, lent


def rank_terms(
    places: Places,
    own: NDArray[np.uint8],
    lent: NDArray[np.uint8],
    *,
    position_weights: Weights,
    in_scope: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Each lexeme's rank, 0 to about 1, at the places in scope that have it: their cells in a table lexemes x places,
    and the ranks. Own occurrences first, then those of the previous message, of the one before it and of the next, each
    weighted by whose it is and by 1/n^2 as the n-th."""
    second = own + _shift(lent, 1, places.has_previous)
    third = second + _shift(lent, 2, places.has_before)
    fourth = third + _shift(lent, -1, places.has_next)
    fourth *= in_scope
    # Most messages have none of the words: from here on only those that do.
    cells = np.flatnonzero(fourth)
    rows = cells % len(places)
    before, following, previous, self_weight = (
        weight[rows] if isinstance(weight, np.ndarray) else weight for weight in position_weights
    )
    ranks: NDArray[np.float64] = (
        (self_weight - previous) * SUMS[own.ravel()[cells]]
        + (previous - before) * SUMS[second.ravel()[cells]]
        + (before - following) * SUMS[third.ravel()[cells]]
        + following * SUMS[fourth.ravel()[cells]]
    )
    return cells, ranks


def _shift(counts: NDArray[np.uint8], by: int, has_one: NDArray[np.bool_]) -> NDArray[np.uint8]:
    shifted = np.zeros_like(counts)
    if by > 0:
        shifted[:, by:] = counts[:, :-by]
    else:
        shifted[:, :by] = counts[:, -by:]
    return shifted * has_one


def _find_best(
    cells: NDArray[np.int64], ranks: NDArray[np.float64], terms: Sequence[QueryTerm], *, count: int
) -> NDArray[np.float64]:
    """The best weighted spelling of each group at each of `count` places; `terms` are in order of their groups."""
    number_of = {group: number for number, group in enumerate(dict.fromkeys(term.group for term in terms))}
    lexemes = cells // count
    ranks = ranks * np.array([term.weight for term in terms])[lexemes]
    best = np.zeros((len(number_of), count))
    groups = np.array([number_of[term.group] for term in terms])
    np.maximum.at(best.reshape(-1), groups[lexemes] * count + cells % count, ranks)
    return best
