"""A person pauses their memory and goes on: nothing of it is used meanwhile (D-38)."""

from __future__ import annotations

from datetime import datetime

from memory.errors import MemoryPaused
from memory.fence.user_lock import lock_user
from memory.models import User
from memory.outbox.services.events import record_event
from memory.tenants.scope import tenant_scope
from memory.types import UserRef


def pause_memory(*, user: UserRef, keeps_messages: bool, now: datetime) -> datetime:
    """From now on packs and searches are empty; since when. Without `keeps_messages` new messages are refused.

    A pause that is on already stays as it is. Raises UserBusy, UserErased. Writes.
    """
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        changed = User.objects.filter(id=user.id, paused_at=None).update(paused_at=now, pause_keeps=keeps_messages)
        if changed:
            data = {"keeps_messages": keeps_messages}
            record_event("memory.paused", tenant_id=user.tenant_id, user=user, data=data)
        return User.objects.values_list("paused_at", flat=True).get(id=user.id) or now


def resume_memory(*, user: UserRef) -> None:
    """End the pause, if there is one. Raises UserBusy, UserErased. Writes."""
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        if User.objects.filter(id=user.id).exclude(paused_at=None).update(paused_at=None, pause_keeps=False):
            record_event("memory.resumed", tenant_id=user.tenant_id, user=user, data={})


def refuse_if_paused(*, user: UserRef) -> None:
    """Raise MemoryPaused where the user has paused and nothing new is kept. In a tenant scope, under the lock."""
    if User.objects.filter(id=user.id, pause_keeps=False).exclude(paused_at=None).exists():
        raise MemoryPaused(fields={"user_id": "has paused their memory"})
