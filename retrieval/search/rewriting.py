"""A question asked in several wordings, and what they find put together (SPEC S-2). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from retrieval.search.candidates import NO_PART, Candidates, Ranking
from retrieval.search.fusion import sort_ranking

REWRITTEN_WEIGHT = 0.7  # what another wording finds counts less than what the user's own words find


def merge_rankings(own: Ranking, others: Sequence[Ranking]) -> Ranking:
    """One ranking of all: each message with the better of its score under the question and 0.7 of its best under other
    wordings. Hits of another wording keep the parts they got there, `rewritten` among them."""
    rankings = [own, *(weigh(ranking) for ranking in others)]
    found = [ranking for ranking in rankings if len(ranking)]
    if len(found) < 2:
        return found[0] if found else own
    candidates = Candidates(
        *(np.concatenate([getattr(each.candidates, field.name) for each in found]) for field in fields(Candidates))
    )
    names = list(dict.fromkeys(name for ranking in found for name in ranking.parts))
    parts = {
        name: np.concatenate([each.parts.get(name, np.full(len(each), NO_PART)) for each in found]) for name in names
    }
    scores = np.concatenate([ranking.scores for ranking in found])
    # Stable: of equal scores the one under the user's own words comes first and is kept.
    order = np.argsort(-scores, kind="stable")
    _, first = np.unique(candidates.message_ids[order], return_index=True)
    return sort_ranking(Ranking(candidates, scores, parts).take(order[first]))


def weigh(ranking: Ranking) -> Ranking:
    """A ranking under another wording, its scores at their lesser weight."""
    factor = np.full(len(ranking), REWRITTEN_WEIGHT)
    return Ranking(ranking.candidates, ranking.scores * factor, {**ranking.parts, "rewritten": factor})
