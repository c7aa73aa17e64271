"""Counts refusals by step and rule in the process, and writes them two seconds later (SPEC I-2).

A row for each refused message would make all writers wait for the same few rows. A timer writes what was counted, so
that the last refusal before a quiet hour is seen too; so does the end of the process. A crash loses two seconds of a
statistic.
"""

from __future__ import annotations

import atexit
import threading
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import connection, transaction

from patterns.types import Rejection

logger = structlog.get_logger(__name__)

_Key = tuple[UUID, date, str, int, str]
_waiting: Counter[_Key] = Counter()
_lock = threading.Lock()
_timer: threading.Timer | None = None

_UPSERT = """
INSERT INTO patterns_rejection_count (id, tenant_id, day, rule, rule_version, reason, count)
VALUES (gen_random_uuid(), %s, %s, %s, %s, %s, %s)
ON CONFLICT (tenant_id, day, rule, rule_version, reason)
DO UPDATE SET count = patterns_rejection_count.count + excluded.count
"""


def note_refusals(*, tenant_id: UUID, refusals: Sequence[Rejection], now: datetime) -> None:
    """Count what the reading of messages refused. A thread writes it after `REFUSALS_WRITTEN_AFTER` at the latest."""
    if not refusals:
        return
    day = now.astimezone(UTC).date()
    with _lock:
        _waiting.update((tenant_id, day, one.rule, one.rule_version, one.reason) for one in refusals)
        is_full = len(_waiting) >= settings.UNDE_TUNING.REFUSALS_WAITING
        _set_timer()
    if is_full:
        transaction.on_commit(flush_refusals, robust=True)


def flush_refusals() -> int:
    """Write what has been counted since the last time; how many rows. Counts are kept for later when it fails."""
    with _lock:
        taken = dict(_waiting)
        _waiting.clear()
    if not taken:
        return 0
    try:
        # In one order in every process, so that two of them never wait for each other's rows.
        rows: list[list[Any]] = [
            [*key, count] for key, count in sorted(taken.items(), key=lambda item: tuple(map(str, item[0])))
        ]
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(_UPSERT, rows)
    except Exception:
        with _lock:
            _waiting.update(taken)
        raise
    return len(taken)


def _set_timer() -> None:
    """Have a thread write soon, unless one is about to. A fork takes no threads along, so a timer may be dead."""
    global _timer
    seconds = settings.UNDE_TUNING.REFUSALS_WRITTEN_AFTER.total_seconds()
    if _timer is None or not _timer.is_alive():
        _timer = threading.Timer(seconds, _flush_in_time)
        _timer.daemon = True
        _timer.start()


def _flush_in_time() -> None:
    global _timer
    with _lock:
        _timer = None
    _flush_quietly()
    with _lock:
        if _waiting:  # the database was away: in two seconds again
            _set_timer()


def _flush_quietly() -> None:
    try:
        flush_refusals()
    except Exception as error:
        logger.warning("refusals_not_written", error=type(error).__name__, rows=len(_waiting))
    finally:
        connection.close()


atexit.register(_flush_quietly)
