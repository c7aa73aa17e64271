"""Episodes written, removed and read back as cuts. In a tenant scope, under the user's lock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeVar, overload
from uuid import UUID

from msgspec import to_builtins
from msgspec.json import decode, encode

from memory.database.statements import execute, fetch_rows
from memory.episodes.contents import Contents
from memory.episodes.models import Episode
from memory.episodes.raw import Stretch
from memory.episodes.recipe import VERSION
from memory.episodes.types import Cut
from memory.sealing.vault import UserVault
from memory.types import UserRef

PURPOSE: Final = "episode"
Part = TypeVar("Part")

# The results of the night for an episode of the same id stay.
_STORE: Final = """
INSERT INTO episode (tenant_id, user_id, id, conversation_id, session_started_at, started_at, ended_at, message_count,
  sealed, made_by, version, is_kept, priority, cut_at)
SELECT %s, %s, n.id, %s, n.session_started_at, n.started_at, n.ended_at, cardinality(n.message_ids), n.sealed, '', %s,
  n.is_kept, CASE WHEN n.is_kept THEN 0.6 ELSE 0.3 END, %s
  FROM json_to_recordset(%s::json) AS n (id uuid, session_started_at timestamptz, started_at timestamptz,
    ended_at timestamptz, message_ids uuid[], sealed bytea, is_kept boolean)
ON CONFLICT (user_id, id) DO UPDATE SET conversation_id = excluded.conversation_id,
  session_started_at = excluded.session_started_at, started_at = excluded.started_at, ended_at = excluded.ended_at,
  message_count = excluded.message_count, sealed = excluded.sealed, made_by = '', version = excluded.version,
  is_kept = excluded.is_kept, cut_at = excluded.cut_at, layered_at = NULL, worded_at = NULL
"""
_CLEAR: Final = "DELETE FROM episode_message WHERE user_id = %s AND (episode_id = ANY(%s) OR message_id = ANY(%s))"
_PLACE: Final = """
INSERT INTO episode_message (tenant_id, user_id, message_id, episode_id, place)
SELECT %s, %s, n.message_id, n.episode_id, n.place
  FROM unnest(%s::uuid[], %s::uuid[], %s::smallint[]) AS n (message_id, episode_id, place)
"""
_READ: Final = """
SELECT e.id, array_agg(m.message_id ORDER BY m.place)
  FROM episode e JOIN episode_message m ON m.user_id = e.user_id AND m.episode_id = e.id
 WHERE e.user_id = %s AND e.conversation_id = %s AND e.started_at BETWEEN %s AND %s
 GROUP BY e.id, e.started_at ORDER BY e.started_at
"""


def list_stored_cuts(*, user: UserRef, conversation_id: UUID, stretch: Stretch) -> dict[UUID, list[UUID]]:
    """The messages of each stored episode of a stretch, by id of the episode, oldest first."""
    return dict(fetch_rows(_READ, [user.id, conversation_id, stretch.first, stretch.last]))


def store_cuts(*, user: UserRef, conversation_id: UUID, cuts: Sequence[Cut], now: datetime) -> None:
    """Write episodes; one that is there already keeps its layer, its accesses and its links. Writes."""
    if not cuts:
        return
    vault = UserVault(user_id=user.id)
    rows = [_make_row(cut, vault) for cut in cuts]
    message_ids = [message_id for cut in cuts for message_id in cut.message_ids]
    episode_ids = [cut.id for cut in cuts for _ in cut.message_ids]
    places = [place for cut in cuts for place in range(len(cut.message_ids))]
    execute(_STORE, [user.tenant_id, user.id, conversation_id, VERSION, now, encode(rows).decode()])
    execute(_CLEAR, [user.id, [cut.id for cut in cuts], message_ids])
    execute(_PLACE, [user.tenant_id, user.id, message_ids, episode_ids, places])


def delete_episodes(*, user: UserRef, episode_ids: Sequence[UUID]) -> None:
    """Remove episodes with their words and links to them. Writes."""
    if episode_ids:
        execute("DELETE FROM episode WHERE user_id = %s AND id = ANY(%s)", [user.id, list(episode_ids)])
        Episode.objects.filter(user_id=user.id, continues_from__in=episode_ids).update(continues_from=None)


def seal_contents(contents: Contents, vault: UserVault) -> bytes:
    """The words of an episode under the user's key."""
    return vault.seal(to_builtins(contents), purpose=PURPOSE)


@overload
def open_contents(sealed: Sequence[bytes | memoryview], vault: UserVault) -> list[Contents]: ...
@overload
def open_contents(sealed: Sequence[bytes | memoryview], vault: UserVault, part: type[Part]) -> list[Part]: ...
def open_contents(sealed: Sequence[bytes | memoryview], vault: UserVault, part: Any = Contents) -> list[Any]:
    """The words of episodes, or that part of them. Raises SealBroken, UserKeyDestroyed."""
    return [decode(each, type=part) for each in vault.open_bytes(sealed, purpose=PURPOSE)] if sealed else []


def _make_row(cut: Cut, vault: UserVault) -> dict[str, object]:
    return {
        "id": cut.id,
        "session_started_at": cut.session_started_at.astimezone(UTC),
        "started_at": cut.started_at.astimezone(UTC),
        "ended_at": cut.ended_at.astimezone(UTC),
        "message_ids": cut.message_ids,
        "sealed": "\\x" + seal_contents(cut.contents, vault).hex(),
        "is_kept": cut.is_kept,
    }
