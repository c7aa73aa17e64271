"""Episodes, read and opened. In a tenant scope."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from memory.database.statements import fetch_row, fetch_rows
from memory.episodes.models import Episode
from memory.episodes.storing import open_contents
from memory.episodes.types import OpenEpisode
from memory.errors import NotFound
from memory.sealing.vault import UserVault
from memory.selectors.messages import list_messages_by_id
from memory.types import RecordedMessage, UserRef


class EpisodeNotFound(NotFound):
    """The tenant has no such episode, or a later cut has taken its place."""

    code = "episode_not_found"
    default_message = "This episode does not exist."


def list_episodes(
    *,
    user: UserRef,
    layer: str | None = None,
    conversation_id: UUID | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    before: tuple[datetime, UUID] | None = None,
    limit: int,
) -> list[OpenEpisode]:
    """A user's episodes, newest first. `since` and `until`: those that reach into the time between, both included.

    `before` is the end and the id of the last episode of the page before.
    """
    rows = Episode.objects.filter(user_id=user.id)
    wanted = {"layer": layer, "conversation_id": conversation_id, "ended_at__gte": since, "started_at__lte": until}
    rows = rows.filter(**{name: value for name, value in wanted.items() if value is not None})
    if before:
        rows = rows.extra(where=["(ended_at, id) < (%s, %s)"], params=list(before))
    return open_episodes(user=user, rows=rows.order_by("-ended_at", "-id")[:limit])


def get_episode(*, user: UserRef, episode_id: UUID) -> OpenEpisode:
    """One episode of the user. Raises EpisodeNotFound."""
    found = open_episodes(user=user, rows=Episode.objects.filter(user_id=user.id, id=episode_id))
    if not found:
        raise EpisodeNotFound(fields={"episode_id": "unknown"})
    return found[0]


def get_episode_owner(*, tenant_id: UUID, episode_id: UUID) -> UserRef:
    """Whose episode it is. Raises EpisodeNotFound."""
    row = fetch_row(
        "SELECT e.user_id, u.external_id FROM episode e JOIN memory_user u ON u.id = e.user_id"
        " WHERE e.id = %s AND e.tenant_id = %s AND u.fenced_at IS NULL",
        [episode_id, tenant_id],
    )
    if row is None:
        raise EpisodeNotFound(fields={"episode_id": "unknown"})
    return UserRef(id=row[0], tenant_id=tenant_id, external_id=row[1])


def list_episode_messages(*, user: UserRef, episode: OpenEpisode) -> list[RecordedMessage]:
    """What was said in an episode, in order."""
    found = list_messages_by_id(user=user, message_ids=episode.message_ids)
    return [found[message_id] for message_id in episode.message_ids if message_id in found]


def open_episodes(*, user: UserRef, rows: QuerySet[Episode] | Sequence[Episode]) -> list[OpenEpisode]:
    """Rows with their words and messages, in their order. Links to episodes that are gone are left out."""
    found = list(rows)
    messages = list_message_ids(user=user, episode_ids=[row.id for row in found])
    linked = {each for row in found for each in (*row.related_to, row.continues_from) if each}
    there = (
        set(Episode.objects.filter(user_id=user.id, id__in=linked).values_list("id", flat=True)) if linked else set()
    )
    opened = open_contents([row.sealed for row in found], UserVault(user_id=user.id))
    return [
        OpenEpisode(
            id=row.id,
            user_id=row.user_id,
            conversation_id=row.conversation_id,
            layer=row.layer,
            priority=row.priority,
            parts=tuple(row.parts),
            anchored_by=(*(["kept"] if row.is_kept else []), *row.anchored_by),
            started_at=row.started_at,
            ended_at=row.ended_at,
            access_count=row.access_count,
            last_accessed_at=row.last_accessed_at,
            continues_from=row.continues_from if row.continues_from in there else None,
            related_to=tuple(each for each in row.related_to if each in there),
            made_by=row.made_by,
            message_ids=tuple(messages.get(row.id, ())),
            contents=contents,
        )
        for row, contents in zip(found, opened, strict=True)
    ]


def list_message_ids(*, user: UserRef, episode_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """The messages of episodes, in order."""
    if not episode_ids:
        return {}
    return dict(
        fetch_rows(
            "SELECT episode_id, array_agg(message_id ORDER BY place) FROM episode_message"
            " WHERE user_id = %s AND episode_id = ANY(%s) GROUP BY episode_id",
            [user.id, list(episode_ids)],
        )
    )
