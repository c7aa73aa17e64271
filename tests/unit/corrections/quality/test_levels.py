"""A figure becomes a state: limits, samples, releases (SPEC Q-2)."""

import pytest

from corrections.quality.levels import LEVELS, list_levels, raise_state

SEED = {
    "staleness_rate": (0.1499, 0.15, 0.25, 0.2501),
    "conflict_rate": (0.0999, 0.10, 0.15, 0.1501),
    "injection_quality": (0.5501, 0.55, 0.40, 0.3999),
    "retrieval_latency_p95": (199.9, 200.0, 500.0, 500.1),
    "context_overflow_rate": (0.0499, 0.05, 0.15, 0.1501),
    "receipt_completeness_rate": (0.9901, 0.99, 0.95, 0.9499),
    "evolution_throughput": (100.1, 100.0, 20.0, 19.9),
    "tombstone_completion": (0.7999, 0.80, 1.0, 1.0001),
    "receipt_five_tuple": (1.0, 0.9999, 0.95, 0.9499),
    "failover": (0.7999, 0.80, 1.0, 1.0001),
}


@pytest.mark.parametrize("name", SEED)
def test_a_level_judges_as_the_table_of_the_document_does(name: str) -> None:
    passed, near, far, failed = SEED[name]
    states = [LEVELS[name].judge(value, 1000) for value in (passed, near, far, failed)]
    assert states == ["PASS", "OBSERVE", "OBSERVE", "FAIL"]


def test_there_are_eleven_levels_and_one_late_erasure_is_a_failure() -> None:
    assert sorted(LEVELS) == sorted([*SEED, "deletion_timeout_rate"])
    late = LEVELS["deletion_timeout_rate"]
    assert [late.judge(value, 1) for value in (0.0, 0.001)] == ["PASS", "FAIL"]


def test_under_thirty_samples_every_figure_is_to_be_observed() -> None:
    level = LEVELS["staleness_rate"]
    assert [level.judge(0.9, n) for n in (0, 29, 30)] == ["OBSERVE", "OBSERVE", "FAIL"]
    assert level.judge(None, 0) == "OBSERVE"


def test_a_tenants_own_limits_take_the_place_of_the_shipped_ones() -> None:
    own = list_levels({"staleness_rate": (0.01, 0.02)})
    assert (own["staleness_rate"].judge(0.03, 50), own["conflict_rate"].passes) == ("FAIL", 0.10)


@pytest.mark.parametrize(
    ("before", "n", "state"),
    [
        (["OBSERVE", "OBSERVE"], 50, "FAIL"),
        (["OBSERVE", "PASS", "OBSERVE"], 50, "OBSERVE"),
        (["OBSERVE"], 50, "OBSERVE"),
        (["OBSERVE", "OBSERVE"], 5, "OBSERVE"),
    ],
)
def test_a_third_release_running_that_is_observed_fails(before: list[str], n: int, state: str) -> None:
    assert raise_state("OBSERVE", n=n, min_samples=30, before=before) == state


def test_three_releases_running_change_nothing_for_what_passes() -> None:
    assert raise_state("PASS", n=50, min_samples=30, before=["OBSERVE", "OBSERVE"]) == "PASS"
