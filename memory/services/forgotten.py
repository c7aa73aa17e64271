"""The end of the grace period: what was forgotten becomes an erasure of those messages (D-28)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from memory.erasure.requests import request_erasure_of_forgotten
from memory.fence.user_lock import lock_user
from memory.models import ForgetBatch, ForgetItem
from memory.tenants.scope import tenant_scope
from memory.types import UserRef


def finish_forget(*, user: UserRef, batch_id: UUID, now: datetime) -> int:
    """Ask for the erasure of the messages of a forget; returns how many. From now on it can't be undone. Writes.

    May be repeated: a forget that is not done and overdue is left alone. Raises UserErased, UserBusy.
    """
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        batch = ForgetBatch.objects.filter(user_id=user.id, id=batch_id, status="done", grace_until__lte=now).first()
        if batch is None:
            return 0
        items = ForgetItem.objects.filter(user_id=user.id, batch_id=batch_id, part="message")
        message_ids = list(items.values_list("message_id", flat=True))
        if message_ids:
            request_erasure_of_forgotten(user=user, message_ids=message_ids, now=now)
        ForgetBatch.objects.filter(user_id=user.id, id=batch_id).update(status="finished")
    return len(message_ids)
