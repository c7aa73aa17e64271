"""Imports in the background. The queue is rows in PostgreSQL; a message only wakes a worker (SPEC M-2)."""

from __future__ import annotations

import structlog
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from memory.imports.requests import wake_worker
from memory.imports.watching import drop_imports
from memory.imports.worker import run_imports as carry_out

log = structlog.get_logger(__name__)


@shared_task(ignore_result=True)
def run_imports() -> int:
    """Carry out one import that is due; where there was one, another worker looks for the next."""
    done = carry_out(clock=timezone.now)
    if done:
        wake_worker()
    return done


@shared_task(ignore_result=True)
def drop_old_imports() -> int:
    """Delete imports that were over long ago; how many."""
    dropped = drop_imports(now=timezone.now(), limit=settings.UNDE_TUNING.EXPIRED_AT_ONCE)
    log.info("imports_dropped", count=dropped)
    return dropped
