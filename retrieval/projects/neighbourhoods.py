"""Neighbourhoods of turns: what was talked about at length stands together (KNOWLEDGE.md 1.8). Pure.

A turn's own words say little in a meeting. The words of the turns around it are added, less the further away they are,
and the densest stretches are taken first. Rare words count more, long turns less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

REACH: Final = 20.0
"""Turns after which a neighbour counts 1/e."""
RARITY: Final = 2.0
"""Power of a word's idf: common words of a long talk say nothing about where it is about something."""
LENGTH: Final = 30.0
"""Words of a turn at which its weight is halved."""
_CUT: Final = 6  # reaches: what lies beyond counts less than 1/400


def find_density(
    ranks: NDArray[np.float64], idfs: NDArray[np.float64], lengths: NDArray[np.int64], starts: Sequence[int]
) -> NDArray[np.float64]:
    """How dense each turn's neighbourhood is in the question's words.

    `ranks`: words x turns, 0 to about 1; `lengths` in words; `starts`: where each conversation begins among the turns.
    """
    own = (idfs**RARITY) @ ranks / (1 + lengths / LENGTH)
    density = np.zeros_like(own)
    for start, end in zip(starts, [*starts[1:], len(own)], strict=True):
        density[start:end] = spread(own[start:end])
    return density


def spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each value shared with its neighbours, exponentially less with their distance."""
    width = min(int(REACH * _CUT), max(1, len(values)))
    kernel = np.exp(-np.abs(np.arange(-width, width + 1)) / REACH)
    return np.convolve(values, kernel / kernel.sum(), mode="full")[width : width + len(values)]


def choose_turns(density: NDArray[np.float64], costs: Sequence[int], *, budget: int) -> list[int]:
    """Turns in their order: the densest ones that fit the budget together. None where nothing matches."""
    chosen, used = [], 0
    for turn in np.argsort(-density, kind="stable").tolist():
        if density[turn] <= 0:
            break
        if used + costs[turn] <= budget:
            used += costs[turn]
            chosen.append(turn)
        elif used > budget * 0.97:
            break
    return sorted(chosen)
