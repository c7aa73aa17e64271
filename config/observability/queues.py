"""How long the work lists of the rooms are, for readiness, the start page and Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

import structlog
from prometheus_client.core import GaugeMetricFamily, Metric

from memory.registries import queue_probes

logger = structlog.get_logger(__name__)


def count_queues() -> dict[str, int | None]:
    """Pending work by queue, e.g. `{"embedding_pending": 3}`; None for a probe that failed. Reads the database."""
    queues: dict[str, int | None] = {}
    for name, probe in queue_probes.items():
        try:
            queues[name] = probe.count_pending()
        except Exception as error:
            # One broken probe must not hide the other queues from whoever looks for the cause.
            logger.warning("queue_probe_failed", queue=name, exc_info=error)
            queues[name] = None
    return queues


def read_queue_lengths() -> Iterator[Metric]:
    """The same as a gauge `unde_queue_pending{queue}`; a failed probe is left out."""
    gauge = GaugeMetricFamily("unde_queue_pending", "Rows that wait for a worker, by work list.", labels=["queue"])
    for name, count in count_queues().items():
        if count is not None:
            gauge.add_metric([name], count)
    yield gauge
