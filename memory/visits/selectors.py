"""Visits, read."""

from __future__ import annotations

from datetime import datetime

from memory.database.statements import fetch_row
from memory.types import UserRef
from memory.visits.services import hash_secret
from memory.visits.types import OpenVisit, SessionOver


def get_visit(*, session: str, now: datetime) -> OpenVisit:
    """The visit behind the secret of a session. Raises SessionOver. One statement, before the tenant is known."""
    row = fetch_row("SELECT * FROM find_visit_v1(%s, %s)", [hash_secret(session), now])
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
