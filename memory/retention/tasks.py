"""Background work of the wing. Arguments are none; what there is to do is rows (SPEC M-2)."""

from __future__ import annotations

import time
from datetime import datetime
from uuid import UUID

import structlog
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from memory.erasure.tasks import wake_worker
from memory.retention.models import RetentionRun
from memory.retention.selectors import list_retaining_tenants
from memory.retention.services import go_on
from memory.retention.types import RetainingTenant
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant

log = structlog.get_logger(__name__)


@shared_task
def let_go_by_age() -> int:
    """Go on with tonight's runs, tenant by tenant; how many users had something that went."""
    return run_night(now=timezone.now(), max_seconds=settings.UNDE_TUNING.RETENTION_SECONDS)


def run_night(*, now: datetime, max_seconds: float) -> int:
    """Tenants whose run of this day (UTC) is not done, until there are none or the time is up. Writes."""
    ends = time.monotonic() + max_seconds
    done = 0

    def count(user_id: UUID) -> None:
        nonlocal done
        done += 1

    for each in list_retaining_tenants():
        if time.monotonic() >= ends:
            break
        if not is_due(each, now=now):
            continue
        with tenant_scope(each.tenant_id):
            tenant = find_tenant(tenant_id=each.tenant_id)
        if tenant is None:
            continue
        run = go_on(tenant=tenant, clock=lambda: now, is_over=lambda: time.monotonic() >= ends, after_user=count)
        log.info("retention", run_id=str(run.id), users=run.users, is_done=run.finished_at is not None)
    if done:
        wake_worker()
    return done


def is_due(each: RetainingTenant, *, now: datetime) -> bool:
    """Whether a tenant's run is open, or none has begun since midnight UTC."""
    if each.last_began_at is None or each.last_began_at < now.replace(hour=0, minute=0, second=0, microsecond=0):
        return True
    with tenant_scope(each.tenant_id):
        return RetentionRun.objects.filter(tenant_id=each.tenant_id, finished_at=None).exists()
