"""Background work of the wing. Arguments are ids; the queue is rows in PostgreSQL."""

from __future__ import annotations

import structlog
from celery import shared_task

from memory.database.claims import work_on_users
from memory.kept.storing import drop_expired_items

log = structlog.get_logger(__name__)

BATCH = 500


@shared_task
def drop_kept_items() -> int:
    """Delete kept items whose time is up; how many rows."""
    dropped = work_on_users("claim_expired_kept_items_v1", drop_expired_items, limit=BATCH)
    log.info("kept_items_dropped", count=dropped)
    return dropped
