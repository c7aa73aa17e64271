"""Taking privacy requests on and cancelling them; every change of status is told to who asked."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.conf import settings

from memory.erasure.requests import find_tenant_deadline
from memory.erasure.selectors import find_last_erasure_of_subject
from memory.fence.subjects import make_fingerprint
from memory.ids import new_id
from memory.metrics import PRIVACY_REQUESTS
from memory.privacy.models import PrivacyCallback, PrivacyRequest
from memory.privacy.selectors import get_request, view_request
from memory.privacy.types import Asked, NotPending, RequestIdReused, RequestView
from memory.selectors.users import find_user
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import read_actor
from memory.types import TenantRef


def take_request(*, tenant: TenantRef, asked: Asked, actor: str, now: datetime) -> tuple[RequestView, bool]:
    """Take a request on; it, and whether it is new. The same request again is the one that was taken. Writes.

    A person of whom nothing is stored is no error: the request is completed with no results. Raises RequestIdReused.
    """
    with tenant_scope(tenant.id):
        row = _make_row(tenant, asked, actor, now)
        # Of two that come at once one stores it, and both read what is stored then.
        PrivacyRequest.objects.bulk_create([row], ignore_conflicts=True)
        stored = PrivacyRequest.objects.get(tenant_id=tenant.id, subject_request_id=asked.subject_request_id)
        if bytes(stored.fingerprint) != row.fingerprint:
            raise RequestIdReused(fields={"subject_request_id": "was sent before, with other content"})
        is_new = stored.id == row.id
        if is_new:
            _call_back(stored, asked.callback_urls, now)
            _audit(stored, actor, "privacy.request", now)
            PRIVACY_REQUESTS.labels(stored.kind, stored.status).inc()
        return view_request(stored), is_new


def cancel_request(*, tenant_id: UUID, subject_request_id: UUID, actor: str, now: datetime) -> RequestView:
    """Cancel a request that is still pending; once more is the same. Raises NotFound, NotPending. Writes."""
    with tenant_scope(tenant_id):
        found = get_request(tenant_id=tenant_id, subject_request_id=subject_request_id)
        row = PrivacyRequest.objects.select_for_update().get(tenant_id=tenant_id, id=found.id)
        if row.status == "pending":
            move_to(row, "cancelled", now)
            _audit(row, actor, "privacy.cancel", now)
        elif row.status != "cancelled":
            raise NotPending(fields={"request_status": row.status})
        return view_request(row)


def _make_row(tenant: TenantRef, asked: Asked, actor: str, now: datetime) -> PrivacyRequest:
    user = find_user(tenant_id=tenant.id, external_id=asked.user_external_id)
    is_erasure = asked.kind == "erasure"
    earlier = None
    if user is None and is_erasure:  # asked again: the answer is the erasure that did it
        earlier = find_last_erasure_of_subject(tenant_id=tenant.id, external_id=asked.user_external_id)
    _, deadline = find_tenant_deadline(tenant_id=tenant.id, zone=tenant.zone, now=now)
    return PrivacyRequest(
        id=new_id(),
        tenant_id=tenant.id,
        subject_request_id=asked.subject_request_id,
        kind=asked.kind,
        regulation=asked.regulation,
        user_id=user.id if user else earlier.user_id if earlier else None,
        fingerprint=make_fingerprint(tenant_id=tenant.id, asked=_describe(asked)),
        actor=actor,
        submitted_at=asked.submitted_at,
        received_at=now,
        deadline_at=deadline.at,
        available_at=now + settings.UNDE_TUNING.PRIVACY_ERASURE_WAIT if user and is_erasure else now,
        erasure_id=earlier.id if earlier else None,
    )


def _describe(asked: Asked) -> dict[str, object]:
    return {
        "privacy_request": str(asked.subject_request_id),
        "kind": asked.kind,
        "regulation": asked.regulation,
        "user": asked.user_external_id,
        "submitted_at": asked.submitted_at.isoformat(),
        "callbacks": list(asked.callback_urls),
    }


def _audit(row: PrivacyRequest, actor: str, action: str, now: datetime) -> None:
    record_audit_event(
        tenant_id=row.tenant_id,
        actor=read_actor(actor),
        action=action,
        now=now,
        object_type="privacy_request",
        object_ids=[row.id, *([row.user_id] if row.user_id else [])],
    )


def move_to(row: PrivacyRequest, status: str, now: datetime) -> None:
    """Give a row its next status, and tell every address that heard of the one before. In a tenant scope."""
    row.status = status
    row.finished_at = now if status in ("completed", "cancelled") else None
    row.save()
    known = PrivacyCallback.objects.filter(tenant_id=row.tenant_id, request_id=row.id, status="pending")
    _call_back(row, tuple(known.values_list("url", flat=True)), now)
    PRIVACY_REQUESTS.labels(row.kind, status).inc()


def _call_back(row: PrivacyRequest, urls: tuple[str, ...], now: datetime) -> None:
    PrivacyCallback.objects.bulk_create(
        PrivacyCallback(
            id=new_id(),
            tenant_id=row.tenant_id,
            request_id=row.id,
            url=url,
            status=row.status,
            available_at=now,
            created_at=now,
        )
        for url in urls
    )
