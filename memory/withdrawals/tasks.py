"""Works on facts in the background. Arguments are ids; how far a work is stands in its row."""

from __future__ import annotations

from uuid import UUID

import structlog
from celery import shared_task
from django.utils import timezone

from memory.withdrawals.running import claim_job, claim_jobs, run_job

log = structlog.get_logger(__name__)


@shared_task(ignore_result=True)
def run_fact_job(tenant_id: str, job_id: str) -> str:
    """Begin a work at once. Sent twice, it is done once."""
    if not claim_job(tenant_id=UUID(tenant_id), job_id=UUID(job_id), now=timezone.now()):
        return "taken"
    return _run(UUID(tenant_id), UUID(job_id))


@shared_task(ignore_result=True)
def run_fact_jobs() -> int:
    """Go on with works whose worker has gone or whose time was up; how many."""
    claimed = claim_jobs(now=timezone.now(), limit=1)
    for tenant_id, job_id in claimed:
        _run(tenant_id, job_id)
    return len(claimed)


def send_fact_job(*, tenant_id: UUID, job_id: UUID) -> None:
    """Wake a worker; where no broker answers the work waits for the schedule."""
    try:
        run_fact_job.delay(str(tenant_id), str(job_id))
    except Exception as error:
        log.warning("fact_job_not_sent", job_id=str(job_id), error=type(error).__name__)


def _run(tenant_id: UUID, job_id: UUID) -> str:
    state = run_job(tenant_id=tenant_id, job_id=job_id, clock=timezone.now)
    log.info("fact_job_left", job_id=str(job_id), state=state)
    if state == "queued":
        send_fact_job(tenant_id=tenant_id, job_id=job_id)
    return state
