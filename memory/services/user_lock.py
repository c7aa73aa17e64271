"""The one lock: taken first by every writer of a user's facts, index or fence (D-6)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import OperationalError, connection
from psycopg.errors import LockNotAvailable

from memory.errors import UserBusy, UserErased
from memory.ids import new_id
from memory.types import UserRef


def enter_user(*, tenant_id: UUID, external_id: str, now: datetime) -> UserRef:
    """Find or make the user and take its lock until the transaction ends. Writes.

    Raises UserBusy when another writer holds it for over two seconds, UserErased when the fence is up.
    """
    with connection.cursor() as cursor:
        try:
            cursor.execute(
                "SELECT user_id, fenced_at FROM enter_user_v1(%s, %s::varchar, %s, %s)",
                [tenant_id, external_id, new_id(), now],
            )
        except OperationalError as error:
            raise_if_busy(error)
            raise
        user_id, fenced_at = cursor.fetchone()
    if fenced_at is not None:
        raise UserErased(fields={"user_id": "is being erased"})
    return UserRef(id=user_id, tenant_id=tenant_id, external_id=external_id)


def lock_user(*, user: UserRef) -> None:
    """Take the lock of a user that exists. Raises UserBusy, UserErased."""
    with connection.cursor() as cursor:
        try:
            cursor.execute("SELECT lock_user_v1(%s)", [user.id])
        except OperationalError as error:
            raise_if_busy(error)
            raise
        cursor.execute("SELECT fenced_at FROM memory_user WHERE id = %s", [user.id])
        row = cursor.fetchone()
    if row is None or row[0] is not None:
        raise UserErased(fields={"user_id": "is being erased"})


def raise_if_busy(error: OperationalError) -> None:
    """Turn a lock timeout into the coded error; any other failure of the database is left to bubble up."""
    if isinstance(error.__cause__, LockNotAvailable):
        raise UserBusy from None
