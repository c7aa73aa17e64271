"""Writing events, and giving them their place in the feed (D-55)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec.json import encode

from memory.database.statements import execute, fetch_row, fetch_rows
from memory.outbox.types import EVENT_TYPES
from memory.tenants.scope import tenant_scope
from memory.types import UserRef


def record_event(event_type: str, *, tenant_id: UUID, data: Mapping[str, Any], user: UserRef | None = None) -> None:
    """Write an event in the caller's transaction, in a scope of the tenant; with `user`, under the user's lock.

    `data` holds ids, codes and numbers, no words. What changes facts needs no call: the action log tells of itself.
    Raises ValueError for an unknown type.
    """
    if event_type not in EVENT_TYPES:
        raise ValueError(f"no event type: {event_type}")
    events = encode([{"type": event_type, "message_id": None, "data": data}]).decode()
    execute("SELECT record_events_v1(%s, %s, %s::jsonb)", [tenant_id, user.id if user else None, events])


def number_events(*, tenant_id: UUID, limit: int) -> int:
    """Give at most `limit` new events their place in the tenant's feed and queue their deliveries; how many. Writes.

    One caller at a time for a tenant, and only of what is committed: a reader who has seen a number has seen all lower
    ones.
    """
    with tenant_scope(tenant_id):
        return int(fetch_row("SELECT number_events_v1(%s, %s)", [tenant_id, limit])[0])


def list_tenants_with_new_events(*, limit: int) -> list[UUID]:
    """Tenants whose newest events have no place in the feed yet. For workers."""
    return [row[0] for row in fetch_rows("SELECT list_tenants_with_new_events_v1(%s)", [limit])]


def drop_events(*, older_than: datetime, limit: int) -> int:
    """Delete at most `limit` events from before a moment, with their deliveries; how many. For workers."""
    return int(fetch_row("SELECT drop_events_v1(%s, %s)", [older_than, limit])[0])
