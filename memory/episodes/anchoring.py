"""What people ask of episodes: that one be kept, that a running session be closed. Each is an action (D-44)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from memory.episodes.cutting import cut_user
from memory.episodes.models import Episode
from memory.episodes.selectors import get_episode
from memory.episodes.types import OpenEpisode
from memory.facts.writing import load_ledger, save_ledger
from memory.fence.user_lock import lock_user
from memory.models import Conversation
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_staff_act
from memory.types import UserRef


def set_anchor(*, user: UserRef, episode_id: UUID, is_anchor: bool, actor: str, now: datetime) -> OpenEpisode:
    """Ask that an episode be kept, or be kept no longer; its layer changes at night. Writes an action.

    Raises EpisodeNotFound, UserBusy, UserErased.
    """
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        episode = get_episode(user=user, episode_id=episode_id)
        if is_anchor != ("kept" in episode.anchored_by):
            detail = {"message_ids": [str(each) for each in episode.message_ids], "is_anchor": is_anchor}
            _write_action(user, "anchor", {"episode_id": str(episode_id), **detail}, actor=actor, now=now)
            Episode.objects.filter(user_id=user.id, id=episode_id).update(is_kept=is_anchor, layered_at=None)
            record_staff_act(
                tenant_id=user.tenant_id,
                actor=actor,
                action="episode.keep" if is_anchor else "episode.release",
                now=now,
                object_type="episode",
                object_ids=[episode_id],
            )
        return get_episode(user=user, episode_id=episode_id)


def close_sessions(*, user: UserRef, conversation_id: UUID | None, actor: str, now: datetime) -> int:
    """End the running sessions of a user, or that of one conversation, and cut them now; how many episodes that gave.

    What is said afterwards begins a session of its own. Writes an action where something was running.
    Raises UserBusy, UserErased.
    """
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        rows = Conversation.objects.filter(user_id=user.id, cut_due_at__isnull=False)
        if conversation_id:
            rows = rows.filter(id=conversation_id)
        running = [str(each) for each in rows.order_by("id").values_list("id", flat=True)]
        if not running:
            return 0
        _write_action(user, "close", {"conversation_ids": running}, actor=actor, now=now)
        return cut_user(user=user, now=now, conversation_id=conversation_id, closes_open=True)


def _write_action(user: UserRef, kind: str, detail: dict[str, object], *, actor: str, now: datetime) -> None:
    ledger = load_ledger(user=user, now=now, has_facts=False)
    ledger.open_action(kind=kind, said_at=now).detail = detail
    save_ledger(ledger, user=user, actor=actor, now=now)
