"""Layers follow idle time; a high priority lifts one layer, and an anchor is never cold (D-44)."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from memory.episodes.layers import choose_layer, find_idle_days, find_share, weigh_priority

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@dataclass
class Aged:
    ended_at: datetime
    last_accessed_at: datetime | None = None


@pytest.mark.parametrize(
    ("days", "layer", "anchored"), [(0, "hot", "hot"), (13.9, "hot", "hot"), (14, "warm", "warm"), (90, "cold", "warm")]
)
def test_the_layer_is_that_of_the_idle_days(days: float, layer: str, anchored: str) -> None:
    assert choose_layer(idle_days=days, priority=0.5, is_anchor=False) == layer
    assert choose_layer(idle_days=days, priority=0.5, is_anchor=True) == anchored


def test_a_priority_above_seven_tenths_lifts_one_layer() -> None:
    assert choose_layer(idle_days=20, priority=0.71, is_anchor=True) == "hot"
    assert choose_layer(idle_days=20, priority=0.70, is_anchor=True) == "warm"


def test_the_priority_is_the_sum_of_the_four_parts_of_the_seed() -> None:
    fresh = weigh_priority(idle_days=0, accesses=10, is_anchor=True, likeness=1)
    assert sum(fresh) == pytest.approx(1.0)
    assert weigh_priority(idle_days=14, accesses=0, is_anchor=False, likeness=0) == pytest.approx((0.15, 0, 0, 0))
    without_anchor = weigh_priority(idle_days=0, accesses=10**6, is_anchor=False, likeness=1)
    assert sum(without_anchor) == pytest.approx(0.7)


def test_opening_an_episode_ends_its_rest() -> None:
    old = NOW - timedelta(days=100)
    assert find_idle_days(Aged(old), now=NOW) == 100
    assert find_idle_days(Aged(old, NOW - timedelta(days=3)), now=NOW) == 3
    assert find_idle_days(Aged(NOW + timedelta(days=1)), now=NOW) == 0


def test_less_and_less_is_shown_between_two_weeks_and_three_months() -> None:
    shares = [find_share(Aged(NOW - timedelta(days=days)), now=NOW) for days in (0, 14, 52, 90, 400)]
    assert shares == pytest.approx([0.7, 0.7, 0.5, 0.3, 0.3])
