"""Calls about episodes: blocks of conversations about one topic."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from unde_memory.sync_sending import Sending
from unde_memory.transport import (
    UNSET,
    UnsetType,
    fill,
    once,
    operation,
)
from unde_memory.types import (
    Close,
    Episode,
    Page,
    UnpackedEpisode,
)


class EpisodesCalls(Sending):
    """Calls about episodes."""

    @operation("GET /v1/users/{user_id}/episodes")
    def list_episodes(
        self,
        user_id: str,
        *,
        after: str | UnsetType | None = UNSET,
        conversation_id: str | UnsetType | None = UNSET,
        from_: datetime | UnsetType | None = UNSET,
        layer: Literal["hot", "warm", "cold"] | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
        to: datetime | UnsetType | None = UNSET,
    ) -> Page[Episode]:
        """A user's episodes, newest first."""
        return self.request(
            "GET",
            fill("/v1/users/{user_id}/episodes", user_id=user_id),
            Page[Episode],
            query={
                "after": after,
                "conversation_id": conversation_id,
                "from": from_,
                "layer": layer,
                "limit": limit,
                "to": to,
            },
        )

    @operation("POST /v1/users/{user_id}/episodes/close")
    def close_episodes(
        self, user_id: str, *, conversation_id: str | UnsetType | None = UNSET, idempotency_key: str | None = None
    ) -> Close:
        """End the running sessions of a user and cut them into episodes now."""
        return self.request(
            "POST",
            fill("/v1/users/{user_id}/episodes/close", user_id=user_id),
            Close,
            body={"conversation_id": conversation_id},
            headers=once(idempotency_key),
        )

    @operation("GET /v1/episodes/{episode_id}")
    def get_episode(self, episode_id: str) -> Episode:
        """One episode."""
        return self.request("GET", fill("/v1/episodes/{episode_id}", episode_id=episode_id), Episode)

    @operation("POST /v1/episodes/{episode_id}/anchor")
    def anchor_episode(self, episode_id: str, *, is_anchor: bool, idempotency_key: str | None = None) -> Episode:
        """Keep an episode, or keep it no longer."""
        return self.request(
            "POST",
            fill("/v1/episodes/{episode_id}/anchor", episode_id=episode_id),
            Episode,
            body={"is_anchor": is_anchor},
            headers=once(idempotency_key),
        )

    @operation("POST /v1/episodes/{episode_id}/unpack")
    def unpack_episode(self, episode_id: str) -> UnpackedEpisode:
        """An episode with everything that was said in it; the access is noted."""
        return self.request(
            "POST", fill("/v1/episodes/{episode_id}/unpack", episode_id=episode_id), UnpackedEpisode
        )
