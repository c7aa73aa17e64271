"""The hourly measurement of quality, the night that calibrates, and the nightly samples.

No arguments; what they find is rows.
"""

from __future__ import annotations

import time
from uuid import UUID

import structlog
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from corrections.quality.calibration.night import run_night
from corrections.quality.governor import govern
from corrections.quality.measuring import measure_tenant, note_levels
from corrections.quality.offline.running import MEASURES, go_on, has_run_lately, open_run
from memory.errors import CodedError
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import list_tenants

log = structlog.get_logger(__name__)


@shared_task(ignore_result=True)
def measure_quality() -> int:
    """Every hour: the service levels of each tenant, and what the governor does about them. How many tenants."""
    measured = 0
    for tenant in list_tenants():
        now = timezone.now()
        with tenant_scope(tenant.id):
            rows = note_levels(tenant_id=tenant.id, figures=measure_tenant(tenant_id=tenant.id, now=now), now=now)
        done = govern(tenant_id=tenant.id, figures={row.indicator: (row.value, row.n) for row in rows}, now=now)
        if done:
            log.warning("governor_acted", tenant_id=str(tenant.id), actions=done)
        measured += 1
    return measured


@shared_task(ignore_result=True)
def calibrate_memory() -> int:
    """At night: go on with each tenant's calibration for as long as a task may take. How many tenants are done."""
    ends, done = time.monotonic() + settings.UNDE_TUNING.CALIBRATION_SECONDS, 0
    for tenant in list_tenants():
        night = run_night(tenant_id=tenant.id, now=timezone.now(), may_go_on=lambda: time.monotonic() < ends)
        done += night is not None and night.finished_at is not None
    return done


@shared_task(ignore_result=True)
def measure_offline() -> int:
    """At night: misses and repeats over a sample of each tenant's users (SPEC Q-3). Returns how many runs ended.

    A call works for some minutes on each; the next goes on with what is left. Off where the share is 0.
    """
    ended = 0
    for tenant in list_tenants() if settings.UNDE_QUALITY_SAMPLE else ():
        for indicator in MEASURES:
            ended += _sample(tenant.id, indicator)
    return ended


def _sample(tenant_id: UUID, indicator: str) -> bool:
    share, seconds = settings.UNDE_QUALITY_SAMPLE, settings.UNDE_TUNING.OFFLINE_NIGHT_SECONDS
    if has_run_lately(tenant_id=tenant_id, indicator=indicator, now=timezone.now()):
        return False
    run = open_run(tenant_id=tenant_id, indicator=indicator, share=share, now=timezone.now())
    try:
        for _ in go_on(run, clock=timezone.now, seconds=seconds):
            pass
    except CodedError as error:
        log.warning("offline_measure_stopped", tenant_id=str(tenant_id), indicator=indicator, code=error.code)
    return run.finished_at is not None
