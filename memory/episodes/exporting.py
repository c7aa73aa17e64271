"""A user's episodes as lines of the export (SPEC M-7). They are derived: an import cuts them from the messages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import to_builtins

from memory.episodes.models import EpisodeAccess
from memory.episodes.selectors import list_episodes
from memory.episodes.types import OpenEpisode
from memory.selectors.pages import read_in_pages
from memory.types import UserRef


def export_episodes(user: UserRef) -> Iterator[dict[str, Any]]:
    """A line an episode, newest first, with its words, its layer and how often it was opened."""

    def read(last: OpenEpisode | None, limit: int) -> list[OpenEpisode]:
        before: tuple[datetime, UUID] | None = (last.ended_at, last.id) if last else None
        return list_episodes(user=user, before=before, limit=limit)

    for episode in read_in_pages(user, read):
        yield {"kind": "episode", **_describe(episode)}


def export_accesses(user: UserRef) -> Iterator[dict[str, Any]]:
    """On which days which episodes were opened."""

    def read(last: EpisodeAccess | None, limit: int) -> list[EpisodeAccess]:
        rows = EpisodeAccess.objects.filter(user_id=user.id)
        if last:
            rows = rows.extra(where=["(episode_id, day) > (%s, %s)"], params=[last.episode_id, last.day])
        return list(rows.order_by("episode_id", "day")[:limit])

    for row in read_in_pages(user, read):
        fields = {"episode_id": row.episode_id, "day": row.day.isoformat(), "accesses": row.accesses}
        yield {"kind": "episode_access", **fields, "last_at": row.last_at}


def _describe(episode: OpenEpisode) -> dict[str, Any]:
    return {
        "id": episode.id,
        "conversation_id": episode.conversation_id,
        "layer": episode.layer,
        "priority": episode.priority,
        "anchored_by": list(episode.anchored_by),
        "started_at": episode.started_at,
        "ended_at": episode.ended_at,
        "access_count": episode.access_count,
        "last_accessed_at": episode.last_accessed_at,
        "continues_from": episode.continues_from,
        "related_to": list(episode.related_to),
        "made_by": episode.made_by,
        "message_ids": list(episode.message_ids),
        "contents": to_builtins(episode.contents),
    }
