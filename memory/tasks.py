"""Background work of the room. Arguments are ids; what there is to do is rows in PostgreSQL."""

from __future__ import annotations

from typing import Final

import structlog
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from memory.database.claims import claim_of_users, work_on_users
from memory.erasure.tasks import recheck_erasures, run_erasures, watch_erasures
from memory.errors import CodedError
from memory.extraction.tasks import expire_candidates, extract_pending, watch_extraction
from memory.services.answered_requests import drop_expired_answers
from memory.services.facts import expire_user_facts
from memory.services.forgotten import finish_forget
from memory.withdrawals.tasks import run_fact_job, run_fact_jobs

__all__ = [
    "drop_answers",
    "expire_candidates",
    "expire_facts",
    "extract_pending",
    "finish_forgets",
    "recheck_erasures",
    "run_erasures",
    "run_fact_job",
    "run_fact_jobs",
    "watch_erasures",
    "watch_extraction",
]

AT_ONCE: Final[int] = settings.UNDE_TUNING.EXPIRED_AT_ONCE
log = structlog.get_logger(__name__)


@shared_task
def expire_facts() -> int:
    """Close facts whose day has passed (SPEC F-5). A user who is busy is left for the next run."""
    closed = work_on_users("claim_expired_facts_v1", expire_user_facts, limit=AT_ONCE)
    log.info("facts_expired", count=closed)
    return closed


@shared_task
def drop_answers() -> int:
    """Delete answers that were kept for repeated requests and whose time is up; how many."""
    dropped = work_on_users("claim_expired_answers_v1", drop_expired_answers, limit=AT_ONCE)
    log.info("answers_dropped", count=dropped)
    return dropped


@shared_task
def finish_forgets() -> int:
    """Ask for the erasure of what was forgotten longer ago than the grace period (D-28)."""
    erased = 0
    for user, batch_id in claim_of_users("claim_overdue_forgets_v1(%s, %s)", [timezone.now(), AT_ONCE]):
        try:
            erased += finish_forget(user=user, batch_id=batch_id, now=timezone.now())
        except CodedError as error:
            log.warning("finish_forget_skipped", user_id=str(user.id), batch_id=str(batch_id), code=error.code)
    log.info("forgets_finished", messages=erased)
    return erased
