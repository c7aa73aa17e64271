"""The hourly measurement of quality and the night that calibrates. No arguments; what they find is rows."""

from __future__ import annotations

import time

import structlog
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from corrections.quality.calibration.night import run_night
from corrections.quality.governor import govern
from corrections.quality.measuring import measure_tenant, note_levels
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
