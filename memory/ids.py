"""Ids made by the service: UUIDv7, ordered by time, so that no table needs a sequence."""

from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7


def new_id() -> UUID:
    """A new UUIDv7. Later ids sort after earlier ones within a process."""
    return uuid7()


def get_first_id(moment: datetime) -> UUID:
    """The smallest UUIDv7 of a moment: ids made from then on are not below it."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)
