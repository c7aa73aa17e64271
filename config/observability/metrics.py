"""Prometheus metrics of the web front, and the page that collects those of all rooms and processes (SPEC Q-1).

A room declares its own counters with `prometheus_client` in a module of its own. What is a state of the database (a
queue's length) is not counted but read when the page is asked for: settings.METRIC_READERS names functions that answer
a list of `prometheus_client.core.Metric`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import structlog
from django.conf import settings
from django.utils.module_loading import import_string
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from config.observability.shares import make_shares

logger = structlog.get_logger(__name__)

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
_QUEUE_READER: Final = "config.observability.queues.read_queue_lengths"
_METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})

http_requests = Counter("unde_http_requests", "Requests answered, by route pattern.", ["method", "route", "status"])
http_seconds = Histogram(
    "unde_http_request_seconds",
    "Time from the whole request being here to the answer, its wait for a turn included.",
    ["method", "route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
WEBHOOK_DELIVERIES = Counter("unde_webhook_deliveries", "Attempts to deliver an event, by outcome.", ["outcome"])
reader_failures = Counter("unde_metric_reader_failures", "Readers of database state that failed.", ["reader"])


def observe_request(*, method: str, route: str, status: int, seconds: float) -> None:
    """Count one answered request. Unknown methods share one label, so that callers cannot make up labels."""
    known = method if method in _METHODS else "other"
    http_requests.labels(known, route, str(status)).inc()
    http_seconds.labels(known, route).observe(seconds)


def render_metrics() -> bytes:
    """The metrics of every process of the service in Prometheus' text format.

    With PROMETHEUS_MULTIPROC_DIR set, counters of all processes are added up; otherwise it is this process alone.
    """
    if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        registry = _read_database_state()
        registry.register(_Counted(REGISTRY))
        return generate_latest(registry)
    registry = _read_database_state()
    registry.register(_Counted(MultiProcessCollector(None)))
    return generate_latest(registry)


def _read_database_state() -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_DatabaseState())
    return registry


class _Counted(Collector):
    """What processes counted, and the shares that follow from it."""

    def __init__(self, counters: Any) -> None:
        self.counters = counters

    def collect(self) -> Iterator[Metric]:
        families = list(self.counters.collect())
        yield from families
        yield from make_shares(families)

    def describe(self) -> list[Metric]:
        return []


class _DatabaseState(Collector):
    def collect(self) -> Iterator[Metric]:
        for path in (_QUEUE_READER, *getattr(settings, "METRIC_READERS", ())):
            try:
                yield from import_string(path)()
            except Exception as error:
                # One reader that fails must not take the page away from the alerts that watch for exactly that.
                reader_failures.labels(path).inc()
                logger.warning("metric_reader_failed", reader=path, exc_info=error)

    def describe(self) -> list[Metric]:
        return []
