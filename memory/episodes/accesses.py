"""That an episode was opened: noted, and without any effect before the night (D-43)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from uuid import UUID

from memory.database.queries import Query
from memory.tenants.scope import run_in_scope
from memory.types import UserRef

# In the order of the ids: two requests that note the same episodes must not wait for each other.
_NOTE = """
INSERT INTO episode_access (tenant_id, user_id, episode_id, day, accesses, last_at)
SELECT %s::uuid, %s::uuid, e.id, %s::date, 1, %s::timestamptz FROM unnest(%s::uuid[]) AS e (id)
ON CONFLICT (user_id, episode_id, day) DO UPDATE
  SET accesses = episode_access.accesses + 1, last_at = greatest(episode_access.last_at, excluded.last_at)
"""


def note_accesses(*, user: UserRef, episode_ids: Iterable[UUID], now: datetime) -> None:
    """Count one access of each episode. Writes."""
    run_in_scope([write_accesses(user=user, episode_ids=episode_ids, now=now)])


def write_accesses(*, user: UserRef, episode_ids: Iterable[UUID], now: datetime) -> Query:
    """The statement of `note_accesses`."""
    day = now.astimezone(UTC).date().isoformat()
    return Query(_NOTE, [user.tenant_id, user.id, day, now, sorted(set(episode_ids))])
