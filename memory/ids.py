"""Ids made by the service: UUIDv7, ordered by time, so that no table needs a sequence (STORAGE section 8, rule 2)."""

from uuid import UUID

from uuid_utils.compat import uuid7


def new_id() -> UUID:
    """A new UUIDv7. Later ids sort after earlier ones within a process."""
    return uuid7()
