"""The action log, read: what was done, and what was corrected just now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.database.queries import Query
from memory.models import Action
from memory.tenants.scope import ask
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
    rows = ask(make_recent_correction_query(user=user, message_ids=message_ids))
    if not rows:
        return None
    action = Action.objects.get(user_id=user.id, id=rows[0][0])
    entries = action.detail.get("corrections", [])
    return RecentCorrection(
        action_id=action.id,
        message_id=action.message_id,
        correction_type=entries[-1]["correction_type"] if entries else "ambiguous",
        fact_ids=tuple(UUID(effect["fact_id"]) for effect in action.effects),
    )


def make_recent_correction_query(*, user: UserRef, message_ids: list[UUID]) -> Query:
    """The query of `find_recent_correction`, to be prefetched."""
    return Query(
        "SELECT id FROM memory_action WHERE user_id = %s::uuid AND kind = 'correction'"
        " AND message_id = ANY(%s::uuid[]) ORDER BY position DESC LIMIT 1",
        [user.id, message_ids],
    )


def get_log_position(*, user: UserRef, as_of: datetime | None = None) -> int:
    """Position of the newest action, as of a moment if one is given: what a pack was made from (D-22)."""
    rows = ask(make_log_position_query(user=user, as_of=as_of))
    return int(rows[0][0]) if rows else 0


def make_log_position_query(*, user: UserRef, as_of: datetime | None = None) -> Query:
    """The query of `get_log_position`, to be prefetched."""
    return Query(
        "SELECT position FROM memory_action WHERE user_id = %s::uuid"
        " AND (%s::timestamptz IS NULL OR recorded_at <= %s::timestamptz) ORDER BY position DESC LIMIT 1",
        [user.id, as_of, as_of],
    )
