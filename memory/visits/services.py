"""Making links, opening them, ending sessions."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from memory.database.statements import fetch_row
from memory.ids import new_id
from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from memory.visits.models import Visit
from memory.visits.types import LinkInput, LinkOver, NewSession, OpenVisit

SESSION_START: Final = "undev_"
"""How the secret of a session begins, so that nobody takes it for an API key."""


def make_link(*, user: UserRef, key_id: UUID, wanted: LinkInput, now: datetime) -> str:
    """The secret of a new link to this user's page. It is not stored. In a tenant scope. Writes."""
    secret = secrets.token_urlsafe(32)
    Visit.objects.create(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        key_id=key_id,
        link_hash=hash_secret(secret),
        link_expires_at=wanted.expires_at,
        permissions=list(wanted.permissions),
        locale=wanted.locale,
        theme=wanted.theme,
        return_url=wanted.return_url,
        created_at=now,
    )
    return secret


def open_link(*, secret: str, now: datetime) -> NewSession:
    """Use a link up and begin its session. Raises LinkOver, for all but one of those who come at once. Writes."""
    session = SESSION_START + secrets.token_urlsafe(32)
    ends_at = now + settings.UNDE_TUNING.VISIT_LENGTH
    row = fetch_row(
        "SELECT * FROM open_visit_v1(%s, %s, %s, %s)", [hash_secret(secret), hash_secret(session), now, ends_at]
    )
    if row is None:
        raise LinkOver
    return NewSession(secret=session, tenant_id=row[0], expires_at=row[1])


def end_visit(*, visit: OpenVisit, now: datetime) -> None:
    """End a session: from the next request on its secret opens nothing. Writes."""
    with tenant_scope(visit.user.tenant_id):
        Visit.objects.filter(user_id=visit.user.id, id=visit.id, ended_at=None).update(ended_at=now)


def drop_visits(*, now: datetime) -> int:
    """Delete what is older than visits are kept; how many. For workers. Writes."""
    return int(
        fetch_row(
            "SELECT drop_visits_v1(%s, %s)",
            [now - settings.UNDE_TUNING.VISITS_KEPT, settings.UNDE_TUNING.VISITS_DROPPED_AT_ONCE],
        )[0]
    )


def hash_secret(secret: str) -> bytes:
    """SHA-256 of a secret of 256 random bits, which makes a salt or a slow hash needless."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def make_form_token(session: str) -> str:
    """What a form of a session says to prove that it was made for it: nobody has it who has not the session. Pure."""
    return hmac.new(session.encode(), b"unde memory form", hashlib.sha256).hexdigest()
