"""How useful a memory has proved to be, and how little that may move it (SPEC C-4, S-3, D-17, D-22). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from retrieval.search.candidates import NO_PART, Ranking
from retrieval.search.fusion import sort_ranking
from retrieval.search.recipes import Recipe

NEUTRAL = 0.5
PRIOR_WEIGHT = 8.0  # signals' worth of neutrality: a few of them say little
USEFULNESS_BOUND = 0.05  # of a score, up or down; recency has the rest of the recipe's bound (D-17)
# What a signal is worth, for and against. A person's word counts more than a rule's reading of a reply; that a card
# was not used says least, for most cards of a pack are not needed.
SAID: Mapping[str, tuple[float, float]] = {
    "used": (1.0, 0.0),
    "confirmed": (2.0, 0.0),
    "unused": (0.0, 1.0),
    "corrected": (0.0, 2.0),
}
COMPUTED: Mapping[str, tuple[float, float]] = {"used": (0.25, 0.0), "unused": (0.0, 0.1)}


@dataclass(frozen=True, slots=True)
class SignalCount:
    """How often one signal came about one message or fact."""

    item_id: UUID
    is_fact: bool
    signal: str
    is_computed: bool
    count: int


@dataclass(frozen=True, slots=True)
class Usefulness:
    """0 useless, 0.5 nothing known, 1 always useful; `weight` is how many signals' worth it rests on."""

    score: float
    weight: float
    is_fact: bool


def fold_signals(counts: Iterable[SignalCount]) -> dict[UUID, Usefulness]:
    """The usefulness of each item: the share of signals for it, shrunken to neutral as if PRIOR_WEIGHT more had come
    that said neither (the mean of a beta distribution)."""
    sums: dict[UUID, tuple[float, float, bool]] = {}
    for one in counts:
        for_it, against_it = (COMPUTED if one.is_computed else SAID).get(one.signal, (0.0, 0.0))
        before = sums.get(one.item_id, (0.0, 0.0, one.is_fact))
        sums[one.item_id] = (before[0] + one.count * for_it, before[1] + one.count * against_it, one.is_fact)
    return {
        item_id: Usefulness(
            score=round((good + PRIOR_WEIGHT * NEUTRAL) / (good + bad + PRIOR_WEIGHT), 6),
            weight=round(good + bad, 6),
            is_fact=is_fact,
        )
        for item_id, (good, bad, is_fact) in sums.items()
        if good + bad
    }


def apply_bounds(ranking: Ranking, *, now: datetime, recipe: Recipe, usefulness: Mapping[UUID, float]) -> Ranking:
    """Move scores for age and usefulness, together by at most `recency_bound`: a message is truth, not a claim that
    ages or has to be liked (D-17). Packs only."""
    age_days = np.maximum(0.0, now.timestamp() - ranking.candidates.said_at) / 86_400
    recency = 1 - recipe.recency_bound * (1 - 0.5 ** (age_days / recipe.recency_half_life_days))
    ids = ranking.list_ids(len(ranking)) if usefulness else []
    known = [usefulness.get(message_id, NEUTRAL) for message_id in ids] or NEUTRAL
    liking = USEFULNESS_BOUND * (2 * np.array(known, dtype=np.float64) - 1)
    factors = np.clip(recency + liking, 1 - recipe.recency_bound, 1 + recipe.recency_bound)
    parts = {**ranking.parts, "recency": recency}
    if usefulness:
        parts["usefulness"] = np.where(liking == 0, NO_PART, factors / recency)
    return sort_ranking(Ranking(ranking.candidates, ranking.scores * factors, parts))
