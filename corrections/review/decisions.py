"""From the verdicts of several reviewers to one decision. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations


def find_decision(verdicts: Sequence[str], *, wanted: int) -> str | None:
    """The verdict of more than half of the reviewers, once as many as wanted have spoken; None before.

    Without a majority one more reviewer is needed.
    """
    if len(verdicts) < max(1, wanted):
        return None
    verdict, count = Counter(verdicts).most_common(1)[0]
    return verdict if 2 * count > len(verdicts) else None


def count_agreeing_pairs(verdicts: Iterable[Sequence[str]]) -> tuple[int, int]:
    """Pairs of reviewers of one item who said the same, and all pairs, over the verdicts of many items."""
    pairs = [(one, other) for of_item in verdicts for one, other in combinations(of_item, 2)]
    return sum(one == other for one, other in pairs), len(pairs)
