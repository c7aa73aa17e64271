"""Privacy requests, read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from memory.database.statements import fetch_row
from memory.errors import NotFound
from memory.models import User
from memory.privacy.models import PrivacyRequest
from memory.privacy.types import RequestView
from memory.selectors.pages import read_in_pages
from memory.types import UserRef


def get_request(*, tenant_id: UUID, subject_request_id: UUID) -> RequestView:
    """A request by the desk's own id. Raises NotFound. In a tenant scope."""
    row = PrivacyRequest.objects.filter(tenant_id=tenant_id, subject_request_id=subject_request_id).first()
    if row is None:
        raise NotFound("There is no such request.", fields={"subject_request_id": "unknown"})
    return view_request(row)


def find_person(*, request: RequestView) -> UserRef | None:
    """Whom a request is about; None where nobody is stored under it, or no longer. In a tenant scope."""
    if request.user_id is None:
        return None
    row = User.objects.filter(tenant_id=request.tenant_id, id=request.user_id, fenced_at=None).first()
    return UserRef(id=row.id, tenant_id=row.tenant_id, external_id=row.external_id) if row else None


def view_request(row: PrivacyRequest) -> RequestView:
    """A row as callers see it."""
    return RequestView(**{name: getattr(row, name) for name in RequestView.__dataclass_fields__})


def export_requests(user: UserRef) -> Iterator[dict[str, Any]]:
    """What was asked in the user's name, and what became of it (SPEC M-7)."""

    def read(last: PrivacyRequest | None, limit: int) -> list[PrivacyRequest]:
        rows = PrivacyRequest.objects.filter(tenant_id=user.tenant_id, user_id=user.id).order_by("id")
        return list((rows.filter(id__gt=last.id) if last else rows)[:limit])

    for row in read_in_pages(user, read):
        yield {
            "kind": "privacy_request",
            "id": row.id,
            "subject_request_id": row.subject_request_id,
            "type": row.kind,
            "regulation": row.regulation,
            "status": row.status,
            "submitted_at": row.submitted_at,
            "received_at": row.received_at,
            "finished_at": row.finished_at,
        }


def count_open_requests() -> int:
    """Requests of all tenants that are not over."""
    return int(fetch_row("SELECT count_open_privacy_requests_v1()")[0])
