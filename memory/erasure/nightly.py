"""The second stage of erasures by itself: at night the files are written anew where the role may, and proofs signed.

What could not be done is a code, counted and logged; `docs/alerts.md` says what mends it (D-30).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
import structlog
from django.conf import settings
from django.db.models import Max
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric

from memory.database.statements import fetch_rows
from memory.disks import list_disks
from memory.erasure.table_files import is_clean, judge_storage, list_relations, rewrite_storage
from memory.erasure.verification import verify_erasure
from memory.errors import CodedError
from memory.metrics import STORAGE_REWRITES
from memory.models import StorageRewrite
from memory.tenants.scope import tenant_scope
from memory.types import UserRef

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class InFiles:
    """A completed erasure whose words may still lie in files."""

    user: UserRef
    erasure_id: UUID
    completed_at: datetime


def list_erasures_in_files() -> list[InFiles]:
    """Erasures of all tenants whose second stage is not signed, the oldest first. Reads only."""
    rows = fetch_rows(
        "SELECT tenant_id, user_id, erasure_id, completed_at FROM find_erasures_in_files_v1(%s)",
        [settings.UNDE_TUNING.REWRITE_ERASURES_AT_ONCE],
    )
    return [InFiles(UserRef(id=row[1], tenant_id=row[0]), row[2], row[3]) for row in rows]


def finish_erasures(*, now: datetime) -> int:
    """Rewrite the files if an erasure waits for it, then sign the second stage of each that is clean; how many.

    Tables are rewritten once a night at most. Writes and commits.
    """
    waiting = list_erasures_in_files()
    if any(not _is_clean(each) for each in waiting) and not _was_rewritten_lately(now):
        outcome = rewrite_files(now=now)
        STORAGE_REWRITES.labels(outcome).inc()
        (log.info if outcome == "done" else log.warning)("storage_rewrite", outcome=outcome, erasures=len(waiting))
    return sum(_sign(each, now=now) for each in waiting if _is_clean(each))


def rewrite_files(*, now: datetime) -> str:
    """Write the tables anew as the maintenance role: `done`, or a code that says what was in the way. Writes."""
    try:
        with psycopg.connect(
            settings.UNDE_MAINTENANCE_DATABASE_URL,
            autocommit=True,
            application_name="unde-rewrite",
            connect_timeout=settings.UNDE_TUNING.REWRITE_CONNECT_SECONDS,
        ) as maintenance:
            hindrance = _find_hindrance(maintenance)
            if hindrance is None:
                rewrite_storage(maintenance=maintenance, relations=list_relations(), now=now)
            return hindrance or "done"
    except psycopg.errors.LockNotAvailable:
        return "in_use"
    except psycopg.errors.InsufficientPrivilege:
        return "not_allowed"
    except psycopg.OperationalError:
        return "no_connection"


def read_erasures_in_files() -> Iterator[Metric]:
    """How many erasures wait for their second stage, and since when the oldest was completed."""
    waiting = list_erasures_in_files()
    yield GaugeMetricFamily("unde_erasures_in_files", "Erasures that files may still hold.", value=len(waiting))
    seconds = max((timezone.now() - waiting[0].completed_at).total_seconds(), 0.0) if waiting else 0.0
    yield GaugeMetricFamily(
        "unde_erasures_in_files_seconds", "How long the oldest of them is completed.", value=seconds
    )


def _is_clean(each: InFiles) -> bool:
    with tenant_scope(each.user.tenant_id):
        return is_clean(judge_storage(user_id=each.user.id, erasure_id=each.erasure_id))


def _was_rewritten_lately(now: datetime) -> bool:
    last = StorageRewrite.objects.aggregate(last=Max("finished_at"))["last"]
    return last is not None and now - last < settings.UNDE_TUNING.REWRITE_GAP


def _find_hindrance(maintenance: psycopg.Connection[Any]) -> str | None:
    """Why the tables are better not rewritten without a person: they are large, or the disk has no room for a copy."""
    sizes = "SELECT max(pg_total_relation_size(name::regclass)) FROM unnest(%s::text[]) name"
    row = maintenance.execute(sizes, [list_relations()]).fetchone()
    largest = int(row[0] or 0) if row else 0
    if largest > settings.UNDE_TUNING.REWRITE_LARGEST_BYTES:
        return "too_large"
    # The copy, and as much of the log. A disk of another machine is not seen.
    is_tight = any(
        disk.folder == "database" and replace(disk, free=disk.free - 2 * largest).is_low for disk in list_disks()
    )
    return "no_room" if is_tight else None


def _sign(each: InFiles, *, now: datetime) -> bool:
    try:
        found = verify_erasure(user=each.user, erasure_id=each.erasure_id, now=now)
    except CodedError as error:
        log.warning("erasure_not_proved", erasure_id=str(each.erasure_id), code=error.code)
        return False
    if found.certificate is None:
        log.warning("erasure_not_proved", erasure_id=str(each.erasure_id), code="something_left")
    return found.certificate is not None
