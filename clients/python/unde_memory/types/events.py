"""What happened, and who is told."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec


class Event(msgspec.Struct, frozen=True):
    """One thing that happened: ids and codes, no words."""

    id: str
    type: str
    user_id: str | None
    user_seq: int | None
    message_id: str | None
    data: dict[str, Any]
    recorded_at: datetime


class EventPage(msgspec.Struct, frozen=True):
    """A page of the feed. `next` is None only while the feed has no event."""

    results: list[Event]
    has_more: bool
    next: str | None = None


class Webhook(msgspec.Struct, frozen=True):
    """An address that events are sent to."""

    id: str
    url: str
    events: list[str]
    description: str
    state: str
    disabled_reason: str
    failing_since: datetime | None
    created_at: datetime
    updated_at: datetime


class WebhookMade(Webhook, frozen=True):
    """A webhook after a PUT."""

    secret: str | None = None


class WebhookSecret(msgspec.Struct, frozen=True):
    """A new secret."""

    secret: str
    former_until: datetime


class Delivery(msgspec.Struct, frozen=True):
    """One event on its way to one webhook."""

    id: str
    event_id: str
    type: str
    state: str
    attempts: int
    status: int | None
    error: str
    duration_ms: int | None
    next_attempt_at: datetime | None
    created_at: datetime
    finished_at: datetime | None


class QueuedDelivery(msgspec.Struct, frozen=True):
    """A delivery that goes out within seconds."""

    delivery_id: str
