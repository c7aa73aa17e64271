"""The night: each user's facts are adjusted, then tastes that are alike are merged (SPEC P-9, X-7, D-22).

A user's turn is one transaction that also moves the place of the night on, so that what is interrupted goes on where
it stopped and counts nobody twice. Several workers may run: they wait for each other at the row of the night.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Final
from uuid import UUID

import structlog

from corrections.metrics import ADJUSTED, ITEMS_MERGED
from corrections.models import CalibrationNight
from corrections.quality.calibration.adjusting import adjust_user
from corrections.quality.calibration.rules import Adjustment
from corrections.quality.calibration.uses import list_judged_users
from memory.errors import CodedError
from memory.extraction.unproven.merging import list_users_to_merge, merge_user
from memory.fence.user_lock import lock_user
from memory.ids import new_id
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings
from memory.types import UserRef

NOBODY: Final = UUID(int=0)
log = structlog.get_logger(__name__)


def run_night(
    *, tenant_id: UUID, now: datetime, may_go_on: Callable[[], bool] = lambda: True
) -> CalibrationNight | None:
    """Go on with the tenant's night of this day (UTC) as far as `may_go_on` lets; the night as it stands then. Writes.

    None where the tenant has it switched off. A night that is over is done no second time.
    """
    if not is_calibration_on(tenant_id=tenant_id):
        return None
    night = _begin(tenant_id, now)
    while night.finished_at is None:
        users = _list_users(tenant_id, night.last_user_id or NOBODY, now)
        for user_id in users:
            if not may_go_on():
                return night
            night = _take_turn(UserRef(id=user_id, tenant_id=tenant_id), night=night.night, now=now)
        if not users:
            night = _finish(tenant_id, night.night, now)
    return night


def is_calibration_on(*, tenant_id: UUID) -> bool:
    """Whether the tenant lets nights move confidence."""
    tenant = find_tenant(tenant_id=tenant_id)
    return tenant is not None and read_settings(tenant).is_calibration_on


def list_nights(*, tenant_id: UUID, until: datetime, limit: int) -> list[CalibrationNight]:
    """The last nights of a tenant, the newest first. In a tenant scope."""
    rows = CalibrationNight.objects.filter(tenant_id=tenant_id, began_at__lte=until)
    return list(rows.order_by("-night")[:limit])


def _begin(tenant_id: UUID, now: datetime) -> CalibrationNight:
    row = CalibrationNight(id=new_id(), tenant_id=tenant_id, night=now.astimezone(UTC).date(), began_at=now)
    with tenant_scope(tenant_id):
        CalibrationNight.objects.bulk_create([row], ignore_conflicts=True)
        return CalibrationNight.objects.get(tenant_id=tenant_id, night=row.night)


def _list_users(tenant_id: UUID, after: UUID, now: datetime) -> list[UUID]:
    with tenant_scope(tenant_id):
        judged = list_judged_users(tenant_id=tenant_id, after=after, now=now)
        alike = list_users_to_merge(tenant_id=tenant_id, after=after)
    # What lies beyond the end of the shorter list would be passed over if the longer one moved the place on first.
    return sorted({*judged, *alike})[: max(len(judged), len(alike))]


def _take_turn(user: UserRef, *, night: date, now: datetime) -> CalibrationNight:
    try:
        with tenant_scope(user.tenant_id):
            row = _lock(user.tenant_id, night)
            if row.finished_at is not None or (row.last_user_id or NOBODY) >= user.id:
                return row
            lock_user(user=user)
            found = adjust_user(user=user, night=night, now=now)
            merged = merge_user(user=user, now=now)
            _count(row, found, merged)
            _move_on(row, user)
    except CodedError as error:
        log.info("calibration_left_a_user", user_id=str(user.id), code=error.code)
        return _leave_out(user, night)
    for one in found:
        ADJUSTED.labels(one.rule).inc()
    ITEMS_MERGED.inc(merged)
    return row


def _count(row: CalibrationNight, found: list[Adjustment], merged: int) -> None:
    row.users += 1
    row.raised += sum(one.after > one.before for one in found)
    row.lowered += sum(one.after < one.before for one in found)
    row.to_remove += sum(one.is_to_remove for one in found)
    row.merged += merged


def _leave_out(user: UserRef, night: date) -> CalibrationNight:
    """Busy or being erased: the night goes on without them."""
    with tenant_scope(user.tenant_id):
        row = _lock(user.tenant_id, night)
        if (row.last_user_id or NOBODY) < user.id:
            row.left_out += 1
            _move_on(row, user)
    return row


def _move_on(row: CalibrationNight, user: UserRef) -> None:
    row.last_user_id = user.id
    row.save()


def _finish(tenant_id: UUID, night: date, now: datetime) -> CalibrationNight:
    with tenant_scope(tenant_id):
        row = _lock(tenant_id, night)
        if row.finished_at is None:
            row.finished_at, row.last_user_id = now, None
            row.save()
    return row


def _lock(tenant_id: UUID, night: date) -> CalibrationNight:
    return CalibrationNight.objects.select_for_update().get(tenant_id=tenant_id, night=night)
