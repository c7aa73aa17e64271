"""An erasure moves from state to state, and each step leaves an entry that is never changed (SPEC G-2)."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from memory.erasure.types import TRANSITIONS
from memory.ids import new_id
from memory.models import ErasureEvent, ErasureRequest
from memory.types import UserRef


def move_to(*, user: UserRef, erasure_id: UUID, status: str, now: datetime, code: str = "", **changes: Any) -> bool:
    """Move an erasure on and write the entry; False when it can't go there from where it is. Writes both or none."""
    sources = [source for source, targets in TRANSITIONS.items() if status in targets]
    moved = ErasureRequest.objects.filter(user_id=user.id, id=erasure_id, status__in=sources).update(
        status=status, **changes
    )
    if moved:
        note(user=user, erasure_id=erasure_id, status=status, now=now, code=code)
    return bool(moved)


def note(*, user: UserRef, erasure_id: UUID, status: str, now: datetime, code: str = "") -> None:
    """Write an entry without a move: an alert, a second look. Writes."""
    ErasureEvent.objects.create(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        erasure_id=erasure_id,
        status=status,
        code=code,
        happened_at=now,
    )
