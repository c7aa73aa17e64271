"""Counters of extraction under the names of the KSP document. Labels are codes; no user text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from django.utils import timezone
from prometheus_client import Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric

from memory.extraction.configuration import count_queue
from memory.extraction.types import VERDICTS
from memory.extraction.work_list import count_switches, count_waiting, count_waiting_samples
from memory.metrics import LANGUAGES

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

# A series that is not there yet is not 0 to an alert (D-59).
for _operation in ("add", "update", "remove", "confirm"):
    DELTAS.labels(_operation)
for _result in (_ACCEPTED, "rejected_low_confidence", "rejected_no_anchor"):
    GATE.labels(_result)
for _verdict in VERDICTS:
    for _language in LANGUAGES:
        REVIEWS.labels(_verdict, _language)
for _code in ("extraction_unavailable", "internal_error", "rules_not_in_force"):
    ERRORS.labels(_code)


def count_result(result: str, *, operation: str) -> None:
    """One decision of the gate."""
    GATE.labels(result).inc()
    if result == _ACCEPTED:
        DELTAS.labels(operation.lower()).inc()


def read_queue_size() -> Iterator[Metric]:
    """What waits and what is switched, as the database has it now: a state is read and not counted (Q-1)."""
    gauge = GaugeMetricFamily("unde_batch_extraction_queue_size", "Messages that extraction has not read yet")
    # Without an endpoint nobody works the list off, and nothing in it is late.
    waiting, now = count_queue(), timezone.now()
    gauge.add_metric([], waiting)
    yield gauge
    since = count_waiting()[1] if waiting else None
    yield _make_age("unde_batch_extraction_oldest_seconds", "How long the first of them waits", waiting, since, now)
    yield _make_age("unde_extraction_review_oldest_seconds", "The oldest sample's wait", *count_waiting_samples(), now)
    switches = GaugeMetricFamily(
        "unde_batch_extraction_switched",
        "Tenants with extraction paused, off by itself, out of tokens; slices in quarantine",
        labels=["switch"],
    )
    for name, count in count_switches(now=now).items():
        switches.add_metric([name], count)
    yield switches


def _make_age(name: str, words: str, count: int, since: datetime | None, now: datetime) -> Metric:
    gauge = GaugeMetricFamily(name, words)
    gauge.add_metric([], (now - since).total_seconds() if count and since else 0.0)
    return gauge
