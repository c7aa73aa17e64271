"""The work list across tenants: what is due, what is late, how much is open. For workers and probes (D-14)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.conf import settings

from memory.database.claims import claim_of_users
from memory.database.statements import fetch_rows
from memory.erasure.deadlines import Deadline, find_alert
from memory.erasure.history import move_to, note
from memory.metrics import ERASURE_ALERTS
from memory.models import ErasureRequest
from memory.tenants.scope import tenant_scope
from memory.types import UserRef

Claimed = tuple[UserRef, UUID]


def claim_erasures(*, now: datetime, limit: int) -> list[Claimed]:
    """Take due erasures of any tenant, nearest deadline first, for the length of a lease. Writes."""
    return claim_of_users("claim_erasures_v2(%s, %s::interval, %s)", [now, settings.UNDE_TUNING.ERASURE_LEASE, limit])


def claim_alerts(*, now: datetime) -> list[Claimed]:
    """Open erasures of any tenant whose next alert is due."""
    return claim_of_users("claim_erasure_alerts_v1(%s, %s)", [now, settings.UNDE_TUNING.ERASURES_AT_ONCE])


def claim_rechecks(*, now: datetime) -> list[Claimed]:
    """Completed erasures of any tenant that wait for their second look."""
    return claim_of_users(
        "claim_erasures_to_recheck_v1(%s, %s)",
        [now - settings.UNDE_TUNING.ERASURE_RECHECK_DELAY, settings.UNDE_TUNING.ERASURES_AT_ONCE],
    )


def raise_alert(*, user: UserRef, erasure_id: UUID, now: datetime) -> str:
    """Mark an open erasure with the level it has reached; one that is overdue is escalated. The level. Writes."""
    with tenant_scope(user.tenant_id):
        row = ErasureRequest.objects.get(user_id=user.id, id=erasure_id)
        level = find_alert(deadline=Deadline(row.warning_at, row.critical_at, row.deadline_at), now=now)
        if row.status == "completed" or level == row.alert:
            return row.alert
        ErasureRequest.objects.filter(user_id=user.id, id=erasure_id).update(alert=level)
        is_moved = level == "overdue" and move_to(
            user=user, erasure_id=erasure_id, status="escalated", now=now, code="deadline_over"
        )
        if not is_moved:
            note(user=user, erasure_id=erasure_id, status=row.status, now=now, code=f"deadline_{level}")
    ERASURE_ALERTS.labels(level).inc()
    return level


def count_pending_erasures() -> int:
    """Erasures of all tenants that are not completed."""
    return sum(count for _, count in _count_open())


def count_overdue_erasures() -> int:
    """Those of them whose deadline has passed."""
    return sum(count for alert, count in _count_open() if alert == "overdue")


def _count_open() -> list[tuple[str, int]]:
    return fetch_rows("SELECT alert, open FROM count_open_erasures_v1()")
