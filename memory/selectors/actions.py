"""The action log, read: what was done, and what was corrected just now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.models import Action
from memory.types import UserRef


@dataclass(frozen=True, slots=True)
class RecentCorrection:
    """A correction that the next reply should honour (SPEC P-10)."""

    action_id: UUID
    message_id: UUID | None
    correction_type: str
    fact_ids: tuple[UUID, ...]


def find_recent_correction(*, user: UserRef, message_ids: list[UUID]) -> RecentCorrection | None:
    """The newest correction made by one of these messages (the last of a conversation), None when there is none."""
    action = (
        Action.objects.filter(user_id=user.id, kind="correction", message_id__in=message_ids)
        .order_by("-position")
        .first()
    )
    if action is None:
        return None
    entries = action.detail.get("corrections", [])
    return RecentCorrection(
        action_id=action.id,
        message_id=action.message_id,
        correction_type=entries[-1]["correction_type"] if entries else "ambiguous",
        fact_ids=tuple(UUID(effect["fact_id"]) for effect in action.effects),
    )


def get_log_position(*, user: UserRef, as_of: datetime | None = None) -> int:
    """Position of the newest action, as of a moment if one is given: what a pack was made from (D-22)."""
    rows = Action.objects.filter(user_id=user.id)
    if as_of:
        rows = rows.filter(recorded_at__lte=as_of)
    newest = rows.order_by("-position").values_list("position", flat=True).first()
    return newest or 0
