"""Carrying privacy requests out. Every step is a transaction of its own and may be repeated: a worker that dies leaves
work for the next one. Erasing and exporting are those of the service.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings

from memory.database.claims import claim_rows
from memory.erasure.requests import request_erasure
from memory.erasure.selectors import find_erasure_of_user, get_erasure
from memory.erasure.types import ErasureTarget, ErasureView
from memory.errors import CodedError
from memory.privacy.models import PrivacyRequest
from memory.privacy.requests import move_to
from memory.privacy.selectors import find_person, view_request
from memory.privacy.types import RequestView
from memory.services.exports import export_user
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.types import TenantRef, UserRef

log = structlog.get_logger(__name__)

REASON: Final = "privacy_request"
HEADS: Final = (b'{"kind": "export"', b'{"kind": "user"')
"""How lines of an export begin that say nothing of what is stored: its head, and the user's ids."""
Clock = Callable[[], datetime]


def run_requests(*, clock: Clock) -> int:
    """Carry out what is due, each claimed when its turn comes; how many were looked at. Writes."""
    limit, lease = settings.UNDE_TUNING.PRIVACY_BATCH, timedelta(seconds=settings.UNDE_TUNING.PRIVACY_LEASE_SECONDS)
    for done in range(limit):
        now = clock()
        claimed = claim_rows("claim_privacy_requests_v2", now=now, until=now + lease, limit=1)
        if not claimed:
            return done
        tenant_id, request_id = claimed[0]
        run_request(tenant_id=tenant_id, request_id=request_id, clock=clock)
    return int(limit)


def run_request(*, tenant_id: UUID, request_id: UUID, clock: Clock) -> str:
    """Take a claimed request a step on, or to its end; the status it has then. Writes.

    A failure is recorded with its code and tried again later.
    """
    request = _begin(tenant_id, request_id, clock())
    if request.status != "in_progress":
        return request.status
    try:
        return _erase(request, clock) if request.kind == "erasure" else _count_results(request, clock)
    except Exception as error:
        code = error.code if isinstance(error, CodedError) else type(error).__name__.lower()
        log.warning("privacy_request_failed", request_id=str(request_id), code=code, exc_info=error)
        return _postpone(request, clock(), code=code)


def _begin(tenant_id: UUID, request_id: UUID, now: datetime) -> RequestView:
    with tenant_scope(tenant_id):
        row = PrivacyRequest.objects.select_for_update().get(tenant_id=tenant_id, id=request_id)
        if row.status == "pending":
            move_to(row, "in_progress", now)
        return view_request(row)


# --- erasure ----------------------------------------------------------------------------------------------------------


def _erase(request: RequestView, clock: Clock) -> str:
    """Have the person erased, or see how far that is."""
    erasure = _find_erasure(request) or _request_erasure(request, clock())
    if erasure is None:
        return _complete(request, clock(), results_count=0)
    if erasure.status == "completed":
        count = sum(erasure.counts.get("before", {}).values())
        return _complete(request, clock(), results_count=count, erasure_id=erasure.id)
    next_at = clock() + settings.UNDE_TUNING.PRIVACY_POLL_WAIT
    return _update(request, erasure_id=erasure.id, available_at=next_at, failure="", attempts=0)


def _find_erasure(request: RequestView) -> ErasureView | None:
    """The erasure that was asked for, by this request or by somebody else meanwhile."""
    if request.user_id is None:
        return None
    with tenant_scope(request.tenant_id):
        if request.erasure_id is not None:
            return get_erasure(tenant_id=request.tenant_id, erasure_id=request.erasure_id)
        return find_erasure_of_user(user=UserRef(id=request.user_id, tenant_id=request.tenant_id))


def _request_erasure(request: RequestView, now: datetime) -> ErasureView | None:
    with tenant_scope(request.tenant_id):
        user, tenant = find_person(request=request), find_tenant(tenant_id=request.tenant_id)
        actor = PrivacyRequest.objects.values_list("actor", flat=True).get(tenant_id=request.tenant_id, id=request.id)
    if user is None or tenant is None:
        return None
    return request_erasure(
        tenant=TenantRef(id=tenant.id, zone=ZoneInfo(tenant.timezone)),
        user_external_id=user.external_id,
        target=ErasureTarget(),
        reason=REASON,
        actor=actor,
        now=now,
    )


# --- access and portability -------------------------------------------------------------------------------------------


def _count_results(request: RequestView, clock: Clock) -> str:
    """Read everything that the results will hold. No copy is kept: they are read again when they are fetched."""
    with tenant_scope(request.tenant_id):
        user = find_person(request=request)
    if user is None:
        return _complete(request, clock(), results_count=0)
    count = sum(not line.startswith(HEADS) for line in export_user(user=user, now=clock()))
    until = clock() + settings.UNDE_TUNING.PRIVACY_RESULTS_KEPT
    return _complete(request, clock(), results_count=count, results_until=until)


# --- what becomes of it -----------------------------------------------------------------------------------------------


def _complete(request: RequestView, now: datetime, **fields: Any) -> str:
    with tenant_scope(request.tenant_id):
        row = PrivacyRequest.objects.select_for_update().get(tenant_id=request.tenant_id, id=request.id)
        if row.status == "in_progress":  # whose lease had ended may have finished it
            for name, value in fields.items():
                setattr(row, name, value)
            row.claimed_until, row.failure = None, ""
            move_to(row, "completed", now)
    return "completed"


def _postpone(request: RequestView, now: datetime, *, code: str) -> str:
    waits = settings.UNDE_TUNING.PRIVACY_RETRY_WAITS
    with tenant_scope(request.tenant_id):
        rows = PrivacyRequest.objects.filter(tenant_id=request.tenant_id, id=request.id)
        attempts = rows.values_list("attempts", flat=True).get()
    wait = waits[min(attempts, len(waits)) - 1]
    return _update(request, available_at=now + wait, failure=code[:60])


def _update(request: RequestView, **fields: Any) -> str:
    with tenant_scope(request.tenant_id):
        rows = PrivacyRequest.objects.filter(tenant_id=request.tenant_id, id=request.id, status="in_progress")
        rows.update(claimed_until=None, **fields)
    return "in_progress"
