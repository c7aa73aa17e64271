"""Counters of extraction under the names of the KSP document. Labels are codes; no user text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from prometheus_client import Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric

from memory.extraction.configuration import count_queue

DURATION = Histogram(
    "unde_batch_extraction_duration_seconds",
    "One run, from the claim to the last write",
    buckets=(0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300),
)
DELTAS = Counter("unde_batch_extraction_deltas_total", "Operations that changed a fact", ["operation"])
ERRORS = Counter("unde_batch_extraction_errors_total", "Runs that failed", ["code"])
GATE = Counter("unde_validator_gate_total", "What the gate made of what the model proposed", ["result"])
TOKENS = Counter("unde_batch_extraction_tokens_total", "Tokens of the model", ["kind"])
COST = Counter("unde_batch_extraction_cost_usd_total", "What the model cost, by the prices in the settings")
REVIEWS = Counter("unde_extraction_review_total", "Verdicts of reviewers on samples", ["verdict", "language"])
SWITCHES = Counter(
    "unde_batch_extraction_switches_total", "Extraction switched by itself or a person", ["mode", "reason"]
)

_ACCEPTED: Final = "accepted"


def count_result(result: str, *, operation: str) -> None:
    """One decision of the gate."""
    GATE.labels(result).inc()
    if result == _ACCEPTED:
        DELTAS.labels(operation.lower()).inc()


def read_queue_size() -> Iterator[Metric]:
    """Messages that no run has read yet, as the database has them now."""
    gauge = GaugeMetricFamily("unde_batch_extraction_queue_size", "Messages that extraction has not read yet")
    gauge.add_metric([], count_queue())
    yield gauge
