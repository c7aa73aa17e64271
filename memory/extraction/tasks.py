"""Background tasks of extraction. They have no arguments: the queue is in PostgreSQL (SPEC M-2)."""

from __future__ import annotations

import time

import structlog
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from memory.database.claims import work_on_users
from memory.extraction.configuration import EndpointMisconfigured, find_client
from memory.extraction.quality.watch import watch_tenant
from memory.extraction.runs.log import OUTSIDE_CAUSES
from memory.extraction.runs.running import run_extraction
from memory.extraction.unproven.candidates import expire_user_candidates
from memory.extraction.unproven.items import expire_user_items
from memory.extraction.work_list import claim_extractions
from memory.registries import tenant_watchers
from memory.tenants.selectors import list_tenants

log = structlog.get_logger(__name__)


@shared_task
def extract_pending() -> int:
    """Read what is due, one user at a time, each claimed when its turn comes; how many runs came to an end.

    Without an endpoint nothing is claimed. An endpoint that does not answer ends the task: the next one tries again.
    """
    try:
        client = find_client()
    except EndpointMisconfigured:
        log.error("extraction_misconfigured")
        return 0
    if client is None:
        return 0
    finished = 0
    started = time.monotonic()
    while time.monotonic() - started < settings.UNDE_TUNING.EXTRACTION_TASK_SECONDS:
        claims = claim_extractions(now=timezone.now(), limit=1)
        if not claims:
            break
        outcome = run_extraction(claims[0], client=client)
        finished += outcome.status in ("done", "abandoned")
        if outcome.code.startswith("model_") and outcome.code in OUTSIDE_CAUSES:
            break
    return finished


@shared_task
def expire_candidates() -> int:
    """Close candidates whose second evidence did not come, and items that were not said again; how many."""
    limit = settings.UNDE_TUNING.EXTRACTION_EXPIRED_AT_ONCE
    closed = work_on_users("claim_expired_candidates_v1", expire_user_candidates, limit=limit)
    return closed + work_on_users("claim_expired_items_v1", expire_user_items, limit=limit)


@shared_task
def watch_extraction() -> int:
    """Let the figures of every tenant switch what they demand; how many switches were made."""
    switched = 0
    for tenant in list_tenants():
        done = watch_tenant(tenant_id=tenant.id, now=timezone.now())
        for watch in tenant_watchers:
            done += watch(tenant_id=tenant.id, now=timezone.now())
        if done:
            log.warning("extraction_switched", tenant_id=str(tenant.id), switches=done)
        switched += len(done)
    return switched
