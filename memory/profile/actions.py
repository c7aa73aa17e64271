"""What was done to one user's memory: the action log, a page at a time."""

from __future__ import annotations

from memory.models import Action
from memory.types import UserRef


def list_actions(*, user: UserRef, before: int | None, limit: int) -> list[Action]:
    """At most `limit` actions before a position of the log, newest first."""
    rows = Action.objects.filter(user_id=user.id).defer("sealed").order_by("-position")
    return list((rows.filter(position__lt=before) if before else rows)[:limit])
