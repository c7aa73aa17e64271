"""Counters of the room under the names of the KSP document. Labels are codes; no user text."""

from collections.abc import Iterable, Iterator

from django.utils import timezone
from prometheus_client import Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric

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


def read_vector_state() -> Iterator[Metric]:
    """Orphans, and how long the provider has been away, as the database has it now (Q-1)."""
    from retrieval.selectors.tasks import count_orphans  # the counters above are for modules that these need
    from retrieval.services.models import get_configured_provider
    from retrieval.services.outages import find_outage

    provider = get_configured_provider()
    orphans = GaugeMetricFamily("unde_orphan_messages_total", "Messages that the provider refused three times")
    orphans.add_metric([], count_orphans(provider))
    yield orphans
    outage = find_outage(provider)
    away = GaugeMetricFamily("unde_embedding_outage_seconds", "How long the provider of vectors has been away")
    away.add_metric([], max(0.0, (timezone.now() - outage.failing_since).total_seconds()) if outage else 0.0)
    yield away
