"""What is said of events and webhooks over the API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import PageQuery, RequestBody
from config.api.describing import MessageId, NextCursor, about, one_of
from memory.outbox.types import EVENT_TYPES

STATES = ("waiting", "delivered", "failed")
EventTypes = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=40)]],
    Meta(min_length=1, max_length=50, description="Types, families such as `fact.*`, or `*` for all."),
]
WebhookId = Annotated[str, about("Your id of the webhook.")]


class WebhookBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where events go, and which."""

    url: Annotated[
        str,
        Meta(min_length=1, max_length=2000, description="`https://` and a host of the public internet. No redirects."),
    ]
    events: EventTypes
    description: Annotated[str, Meta(max_length=200, description="For people, in the console.")] = ""


class WebhookView(msgspec.Struct, frozen=True, kw_only=True):
    """A webhook."""

    id: WebhookId
    url: Annotated[str, about("Where events go.")]
    events: Annotated[list[str], about("Which types go there.")]
    description: Annotated[str, about("For people.")]
    state: Annotated[str, one_of(("active", "disabled"), "A disabled webhook is sent nothing until it is put again.")]
    disabled_reason: Annotated[
        str,
        one_of(
            ("", "gone", "failing", "by_hand"),
            "`gone`: the receiver answered 410. `failing`: nothing could be delivered for days.",
        ),
    ]
    failing_since: Annotated[datetime | None, about("Since when no delivery succeeded; null while they do.")]
    created_at: Annotated[datetime, about("When it was made.")]
    updated_at: Annotated[datetime, about("When it was last changed.")]


class WebhookMade(WebhookView, frozen=True, kw_only=True):
    """A webhook as it is after a PUT."""

    secret: Annotated[
        str | None,
        about("`whsec_` and base64: what signatures are checked with. Shown once, when the webhook is made."),
    ] = None


class WebhookSecret(msgspec.Struct, frozen=True, kw_only=True):
    """A new secret."""

    secret: Annotated[str, about("The new secret. It is not shown again.")]
    former_until: Annotated[
        datetime, about("Until then every delivery has two signatures, one made with the former secret.")
    ]


class WebhookPage(msgspec.Struct, frozen=True):
    """A page of webhooks."""

    results: Annotated[list[WebhookView], about("Webhooks by id.")]
    next: NextCursor = None


class DeliveryQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which deliveries."""

    state: Annotated[Literal["waiting", "delivered", "failed"] | None, about("Only those in this state.")] = None


class DeliveryView(msgspec.Struct, frozen=True, kw_only=True):
    """One event on its way to one webhook."""

    id: Annotated[UUID, about("Our id of the delivery.")]
    event_id: Annotated[UUID, about("Our id of the event: the header `webhook-id`, the same for every attempt.")]
    type: Annotated[str, one_of(tuple(EVENT_TYPES), "Type of the event.")]
    state: Annotated[str, one_of(STATES, "`failed`: no attempt is left. It can be replayed.")]
    attempts: Annotated[int, about("How often it was sent.")]
    status: Annotated[int | None, about("HTTP status of the last answer; null when there was none.")]
    error: Annotated[
        str,
        about(
            "Why the last attempt failed: `refused`, `redirected`, `timeout`, `connection_failed`, `address_refused`. "
            "Empty when it did not."
        ),
    ]
    duration_ms: Annotated[int | None, about("How long the last attempt took.")]
    next_attempt_at: Annotated[datetime | None, about("When it is sent (again); null when it is over.")]
    created_at: Annotated[datetime, about("When it was queued.")]
    finished_at: Annotated[datetime | None, about("When it was delivered or given up.")]


class DeliveryPage(msgspec.Struct, frozen=True):
    """A page of the delivery log."""

    results: Annotated[list[DeliveryView], about("Deliveries, newest first.")]
    next: NextCursor = None


class DeliveryQueued(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery that goes out within seconds."""

    delivery_id: Annotated[UUID, about("Our id of the delivery.")]


class EventAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened. Ids and codes only, no words."""

    id: Annotated[UUID, about("Our id of the event.")]
    type: Annotated[str, one_of(tuple(EVENT_TYPES), "What happened.")]
    user_id: Annotated[str | None, about("Your id of the user; null where the event is of no user.")]
    user_seq: Annotated[int | None, about("Counts the user's events from 1 without a gap.")]
    message_id: MessageId | None
    data: Annotated[dict[str, Any], about("Ids and codes that the type is about, e.g. `fact_id`.")]
    recorded_at: Annotated[datetime, about("When it was written.")]


class EventPage(msgspec.Struct, frozen=True):
    """A page of the feed."""

    results: Annotated[list[EventAnswer], about("Events in the order of the feed, oldest first.")]
    has_more: Annotated[bool, about("Whether more are there already.")]
    next: Annotated[
        str | None,
        about("Keep it: the next call with it as `after` goes on here. Null while the feed has no event."),
    ] = None
