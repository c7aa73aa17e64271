"""Purposes and consents, read. In a tenant scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from memory.consents.models import Consent, Purpose
from memory.consents.types import ConsentView, PastConsent, PurposeView
from memory.errors import NotFound
from memory.selectors.pages import read_rows
from memory.types import UserRef


def list_purposes(*, tenant_id: UUID) -> list[PurposeView]:
    """The purposes that hold, as they were made. A tenant has some tens at most (`MAX_PURPOSES`)."""
    rows = Purpose.objects.filter(tenant_id=tenant_id, ended_at=None).order_by("created_at", "id")
    return [open_purpose(row) for row in rows]


def get_purpose(*, tenant_id: UUID, key: str) -> PurposeView:
    """A purpose that holds. Raises NotFound."""
    row = Purpose.objects.filter(tenant_id=tenant_id, key=key, ended_at=None).first()
    if row is None:
        raise NotFound("This purpose does not exist.", fields={"purpose": "unknown"})
    return open_purpose(row)


def list_consents(*, user: UserRef) -> list[ConsentView]:
    """Every purpose that holds, with what the user says to it or the default. Two statements."""
    said = {row.purpose_key: row for row in Consent.objects.filter(user_id=user.id, is_current=True)}
    return [_join(purpose, said.get(purpose.key)) for purpose in list_purposes(tenant_id=user.tenant_id)]


def list_past_consents(*, user: UserRef, before: UUID | None, limit: int) -> list[PastConsent]:
    """What the user said, newest first, from an id on. Ids are ordered by when they were made."""
    rows = Consent.objects.filter(user_id=user.id).order_by("-id")
    rows = rows.filter(id__lt=before) if before else rows
    return [
        PastConsent(
            id=row.id,
            purpose_key=row.purpose_key,
            is_granted=row.is_granted,
            actor=row.actor,
            recorded_at=row.recorded_at,
            is_current=row.is_current,
        )
        for row in rows[:limit]
    ]


def list_lost(views: Sequence[ConsentView], *, key: str) -> list[str]:
    """What could not be kept any more if the user said no to a purpose: what no other granted one covers. Pure."""
    held = {kind for view in views if view.is_granted and view.purpose.key != key for kind in view.purpose.covers}
    return [kind for view in views if view.purpose.key == key for kind in view.purpose.covers if kind not in held]


def open_purpose(row: Purpose) -> PurposeView:
    """A row as a value."""
    return PurposeView(
        id=row.id,
        key=row.key,
        names=row.names,
        texts=row.texts,
        covers=tuple(row.covers),
        is_granted_by_default=row.is_granted_by_default,
        is_changeable=row.is_changeable,
        kept_days=row.kept_days,
        created_at=row.created_at,
    )


def export_consents(user: UserRef) -> Iterator[dict[str, Any]]:
    """What the user said to purposes, each time (SPEC M-7)."""
    for row in read_rows(user, Consent):
        yield {
            "kind": "consent",
            "id": row.id,
            "purpose": row.purpose_key,
            "is_granted": row.is_granted,
            "actor": row.actor,
            "recorded_at": row.recorded_at,
        }


def _join(purpose: PurposeView, said: Consent | None) -> ConsentView:
    return ConsentView(
        purpose=purpose,
        is_granted=said.is_granted if said else purpose.is_granted_by_default,
        said_at=said.recorded_at if said else None,
        actor=said.actor if said else None,
    )
