"""What the metrics say of vectors that are not there yet."""

from collections.abc import Iterator

from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric

from retrieval.index.backlog import count_orphans
from retrieval.index.embedding_models import get_configured_provider
from retrieval.index.outages import find_outage


def read_vector_state() -> Iterator[Metric]:
    """Orphans, and how long the provider has been away, as the database has it now (Q-1)."""
    provider = get_configured_provider()
    orphans = GaugeMetricFamily("unde_orphan_messages_total", "Messages that the provider refused three times")
    orphans.add_metric([], count_orphans(provider))
    yield orphans
    outage = find_outage(provider)
    away = GaugeMetricFamily("unde_embedding_outage_seconds", "How long the provider of vectors has been away")
    away.add_metric([], max(0.0, (timezone.now() - outage.failing_since).total_seconds()) if outage else 0.0)
    yield away
