"""All that one client told goes at once, and can come back (SPEC G-1, D-39)."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings

from memory.fence.user_lock import lock_user
from memory.selectors.sources import list_messages_of_source
from memory.services.forgets import ForgetOutcome, forget_messages
from memory.tenants.scope import tenant_scope
from memory.types import UserRef


def forget_source(
    *, user: UserRef, via: str, client: str, actor: str, now: datetime, reason: str | None = None
) -> list[ForgetOutcome]:
    """Forget every message of a client: all or none, in as many forgets as it takes. Raises UserBusy. Writes."""
    outcomes = []
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        ids = list_messages_of_source(user=user, via=via, client=client)
        for start in range(0, len(ids), settings.UNDE_TUNING.MAX_FORGET_MESSAGES):
            part = ids[start : start + settings.UNDE_TUNING.MAX_FORGET_MESSAGES]
            outcomes.append(forget_messages(user=user, message_ids=part, actor=actor, now=now, reason=reason))
    return outcomes
