"""Retrieval metrics over labelled evidence. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

EQUAL = 1e-9
METRICS = ("recall@5", "recall@10", "recall@20", "full@10", "mrr", "ndcg@10", "precision@5", "precision@r")
CELL = max(map(len, METRICS))
"""Characters of a column."""


def score_ranking(ranking: Sequence[str], evidence: Sequence[str]) -> dict[str, float]:
    """Recall at 5, 10, 20, whether all evidence is in the top 10, reciprocal rank, nDCG at 10, and precision.

    Precision is the share of evidence among the first 5, and among the first R of a question with R evidence messages:
    there a perfect ranking has 1, whatever R is.
    """
    places: dict[str, int] = {}
    for place, message_id in enumerate(ranking):
        places.setdefault(message_id, place)
    found = [places.get(message_id, math.inf) for message_id in evidence]
    gain = sum(1 / math.log2(place + 2) for place in found if place < 10)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(found))))
    scores = {f"recall@{k}": sum(place < k for place in found) / len(found) for k in (5, 10, 20)}
    scores |= {f"precision@{name}": sum(place < k for place in found) / k for name, k in (("5", 5), ("r", len(found)))}
    best = min(found)
    return scores | {
        "full@10": float(all(place < 10 for place in found)),
        "mrr": 0.0 if best == math.inf else 1 / (best + 1),
        "ndcg@10": gain / ideal,
    }


def average_scores(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each metric, and `n`."""
    means = {metric: fmean(score[metric] for score in scores) if scores else 0.0 for metric in METRICS}
    return means | {"n": float(len(scores))}


def compare_scores(
    scores: Mapping[str, Mapping[str, float]], base: Mapping[str, Mapping[str, float]]
) -> tuple[float, int, int]:
    """How two runs differ over the same questions: the mean difference, and how many questions got better and worse."""
    differences = [scores[name]["recall@10"] - base[name]["recall@10"] for name in base]
    better, worse = sum(d > EQUAL for d in differences), sum(d < -EQUAL for d in differences)
    return (fmean(differences) if differences else 0.0), better, worse


def find_percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0
