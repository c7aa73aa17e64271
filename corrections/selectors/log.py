"""The correction log, read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from corrections.models import CorrectionLog
from memory.errors import NotFound
from memory.imports.rows import dump_row
from memory.selectors.pages import read_rows
from memory.types import UserRef


@dataclass(frozen=True, slots=True)
class CorrectionFilter:
    """What a screen asks for; None means any."""

    correction_type: str | None = None
    language: str | None = None
    golden_status: str | None = None
    since: datetime | None = None


def list_corrections(
    *, tenant_id: UUID, wanted: CorrectionFilter, after: UUID | None = None, limit: int
) -> list[CorrectionLog]:
    """A tenant's corrections, newest first. `after`: the id that ended the page before (ids follow time)."""
    rows = CorrectionLog.objects.filter(tenant_id=tenant_id)
    named = {
        "correction_type": wanted.correction_type,
        "language": wanted.language,
        "golden_status": wanted.golden_status,
    }
    rows = rows.filter(**{name: value for name, value in named.items() if value is not None})
    if wanted.since is not None:
        rows = rows.filter(created_at__gte=wanted.since)
    if after is not None:
        rows = rows.filter(id__lt=after)
    return list(rows.order_by("-id")[:limit])


def list_user_corrections(*, user: UserRef, limit: int) -> list[CorrectionLog]:
    """What this user corrected, newest first."""
    return list(CorrectionLog.objects.filter(user_id=user.id).order_by("-created_at", "-id")[:limit])


def get_correction(*, user: UserRef, correction_id: UUID) -> CorrectionLog:
    """One correction of this user. Raises NotFound."""
    row = CorrectionLog.objects.filter(user_id=user.id, id=correction_id).first()
    if row is None:
        raise NotFound("This correction does not exist.", fields={"correction_id": "unknown"})
    return row


def export_corrections(user: UserRef) -> Iterator[dict[str, Any]]:
    """The user's corrections for an export, oldest first, a page in memory (SPEC M-7)."""
    for row in read_rows(user, CorrectionLog):
        yield {"kind": "correction", **dump_row(row)}
