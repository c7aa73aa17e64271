"""Background work of the wing."""

from __future__ import annotations

import structlog
from celery import shared_task
from django.utils import timezone

from memory.visits.services import drop_visits

log = structlog.get_logger(__name__)


@shared_task
def drop_old_visits() -> int:
    """Delete links and sessions that are long over; how many."""
    dropped = drop_visits(now=timezone.now())
    log.info("visits_dropped", count=dropped)
    return dropped
