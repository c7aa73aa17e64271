"""Counters of the room under the names of the KSP document. Labels are codes; no user text."""

from collections.abc import Iterable

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
ENRICHMENT_LATENCY = Histogram("unde_enrichment_latency_seconds", "From a message's arrival to its vector")


def count_degraded(kind: str, reasons: Iterable[str]) -> None:
    """Count an answer (`search` or `context`) under each of its reasons, a repeated one once."""
    for reason in set(reasons):
        DEGRADED.labels(kind, reason).inc()
