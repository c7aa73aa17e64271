"""From raw features to one order. Pure maths on the columns of a few hundred candidates (D-13, D-17, D-18)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import numpy as np

from retrieval.search.boosts import (
    Floats,
    Parts,
    boost_answers,
    boost_periods,
    boost_sayings,
    boost_sessions,
    boost_speakers,
    boost_standing,
)
from retrieval.search.candidates import NO_PART, Candidates, Ranking
from retrieval.search.periods import Period
from retrieval.search.questions import Question
from retrieval.search.recipes import Recipe

FRESH_WINDOW = timedelta(minutes=5)


def rank_candidates(
    candidates: Candidates,
    *,
    question: Question,
    recipe: Recipe,
    dense_weight: float,
    periods: Sequence[Period] = (),
) -> Ranking:
    """Candidates by final score, best first; equal scores by id, so that the order is always the same (P-7).

    Each result keeps the parts of its score. `dense_weight` 0 leaves vectors out; `periods` are the times that the
    question names.
    """
    if not len(candidates):
        return Ranking(candidates, np.zeros(0), {})
    fuse = fuse_ranks if recipe.fusion == "rank" else fuse_scores
    parts = fuse(candidates, question=question, recipe=recipe, dense_weight=dense_weight)
    parts["score"] /= parts["score"].max() or 1.0  # so that boosts mean the same for every question
    boost_sessions(candidates, parts, share=recipe.session_boost)
    boost_speakers(candidates, parts, question=question, recipe=recipe)
    boost_standing(candidates, parts, question=question, recipe=recipe)
    boost_sayings(candidates, parts, question=question, recipe=recipe)
    boost_answers(candidates, parts, share=recipe.answer_share)
    boost_periods(candidates, parts, periods=periods, recipe=recipe)
    return sort_ranking(Ranking(candidates, parts["score"], parts))


def sort_ranking(ranking: Ranking) -> Ranking:
    """Those with a score above 0, best first, equal ones by id."""
    order = np.lexsort((ranking.candidates.message_ids, -ranking.scores))
    return ranking.take(order[ranking.scores[order] > 0])


def fuse_scores(candidates: Candidates, *, question: Question, recipe: Recipe, dense_weight: float) -> Parts:
    """`lexical / best + weight x dense / best` (docs/retrieval.md).

    A fresh message without a vector gets 0.6 (D-18).
    """
    lexical, dense = normalise_length(candidates, recipe.scale_length(question)), find_dense(candidates)
    lexical, dense = lexical / (lexical.max() or 1.0), dense / (dense.max() or 1.0)
    if dense_weight:
        dense = np.where(candidates.is_unembedded, recipe.fresh_score, dense)
    return {"lexical": lexical, "dense": dense, "score": lexical + dense_weight * dense}


def fuse_ranks(candidates: Candidates, *, question: Question, recipe: Recipe, dense_weight: float) -> Parts:
    """Reciprocal rank fusion, `sum of weight / (k + place)` over the best `depth` of each kind (Cormack et al.

    2009).
    """
    parts = {"score": np.zeros(len(candidates))}
    lexical = normalise_length(candidates, recipe.scale_length(question))
    columns = (("lexical", 1.0, lexical), ("dense", dense_weight, find_dense(candidates)))
    for name, weight, values in columns:
        order = np.lexsort((candidates.message_ids, -values))[: recipe.depth]
        order = order[values[order] > 0]
        parts[name] = np.full(len(candidates), NO_PART)
        parts[name][order] = values[order]
        parts["score"][order] += weight / (recipe.rank_k + np.arange(1, len(order) + 1))
    return parts


def normalise_length(candidates: Candidates, scale: float) -> Floats:
    """The lexical scores with long messages held back, one of `scale` words by half."""
    held: Floats = candidates.lexical / (1 + candidates.lens / scale)
    return held


def find_dense(candidates: Candidates) -> Floats:
    """The smoothed dot products, 0 for those below it and for messages without a vector."""
    return np.fmax(candidates.smoothed, 0.0)


def find_mood_factor(*, memory_type: str, message_mood: str, mood: str, recipe: Recipe) -> float:
    """1, or less for an emotion memory under another mood.

    Facts, preferences and events are never touched (KSP fix 7).
    """
    is_mismatch = bool(message_mood and mood) and message_mood.strip().lower() != mood.strip().lower()
    return 1 - recipe.mood_penalty if memory_type == "emotion" and is_mismatch else 1.0
