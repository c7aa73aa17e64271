"""How present an episode is: idle time, priority, layer, and how much of it is shown (SPEC L-2, D-44). Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from memory.episodes.recipe import (
    ANCHOR_PART,
    COLD_AFTER,
    FREQUENCY_FULL_AT,
    FREQUENCY_PART,
    GRADE_FIRST,
    GRADE_LAST,
    HALF_LIFE_DAYS,
    HOT_ABOVE,
    LIKENESS_PART,
    RECENCY_PART,
    WARM_AFTER,
)

DAY = timedelta(days=1)
UP = {"cold": "warm", "warm": "hot", "hot": "hot"}


class Aged(Protocol):
    """What an episode's age is counted from."""

    @property
    def ended_at(self) -> datetime: ...
    @property
    def last_accessed_at(self) -> datetime | None: ...


def find_idle_days(episode: Aged, *, now: datetime) -> float:
    """Days since it was last spoken in or opened; none for what lies ahead."""
    last = max(episode.ended_at, episode.last_accessed_at or episode.ended_at)
    return max(0.0, (now - last) / DAY)


def weigh_priority(
    *, idle_days: float, accesses: int, is_anchor: bool, likeness: float
) -> tuple[float, float, float, float]:
    """Recency, frequency, anchor and likeness to recent questions (0 to 1): what the priority is the sum of."""
    recency = RECENCY_PART * 2 ** (-idle_days / HALF_LIFE_DAYS)
    frequency = FREQUENCY_PART * min(1.0, math.log1p(accesses) / math.log1p(FREQUENCY_FULL_AT))
    return recency, frequency, ANCHOR_PART * is_anchor, LIKENESS_PART * min(1.0, max(0.0, likeness))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When an episode changes its layer: a tenant may set them."""

    warm_days: float = WARM_AFTER / DAY
    cold_days: float = COLD_AFTER / DAY
    lift_above: float = HOT_ABOVE


SHIPPED = Thresholds()


def choose_layer(*, idle_days: float, priority: float, is_anchor: bool, thresholds: Thresholds = SHIPPED) -> str:
    """By idle time; a high priority lifts one layer, and an anchor is never cold."""
    layer = "hot" if idle_days < thresholds.warm_days else "warm" if idle_days < thresholds.cold_days else "cold"
    if priority > thresholds.lift_above:
        layer = UP[layer]
    return "warm" if is_anchor and layer == "cold" else layer


def find_share(episode: Aged, *, now: datetime) -> float:
    """How much of an episode's information is shown: from 70 % at two weeks of rest to 30 % at three months."""
    idle = find_idle_days(episode, now=now)
    first, last = WARM_AFTER / DAY, COLD_AFTER / DAY
    part = min(1.0, max(0.0, (idle - first) / (last - first)))
    return GRADE_FIRST + (GRADE_LAST - GRADE_FIRST) * part
