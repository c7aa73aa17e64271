"""When a delivery is tried again."""

from datetime import UTC, datetime, timedelta

import pytest

from config.settings import tuning
from memory.outbox.retries import find_next_attempt

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
WAITS = (timedelta(seconds=5), timedelta(minutes=5), timedelta(hours=5))


def find(attempts: int, *, draw: float = 0.5, retry_after: timedelta | None = None) -> timedelta | None:
    found = find_next_attempt(
        attempts=attempts, now=NOW, waits=WAITS, jitter=0.2, draw=lambda: draw, retry_after=retry_after
    )
    return found - NOW if found else None


def test_pauses_follow_the_list_and_then_it_is_over() -> None:
    assert [find(attempts) for attempts in (1, 2, 3, 4)] == [*WAITS, None]


@pytest.mark.parametrize(("draw", "share"), [(0.0, 0.8), (1.0, 1.2)])
def test_a_pause_is_spread_by_a_fifth_either_way(draw: float, share: float) -> None:
    assert find(2, draw=draw) == WAITS[1] * share


def test_a_receiver_that_asks_for_a_longer_pause_gets_it() -> None:
    assert find(1, retry_after=timedelta(hours=1)) == timedelta(hours=1)


def test_a_receiver_never_shortens_a_pause_and_never_asks_for_more_than_the_longest() -> None:
    assert find(2, retry_after=timedelta(seconds=1)) == WAITS[1]
    assert find(1, retry_after=timedelta(days=9)) == WAITS[2]


def test_the_shipped_pauses_take_about_a_day() -> None:
    assert timedelta(hours=20) < sum(tuning.WEBHOOK_RETRY_WAITS, timedelta()) < timedelta(hours=28)
