"""How well a user's messages match the words of a question. Pure, exact, all messages at once (D-13).

A message is found by its own words and by those of its neighbours in the session: the previous one's count less, those
of the next one and of the one before the previous least. Their words are not written into the message; they are added
up here, so that a message that leaves takes them along.

Two words of the question that follow each other in the message too are a phrase, and count as a word of their own
(ordered windows of the sequential dependence model, Metzler & Croft 2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from patterns.text.lexemes import MAX_COUNT, hash_lexeme
from patterns.text.tokens import CONCEPT_PREFIX, QueryTerm
from retrieval.search.columns import Places, Weights
from retrieval.search.questions import Question
from retrieval.search.recipes import Recipe

# Occurrences 1, 2, 3 ... of a lexeme count 1, 1/4, 1/9 ..., as `ts_rank` has it; four messages lend eight each.
SUMS = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, 4 * MAX_COUNT + 1) ** 2))) / 1.64493406685
# Entries of a message stand in the order of its words, each where it was said first. A word has one to three of them.
PHRASE_REACH = 3
_NO_WORD = -1


@dataclass(frozen=True, slots=True)
class WordHits:
    """What words say of each place: `lexical` the sum of idf x rank over words and phrases, `covered` of words' idf.

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
    found = find_terms(places, [term.lexeme for term in terms])
    own, lent = tabulate(found, count=len(places))
    weights = places.choose_weights(recipe.position_weights, recipe.assistant_position_weights)
    cells, ranks = rank_terms(places, own, lent, position_weights=weights, in_scope=in_scope)
    best = _find_best(cells, ranks, terms, count=len(places))
    matched = best > 0
    total = int(np.count_nonzero(in_scope))
    idfs = find_idfs(np.count_nonzero(matched, axis=1), total=total)
    lexical = idfs @ best
    if recipe.phrase_weight:
        pairs, rows = find_phrases(found, number_words(terms), in_scope=in_scope)
        rarity = find_idfs(np.bincount(pairs), total=total)
        lexical += recipe.phrase_weight * SUMS[1] * np.bincount(rows, rarity[pairs], minlength=len(places))
    return WordHits(lexical, idfs @ matched.astype(np.float64), best, idfs)


def find_idfs(frequencies: NDArray[np.int64], *, total: int) -> NDArray[np.float64]:
    """How rare what is found in so many of `total` places is."""
    idfs: NDArray[np.float64] = np.log(1 + (total - frequencies + 0.5) / (frequencies + 0.5))
    return idfs


@dataclass(frozen=True, slots=True)
class FoundTerms:
    """Entries that are lexemes of the question, in the order of places and in them of words: which lexeme, at which
    place, the entry's number among all, and its counts (patterns/text/lexemes.py)."""

    number: int
    lexemes: NDArray[np.int64]
    rows: NDArray[np.int32]
    entries: NDArray[np.int64]
    counts: NDArray[np.uint8]


def find_terms(places: Places, lexemes: Sequence[str]) -> FoundTerms:
    """Where the lexemes stand."""
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
    hits = hits[is_term]
    counts = (high[is_term] >> np.uint64(8)).astype(np.uint8)
    return FoundTerms(len(lexemes), order[at[is_term]], places.rows[hits], hits, counts)


def tabulate(found: FoundTerms, *, count: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """How often each place has each lexeme itself, and in the part it lends: two tables, lexemes x `count` places."""
    own = np.zeros((found.number, count), dtype=np.uint8)
    lent = np.zeros_like(own)
    own[found.lexemes, found.rows] = found.counts >> 4
    lent[found.lexemes, found.rows] = found.counts & 15
    return own, lent


def number_words(terms: Sequence[QueryTerm]) -> NDArray[np.int64]:
    """For each term the number of its word in the question; concepts stand in nobody's text and have none."""
    groups = dict.fromkeys(term.group for term in terms if not term.lexeme.startswith(CONCEPT_PREFIX))
    number_of = {group: number for number, group in enumerate(groups)}
    return np.array([number_of.get(term.group, _NO_WORD) for term in terms])


def find_phrases(
    found: FoundTerms, words: NDArray[np.int64], *, in_scope: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which places in scope say a word of the question and, right after it, the one that follows it there: the numbers
    of the first words, and the places, each pair once. `words` numbers the word of each lexeme.

    Read from the order of the entries, which is that in which a message says each lexeme first: what it repeats later
    is not seen, and of two words with few entries one more may stand between them.
    """
    word = words[found.lexemes]
    has_word = np.flatnonzero((word >= 0) & (found.counts >= 16))
    # One number for a word at a place: of two that follow each other the second is greater by one, at one place alone.
    stride = len(words) + 1
    said = found.rows[has_word].astype(np.int64) * stride + word[has_word]
    begins = np.flatnonzero(np.diff(said, prepend=-1))  # the spellings of a word are one
    entries = found.entries[has_word]
    said, reach = said[begins], entries[begins[1:]] - entries[begins[1:] - 1]
    follows = (np.diff(said) == 1) & (reach <= PHRASE_REACH)
    rows, pairs = np.divmod(np.unique(said[:-1][follows]), stride)
    kept = in_scope[rows]
    return pairs[kept], rows[kept]


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
