"""Visits, read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import connection

from memory.selectors.pages import read_in_pages
from memory.types import UserRef
from memory.visits.models import Visit
from memory.visits.services import hash_secret
from memory.visits.types import OpenVisit, SessionOver


def get_visit(*, session: str, now: datetime) -> OpenVisit:
    """The visit behind the secret of a session. Raises SessionOver. One statement, before the tenant is known."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM find_visit_v1(%s, %s)", [hash_secret(session), now])
        row = cursor.fetchone()
    if row is None:
        raise SessionOver
    (visit_id, tenant_id, user_id, external_id, key_id, slug, zone, permissions, locale, theme, return_url, *rest) = row
    expires_at, paused_at, pause_keeps = rest
    return OpenVisit(
        id=visit_id,
        user=UserRef(id=user_id, tenant_id=tenant_id, external_id=external_id),
        key_id=key_id,
        tenant_slug=slug,
        timezone=zone,
        permissions=frozenset(permissions),
        locale=locale,
        theme=theme,
        return_url=return_url,
        expires_at=expires_at,
        paused_at=paused_at,
        pause_keeps=pause_keeps,
    )


def export_visits(user: UserRef) -> Iterator[dict[str, Any]]:
    """When the user's page was opened, and what it allowed (SPEC M-7)."""

    def read(last: Visit | None, limit: int) -> list[Visit]:
        rows = Visit.objects.filter(user_id=user.id).order_by("id")
        return list((rows.filter(id__gt=last.id) if last else rows)[:limit])

    for row in read_in_pages(user, read):
        yield {
            "kind": "visit",
            "id": row.id,
            "permissions": row.permissions,
            "created_at": row.created_at,
            "opened_at": row.opened_at,
            "ended_at": row.ended_at,
        }
