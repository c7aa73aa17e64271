"""A work carried out user by user: each user is a transaction with the work's own progress (SPEC I-2).

So a kill loses nothing and repeats nothing: what the row says is done is done. A worker that has gone is replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from time import monotonic
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings
from django.db.models import F, Q

from memory.database.statements import fetch_rows
from memory.errors import CodedError
from memory.models import FactJob
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.types import TenantRef, UserRef
from memory.withdrawals.closing import Withdrawal, close_facts, reopen_facts
from memory.withdrawals.rereading import reread_user
from memory.withdrawals.selectors import count_users_of, list_users_of

log = structlog.get_logger(__name__)


class _Stopped(Exception):
    """Somebody cancelled the work, or another worker is at it."""


def claim_jobs(*, now: datetime, limit: int) -> list[tuple[UUID, UUID]]:
    """Tenants and works that no worker is at, taken for this one. For workers (D-14)."""
    stale_before = now - settings.UNDE_TUNING.FACT_JOB_STALE_AFTER
    return fetch_rows("SELECT * FROM claim_fact_jobs_v2(%s, %s, %s)", [now, stale_before, limit])


def claim_job(*, tenant_id: UUID, job_id: UUID, now: datetime) -> bool:
    """Take one work; False when it is over or another worker is at it. Writes."""
    is_free = Q(state="queued") | Q(state="running", heartbeat_at__lt=now - settings.UNDE_TUNING.FACT_JOB_STALE_AFTER)
    with tenant_scope(tenant_id):
        rows = FactJob.objects.filter(is_free, tenant_id=tenant_id, id=job_id)
        return rows.update(state="running", heartbeat_at=now) == 1


def run_job(
    *,
    tenant_id: UUID,
    job_id: UUID,
    clock: Callable[[], datetime],
    max_seconds: float = settings.UNDE_TUNING.FACT_JOB_SECONDS,
) -> str:
    """Carry a claimed work on until it is done, stopped, or its time is up; the state it is in then. Writes."""
    tenant = _find_tenant(tenant_id)
    job = _open(tenant_id, job_id)
    if tenant is None or job is None:
        return "gone"
    until = monotonic() + max_seconds
    try:
        while users := _list_next(job):
            for user_id in users:
                _do_user(job, tenant, UserRef(id=user_id, tenant_id=tenant_id), clock())
                if monotonic() > until:
                    return _leave(job, "queued", heartbeat_at=None)
        return _leave(job, "done", finished_at=clock(), cursor_id=None)
    except _Stopped:
        return "stopped"
    except Exception as error:
        code = str(getattr(error, "code", type(error).__name__))[:40]
        log.warning("fact_job_failed", job_id=str(job_id), code=code)
        return _leave(job, "failed", finished_at=clock(), error_code=code)


def _open(tenant_id: UUID, job_id: UUID) -> FactJob | None:
    with tenant_scope(tenant_id):
        job = FactJob.objects.filter(tenant_id=tenant_id, id=job_id, state="running").first()
        if job is not None and job.users_total is None:
            job.users_total = count_users_of(job)
            job.save(update_fields=["users_total"])
    return job


def _list_next(job: FactJob) -> list[UUID]:
    with tenant_scope(job.tenant_id):
        return list_users_of(job, after=job.cursor_id)


def _do_user(job: FactJob, tenant: TenantRef, user: UserRef, now: datetime) -> None:
    """One user, and that it is done: both or neither. Who is busy, or whose facts no key opens, is left out."""
    with tenant_scope(job.tenant_id):
        try:
            counts, is_left_out = _work(job, tenant, user, now), False
        except CodedError as error:
            log.info("fact_job_left_user_out", job_id=str(job.id), user_id=str(user.id), code=error.code)
            counts, is_left_out = Counter(), True
        total = dict(Counter(job.counts) + counts)
        rows = FactJob.objects.filter(id=job.id, state="running", cursor_id=job.cursor_id)
        done = rows.update(
            cursor_id=user.id,
            counts=total,
            heartbeat_at=now,
            users_done=F("users_done") + 1,
            users_left_out=F("users_left_out") + int(is_left_out),
        )
        if not done:
            raise _Stopped
    job.cursor_id, job.counts = user.id, total


def _work(job: FactJob, tenant: TenantRef, user: UserRef, now: datetime) -> Counter[str]:
    if job.kind in ("preview", "reread"):
        return reread_user(tenant=tenant, user=user, now=now, is_preview=job.kind == "preview")
    withdrawal = Withdrawal(job.id, job.rule, job.rule_versions, job.requested_by, now)
    if job.kind == "reopen" and job.of_job_id is not None:
        return reopen_facts(user=user, of_job_id=job.of_job_id, withdrawal=withdrawal)
    return close_facts(user=user, withdrawal=withdrawal)


def _leave(job: FactJob, state: str, **values: object) -> str:
    with tenant_scope(job.tenant_id):
        rows = FactJob.objects.filter(id=job.id, state="running")
        return state if rows.update(state=state, **values) else "stopped"


def _find_tenant(tenant_id: UUID) -> TenantRef | None:
    with tenant_scope(tenant_id):
        tenant = find_tenant(tenant_id=tenant_id)
    return TenantRef(id=tenant.id, zone=ZoneInfo(tenant.timezone)) if tenant else None
