"""What is around the service, as figures: disks, processes of the launcher, the cache, and the clock of the tasks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from math import inf
from pathlib import Path

import structlog
from django.conf import settings
from django.core.cache import cache
from prometheus_client.core import GaugeMetricFamily, Metric

from config.launch.states import read_states
from memory.disks import is_storage_full, list_disks

logger = structlog.get_logger(__name__)


def read_disks() -> Iterator[Metric]:
    """Room of the disks behind the folders of this machine, and whether writes are refused."""
    free = GaugeMetricFamily("unde_disk_free_bytes", "Bytes left on the disk of a folder.", labels=["folder"])
    ratio = GaugeMetricFamily("unde_disk_free_ratio", "Share of the disk of a folder that is left.", labels=["folder"])
    low = GaugeMetricFamily("unde_disk_low", "1 when the disk of a folder has little room left.", labels=["folder"])
    for disk in list_disks():
        free.add_metric([disk.folder], disk.free)
        ratio.add_metric([disk.folder], disk.ratio)
        low.add_metric([disk.folder], disk.is_low)
    yield from (free, ratio, low)
    yield GaugeMetricFamily("unde_storage_full", "1 while nothing new is stored.", value=is_storage_full())


def read_processes() -> Iterator[Metric]:
    """How the launcher's processes fare; nothing where there is no launcher."""
    restarts = GaugeMetricFamily("unde_process_restarts", "Starts after the first one, by process.", labels=["process"])
    loops = GaugeMetricFamily("unde_process_crash_loop", "1 while a process dies at once again.", labels=["process"])
    for name, state in read_states(Path(settings.UNDE_DATA_DIR)).items():
        restarts.add_metric([name], state.restarts)
        loops.add_metric([name], state.is_crash_loop)
    yield from (restarts, loops)


def read_cache() -> Iterator[Metric]:
    """Whether Redis answers this machine; half a second is waited for it."""
    try:
        cache.get("readiness")
    except Exception as error:
        logger.warning("cache_unreachable", exc_info=error)
        is_up = False
    else:
        is_up = True
    yield GaugeMetricFamily("unde_cache_up", "1 when Redis answers.", value=is_up)


def read_beat() -> Iterator[Metric]:
    """How long beat has been silent: some minutes are usual, for it notes what it sent from time to time."""
    times = find_beat_times()
    seconds = inf if times is None else max((datetime.now(UTC) - max(times)).total_seconds(), 0.0)
    yield GaugeMetricFamily("unde_beat_silence_seconds", "Time since beat started or sent a task.", value=seconds)


def find_beat_times() -> tuple[datetime, datetime] | None:
    """When beat started, and when it last sent a task (its start, before the first); None when it never started."""
    from django_celery_beat.models import PeriodicTask  # after the apps are loaded

    tasks = list(PeriodicTask.objects.filter(enabled=True).values_list("date_changed", "last_run_at"))
    if not tasks:
        return None
    # Beat writes its whole schedule anew when it starts, and each row again some time after it was sent.
    started_at = min(changed for changed, _ in tasks)
    return started_at, max((sent for _, sent in tasks if sent), default=started_at)
