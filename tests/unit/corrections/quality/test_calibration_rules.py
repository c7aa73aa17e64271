"""The seed's table of calibration, row by row and as properties (SPEC P-9, BRAIN 2.3.2.5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corrections.quality.calibration.rules import CORRECTED, RAISED, UNUSED, Uses, adjust_confidence

CONFIRMED = "confirmed_by_user"


@pytest.mark.parametrize(
    ("before", "provenance", "uses", "rule", "after"),
    [
        # 10 uses and more than .8 positive: +.1 up to the cap of the provenance
        (0.7, CONFIRMED, Uses(10, 9, 0), RAISED, 0.8),
        (0.95, CONFIRMED, Uses(10, 10, 0), RAISED, 1.0),
        (0.75, "analysis", Uses(12, 12, 0), RAISED, 0.8),
        (0.55, "observation", Uses(10, 9, 0), RAISED, 0.6),
        (0.8, "analysis", Uses(10, 10, 0), None, 0.8),
        (0.7, CONFIRMED, Uses(9, 9, 0), None, 0.7),
        (0.7, CONFIRMED, Uses(10, 8, 0), None, 0.7),
        # 5 uses and 2 corrections: -.15
        (0.95, CONFIRMED, Uses(5, 3, 2), CORRECTED, 0.8),
        (0.95, CONFIRMED, Uses(5, 4, 1), None, 0.95),
        (0.95, CONFIRMED, Uses(4, 2, 2), None, 0.95),
        (0.95, CONFIRMED, Uses(20, 18, 2), CORRECTED, 0.8),
        # 5 uses under .3 positive: -.2; what lowers more goes first
        (0.95, CONFIRMED, Uses(5, 1, 0), UNUSED, 0.75),
        (0.95, CONFIRMED, Uses(10, 3, 0), None, 0.95),
        (0.95, CONFIRMED, Uses(6, 1, 5), UNUSED, 0.75),
        # the floor
        (0.25, CONFIRMED, Uses(5, 0, 0), UNUSED, 0.1),
        (0.1, CONFIRMED, Uses(5, 0, 0), None, 0.1),
        (0.05, CONFIRMED, Uses(5, 0, 0), None, 0.05),
    ],
)
def test_a_row_of_the_table_moves_confidence(
    before: float, provenance: str, uses: Uses, rule: str | None, after: float
) -> None:
    found = adjust_confidence(before, provenance=provenance, uses=uses)
    assert (found.rule if found else None) == rule
    assert (found.after if found else before) == pytest.approx(after)


@pytest.mark.parametrize(("before", "is_asked"), [(0.35, True), (0.4, False), (0.19, False), (0.2, True)])
def test_a_person_is_asked_when_confidence_falls_under_the_limit(before: float, is_asked: bool) -> None:
    found = adjust_confidence(before, provenance=CONFIRMED, uses=Uses(5, 0, 0))
    assert found is not None and found.is_to_remove is is_asked


@given(
    before=st.floats(0.01, 1.0),
    provenance=st.sampled_from(["observation", "analysis", CONFIRMED]),
    counts=st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40)),
)
def test_no_feedback_lifts_over_the_cap_or_pushes_under_the_floor_and_a_step_is_at_most_a_fifth(
    before: float, provenance: str, counts: tuple[int, int, int]
) -> None:
    positive, corrected, _ = counts
    found = adjust_confidence(before, provenance=provenance, uses=Uses(sum(counts), positive, corrected))
    if found is None:
        return
    cap = {"observation": 0.6, "analysis": 0.8, CONFIRMED: 1.0}[provenance]
    assert abs(found.after - before) <= 0.2 + 1e-3
    assert found.after <= max(before, cap) + 1e-3
    assert found.after >= min(before, 0.1) - 1e-3
    if corrected >= 2 and sum(counts) >= 5:
        assert found.after < before
