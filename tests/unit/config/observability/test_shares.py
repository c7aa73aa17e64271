"""Shares are made of what all processes counted; NaN before the first event (D-59)."""

from math import isnan

from prometheus_client.core import CounterMetricFamily

from config.observability.shares import make_shares


def read(*results: tuple[str, float]) -> float:
    gate = CounterMetricFamily("unde_validator_gate", "The gate", labels=["result"])
    for result, count in results:
        gate.add_metric([result], count)
    found = {metric.name: metric.samples[0].value for metric in make_shares([gate])}
    assert isnan(found["unde_snippet_cache_hit_ratio"])
    return found["unde_validator_rejection_rate"]


def test_a_share_of_nothing_is_nan() -> None:
    assert isnan(read(("accepted", 0), ("rejected_no_anchor", 0)))


def test_every_kind_of_refusal_counts() -> None:
    assert read(("accepted", 6), ("rejected_no_anchor", 1), ("rejected_too_many", 1)) == 0.25
