"""Counters of the room under the names of the KSP document. Labels are codes; no user text."""

from collections.abc import Iterable
from typing import Final

from prometheus_client import Counter, Histogram

ENRICHMENT_DONE = Counter("unde_enrichment_total", "Vectors made by workers", ["model"])
ENRICHMENT_FAILED = Counter("unde_enrichment_failed_total", "Attempts to make vectors that failed", ["code"])
ANSWERS_CHECKED = Counter("unde_answers_checked_total", "Replies compared with the packs they were made from")
ANSWER_FINDINGS = Counter("unde_answer_guard_hits_total", "What replies gave away of their packs", ["code"])
RANKING_SNAPSHOTS = Counter("unde_ranking_snapshots_total", "Nightly folds of a user's signals into usefulness")
SNIPPETS = Counter("unde_snippets_total", "Snippets made after a retrieval", ["model"])
DEGRADED = Counter(
    "unde_retrieval_degraded_total", "Searches and packs that answered without a part of them", ["kind", "reason"]
)
ENRICHMENT_LATENCY = Histogram(
    "unde_enrichment_latency_seconds",
    "From a message's arrival to its vector",
    ["priority"],
    buckets=(0.05, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200),
)
PRIORITIES: Final = ("high", "normal", "recovery")
"""Names of the priorities 0, 1 and 2 of the work list."""
SPANS_FILTERED = Counter("unde_privacy_span_filtered_total", "Neighbours of hits that the privacy guard kept back")
SNIPPETS_NULLIFIED = Counter("unde_forget_cascade_snippets_nullified_total", "Snippets that a forget took along")
STAGING_FALLBACK = Counter(
    "unde_staging_fallback_triggered_total", "Packs with messages that extraction had not read yet"
)
SNIPPET_LOOKUPS = Counter(
    "unde_snippet_lookups_total", "Long messages shown, by whether a snippet was there", ["found"]
)
LEVEL_EVENTS = Counter(
    "unde_service_level_events_total",
    "Packs and searches that kept to a service level, or did not",
    ["indicator", "kept"],
)
for _priority in PRIORITIES:
    ENRICHMENT_LATENCY.labels(_priority)
for _answer in ("yes", "no"):
    SNIPPET_LOOKUPS.labels(_answer)
    for _indicator in ("retrieval_latency_p95", "context_overflow_rate", "receipt_completeness_rate"):
        LEVEL_EVENTS.labels(_indicator, _answer)


def count_degraded(kind: str, reasons: Iterable[str]) -> None:
    """Count an answer (`search` or `context`) under each of its reasons, a repeated one once."""
    for reason in set(reasons):
        DEGRADED.labels(kind, reason).inc()
