"""What /metrics says of quality: figures that are states of the database, under the KSP document's names (SPEC Q-1).

Each is there from the first scrape on, NaN while nothing was measured (D-59).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import Any, Final

from django.conf import settings
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric

from corrections.quality.levels import LEVELS, MISSES, REPEATS, STATES
from memory.database.statements import fetch_rows
from memory.extraction.quality.intervals import measure_precision

ACTIONS: Final = ("clean_up", "conflicts")
PRIORITIES: Final = ("high", "normal", "recovery")
"""Names of the priorities 0, 1 and 2 of the list of vectors."""


def read_quality() -> Iterator[Metric]:
    """Service levels by state, offline measures, and what waits, over all tenants."""
    rows = _ask("SELECT indicator, state, tenants, n, total FROM read_quality_v1()")
    yield from _list_levels(rows)
    yield from _list_measures(rows)
    open_actions = dict(_ask("SELECT action, tenants FROM count_governor_actions_v1()"))
    governor = GaugeMetricFamily("unde_governor_actions", "Tenants in which the governor acts now", labels=["action"])
    for name in ACTIONS:
        governor.add_metric([name], open_actions.get(name, 0))
    yield governor
    waiting = _ask("SELECT count_facts_to_remove_v1()")[0][0]
    yield _make("unde_facts_to_decide", "Facts that feedback left hardly believed, for a person to decide", waiting)
    yield from _list_languages()
    yield from _list_precisions()
    yield from _list_waiting()


def _list_levels(rows: list[tuple[Any, ...]]) -> Iterator[Metric]:
    """`unde_quality_state{indicator,state}` counts tenants; `unde_quality_value{indicator}` is weighted by samples."""
    counts = {(row[0], row[1]): row[2] for row in rows}
    states = GaugeMetricFamily("unde_quality_state", "Tenants by state of a level", labels=["indicator", "state"])
    values = GaugeMetricFamily("unde_quality_value", "A service level over all tenants", labels=["indicator"])
    for name in LEVELS:
        for state in STATES:
            states.add_metric([name, state], counts.get((name, state), 0))
        values.add_metric([name], _weigh(rows, name)[0])
    budgets = GaugeMetricFamily(
        "unde_service_level_budget",
        "Packs and searches that may miss a level, as a share",
        labels=["indicator"],
    )
    for name, budget in settings.UNDE_TUNING.ERROR_BUDGETS.items():
        budgets.add_metric([name], budget)
    yield states
    yield values
    yield budgets


def _list_measures(rows: list[tuple[Any, ...]]) -> Iterator[Metric]:
    misses, repeats = _weigh(rows, MISSES), _weigh(rows, REPEATS)
    since = timezone.now() - settings.UNDE_TUNING.REVIEW_WINDOW
    judged, wrong = _ask("SELECT judged, wrong FROM count_review_errors_v1(%s)", since)[0]
    repeated = nan if not repeats[1] else round(repeats[0] * repeats[1])
    yield _make("unde_retrieval_miss_rate", "Questions whose answer was in the history and not in the pack", misses[0])
    yield _make("unde_user_repeated_info_count", "Exchanges in which users said again what they had said", repeated)
    yield _make("unde_user_repeated_info_rate", "The same as a share of all exchanges", repeats[0])
    yield _make(
        "unde_extraction_review_error_rate", "Judged changes by extraction that were wrong", _divide(wrong, judged)
    )


def _list_languages() -> Iterator[Metric]:
    """The offline measures by language, from the last finished run of each tenant."""
    shares = GaugeMetricFamily(
        "unde_offline_quality", "An offline measure by language, as a share", labels=["indicator", "language"]
    )
    for indicator, language, n, bad in _ask("SELECT * FROM read_offline_languages_v1()"):
        shares.add_metric([indicator, language], _divide(bad, n))
    yield shares


def _list_precisions() -> Iterator[Metric]:
    """How much was right, with its Wilson interval; `unde_review_judged` is what each rests on."""
    since = timezone.now() - settings.UNDE_TUNING.REVIEW_WINDOW
    rows = _ask("SELECT * FROM count_precision_v1(%s, %s)", since, settings.UNDE_TUNING.PRECISIONS_LISTED)
    words = {
        "unde_review_judged": "Decided items by slice",
        "unde_review_precision": "Share of decided items that were right",
        "unde_review_precision_lower": "Lower bound of that share (Wilson, 95 %)",
        "unde_review_precision_upper": "Upper bound of that share (Wilson, 95 %)",
    }
    gauges = [GaugeMetricFamily(name, text, labels=["slice", "value"]) for name, text in words.items()]
    for name, value, judged, right in rows:
        found = measure_precision(right=right, judged=judged)
        for gauge, number in zip(gauges, (judged, _divide(right, judged), found.lower, found.upper), strict=True):
            gauge.add_metric([name, value], number)
    yield from gauges


def _list_waiting() -> Iterator[Metric]:
    pending = dict(_ask("SELECT priority, pending FROM count_embedding_priorities_v1()"))
    sizes = GaugeMetricFamily("unde_enrichment_queue_size", "Messages that wait for a vector", labels=["priority"])
    for number, name in enumerate(PRIORITIES):
        sizes.add_metric([name], pending.get(number, 0))
    yield sizes
    _, p95 = _ask("SELECT users, p95 FROM measure_pending_extractions_v1()")[0]
    yield _make("unde_pending_extraction_count_p95", "Messages of a user that wait for extraction, p95", p95 or 0)


def _weigh(rows: list[tuple[Any, ...]], name: str) -> tuple[float, int]:
    n = sum(row[3] for row in rows if row[0] == name)
    return _divide(sum(row[4] for row in rows if row[0] == name), n), n


def _divide(part: float, whole: float) -> float:
    return part / whole if whole else nan


def _make(name: str, words: str, value: float) -> Metric:
    gauge = GaugeMetricFamily(name, words)
    gauge.add_metric([], value)
    return gauge


def _ask(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    return fetch_rows(statement, list(values))
