"""What becomes of episodes when messages are hidden, shown again or erased: they are cut anew at once (SPEC G-1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from memory.episodes.cutting import cut_messages_anew
from memory.erasure.erasers import DERIVED, ITEMS, TableEraser, fetch_count, run_count
from memory.types import ErasureScope, UserRef

# Days and counts: in a part erasure they stay.
ACCESSES = TableEraser(
    name="episode_accesses", models=("episodes.EpisodeAccess",), table="episode_access", key="episode_id"
)
_ALL = TableEraser(name="episodes", models=("episodes.Episode",), table="episode")
_SPEAKING = f"SELECT m.episode_id FROM episode_message m WHERE m.user_id = %(user_id)s AND m.message_id IN {ITEMS}"


def forget_step(user: UserRef, message_ids: Sequence[UUID]) -> dict[str, int]:
    """Cut the episodes of these messages anew, when they are hidden or shown again, in the caller's transaction."""
    outcome = cut_messages_anew(user=user, message_ids=message_ids, now=datetime.now(UTC))
    changed = outcome.written + outcome.removed
    return {"episodes_cut_anew": changed} if changed else {}


@dataclass(frozen=True, slots=True)
class EpisodeEraser:
    """Episodes with their words. In a part erasure those that hold an erased message.

    Hiding has cut them anew already: this is what makes sure.
    """

    name: str = "episodes"
    models: tuple[str, ...] = ("episodes.Episode", "episodes.EpisodeMessage")
    stage: int = DERIVED

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See memory.registries.Eraser."""
        if scope.is_whole:
            return _ALL.erase_batch(scope, limit=limit)
        return run_count(f"DELETE FROM episode WHERE user_id = %(user_id)s AND id IN ({_SPEAKING})", scope)

    def count_left(self, scope: ErasureScope) -> int:
        """See memory.registries.Eraser."""
        if scope.is_whole:
            return _ALL.count_left(scope)
        return fetch_count(f"SELECT count(*) FROM ({_SPEAKING}) speaking", scope)
