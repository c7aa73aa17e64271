"""The Wilson interval against figures that can be looked up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.extraction.quality.intervals import measure_precision


@pytest.mark.parametrize(
    ("right", "judged", "lower", "upper"),
    [
        (0, 0, 0.0, 1.0),
        (1, 1, 0.2065, 1.0),
        (30, 30, 0.8865, 1.0),
        (29, 30, 0.8333, 0.9941),
        (28, 30, 0.7868, 0.9815),
        (50, 100, 0.4038, 0.5962),
        (0, 10, 0.0, 0.2775),
    ],
)
def test_known_figures(right: int, judged: int, lower: float, upper: float) -> None:
    found = measure_precision(right=right, judged=judged)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=1e-4)


def test_nothing_judged_has_no_rate() -> None:
    assert measure_precision(right=0, judged=0).rate is None
    assert measure_precision(right=0, judged=0).error_rate is None


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_bounds_hold_the_rate_and_narrow_with_numbers(counts: tuple[int, int]) -> None:
    right, judged = counts
    found = measure_precision(right=right, judged=judged)
    assert 0 <= found.lower <= right / judged + 1e-9
    assert right / judged - 1e-9 <= found.upper <= 1
    more = measure_precision(right=right * 10, judged=judged * 10)
    assert more.upper - more.lower <= found.upper - found.lower + 1e-12
