"""How often which step refused which rule: counted in the process, written every few seconds (SPEC I-2, ENGINE steps).

A row for each refused message would make all writers wait for the same few rows; what a crash loses is seconds of a
statistic.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from patterns.types import Rejection

FLUSH_SECONDS: Final = 10.0
MAX_WAITING: Final = 2_000

_Key = tuple[UUID, date, str, str]
_waiting: Counter[_Key] = Counter()
_lock = threading.Lock()
_flushed_at = time.monotonic()

_UPSERT = """
INSERT INTO patterns_rejection_count (id, tenant_id, day, rule, reason, count)
VALUES (gen_random_uuid(), %s, %s, %s, %s, %s)
ON CONFLICT (tenant_id, day, rule, reason) DO UPDATE SET count = patterns_rejection_count.count + excluded.count
"""


def note_refusals(*, tenant_id: UUID, refusals: Sequence[Rejection], now: datetime) -> None:
    """Count what the reading of messages refused. Writes after the transaction, when ten seconds have gone by."""
    if not refusals:
        return
    day = now.astimezone(UTC).date()
    with _lock:
        _waiting.update((tenant_id, day, one.rule, one.reason) for one in refusals)
        is_due = time.monotonic() - _flushed_at >= FLUSH_SECONDS or len(_waiting) >= MAX_WAITING
    if is_due:
        transaction.on_commit(flush_refusals, robust=True)


def flush_refusals() -> int:
    """Write what has been counted since the last time; how many rows. Counts are kept for later when it fails."""
    global _flushed_at
    with _lock:
        taken = dict(_waiting)
        _waiting.clear()
        _flushed_at = time.monotonic()
    if not taken:
        return 0
    try:
        # In one order in every process, so that two of them never wait for each other's rows.
        rows = [[*key, count] for key, count in sorted(taken.items(), key=lambda item: tuple(map(str, item[0])))]
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(_UPSERT, rows)
    except Exception:
        with _lock:
            _waiting.update(taken)
        raise
    return len(taken)
