"""The one lock: taken first by every writer of a user's facts, index or fence (D-6)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memory.database.statements import busy_means, execute, fetch_row
from memory.errors import UserBusy, UserErased
from memory.fence.tombstones import list_tombstones, mark_user, refuse_erased
from memory.ids import new_id
from memory.types import Draft, UserRef


def enter_user(*, tenant_id: UUID, external_id: str, now: datetime, drafts: Sequence[Draft] = ()) -> UserRef:
    """Find or make the user and take its lock until the transaction ends. Writes.

    `drafts` are the messages about to be stored: they are held against tombstones where there are any (D-29), which
    costs nothing for a user without. Raises UserBusy if another writer has the lock for over two seconds, UserErased if
    the user is fenced, ErasedPeriod for messages of an erased period.
    """
    with busy_means(UserBusy):
        row = fetch_row(
            "SELECT user_id, fenced_at, has_tombstones, may_be_erased FROM enter_user_v2(%s, %s::varchar, %s, %s)",
            [tenant_id, external_id, new_id(), now],
        )
    if row is None:
        raise UserBusy
    user_id, fenced_at, has_tombstones, may_be_erased = row
    if fenced_at is not None:
        raise UserErased(fields={"user_id": "is being erased"})
    user = UserRef(id=user_id, tenant_id=tenant_id, external_id=external_id)
    if has_tombstones or may_be_erased:
        hold_against_tombstones(user, drafts, is_marked=has_tombstones)
    return user


def hold_against_tombstones(user: UserRef, drafts: Sequence[Draft], *, is_marked: bool) -> None:
    tombstones = list_tombstones(tenant_id=user.tenant_id, external_id=user.external_id)
    refuse_erased(user=user, tombstones=tombstones, drafts=drafts)
    if tombstones and not is_marked:
        mark_user(user)


def lock_user(*, user: UserRef) -> None:
    """Take the lock of a user that exists. Raises UserBusy, UserErased."""
    if not is_open_after_lock(user=user):
        raise UserErased(fields={"user_id": "is being erased"})


def is_open_after_lock(*, user: UserRef) -> bool:
    """Take the user's lock, and say whether the user is there without a fence. For the eraser. Raises UserBusy."""
    with busy_means(UserBusy):
        execute("SELECT lock_user_v1(%s)", [user.id])
    row = fetch_row("SELECT fenced_at FROM memory_user WHERE id = %s", [user.id])
    return row is not None and row[0] is None
