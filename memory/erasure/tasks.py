"""Background work of erasures. The work is rows in PostgreSQL; a message to a worker only wakes it (SPEC M-2)."""

from __future__ import annotations

import structlog
from celery import current_app, shared_task
from django.conf import settings
from django.utils import timezone

from memory.erasure.nightly import finish_erasures
from memory.erasure.queue import claim_alerts, claim_erasures, claim_rechecks, raise_alert
from memory.erasure.worker import recheck_erasure, run_erasure
from memory.errors import CodedError

log = structlog.get_logger(__name__)


@shared_task
def run_erasures() -> int:
    """Carry out what is due, one at a time, each claimed when its turn comes. How many were completed."""
    completed = 0
    for _ in range(settings.UNDE_TUNING.ERASURES_AT_ONCE):
        claimed = claim_erasures(now=timezone.now(), limit=1)
        if not claimed:
            break
        user, erasure_id = claimed[0]
        completed += run_erasure(user=user, erasure_id=erasure_id, clock=timezone.now) == "completed"
    return completed


@shared_task
def watch_erasures() -> int:
    """Raise the alerts that are due; how many."""
    raised = 0
    for user, erasure_id in claim_alerts(now=timezone.now()):
        level = raise_alert(user=user, erasure_id=erasure_id, now=timezone.now())
        log.warning("erasure_deadline", erasure_id=str(erasure_id), level=level)
        raised += 1
    return raised


@shared_task
def recheck_erasures() -> int:
    """Look once more at what was completed a while ago; how many late rows went."""
    late = 0
    for user, erasure_id in claim_rechecks(now=timezone.now()):
        try:
            late += recheck_erasure(user=user, erasure_id=erasure_id, now=timezone.now())
        except CodedError as error:
            log.warning("erasure_recheck_failed", erasure_id=str(erasure_id), code=error.code)
    return late


@shared_task
def prove_erasures() -> int:
    """At night: write files anew where an erasure waits for it, and sign its second stage; how many were signed."""
    return finish_erasures(now=timezone.now())


def wake_worker() -> None:
    """Tell a worker that there is an erasure to do. Without Redis nothing is lost: beat comes by every minute."""
    try:
        current_app.send_task("memory.erasure.tasks.run_erasures", retry=False)
    except Exception as error:
        log.warning("erasure_worker_not_woken", exc_info=error)
