"""Reads of events, endpoints and deliveries. Call them in a scope of the tenant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Min

from memory.database.statements import fetch_row
from memory.errors import CodedError, NotFound
from memory.models import User
from memory.outbox.models import Event, EventCounter, WebhookDelivery, WebhookEndpoint
from memory.selectors.pages import read_in_pages
from memory.types import UserRef


class EventsExpired(CodedError):
    """Events after this place were deleted by age: the reader has to read the present state anew."""

    code = "events_expired"
    status = 410
    default_message = "Events after this cursor are no longer kept. Read the present state, then start without `after`."


@dataclass(frozen=True, slots=True)
class EventView:
    """An event with the tenant's own id of its user. `user_id` is None where there is none any more."""

    event: Event
    user_id: str | None


def list_events(*, tenant_id: UUID, after: int, limit: int) -> list[EventView]:
    """Events of the feed after a number, oldest first. Index: a_number_of_the_feed_is_given_once.

    Raises EventsExpired when some of them are gone.
    """
    rows = list(Event.objects.filter(tenant_id=tenant_id, number__gt=after).order_by("number")[:limit])
    if after and (rows[0].number if rows else get_last_number(tenant_id=tenant_id) + 1) != after + 1:
        _refuse_if_dropped(tenant_id, after)
    return name_users(rows)


def get_last_number(*, tenant_id: UUID) -> int:
    """The newest number of the tenant's feed; 0 before the first event."""
    row = EventCounter.objects.filter(tenant_id=tenant_id, owner_id=tenant_id).first()
    return row.last_number if row else 0


def _refuse_if_dropped(tenant_id: UUID, after: int) -> None:
    """A number is missing after an erasure too, and rightly so. Events dropped by age are missing at the front."""
    kept = Event.objects.filter(tenant_id=tenant_id).aggregate(first=Min("number"))["first"]
    if kept is None or kept > after + 1:
        raise EventsExpired(fields={"after": "is older than what is kept"})


def name_users(events: Sequence[Event]) -> list[EventView]:
    """Events with their users' external ids, in one query."""
    names = dict(
        User.objects.filter(id__in={event.user_id for event in events if event.user_id}).values_list(
            "id", "external_id"
        )
    )
    return [EventView(event, names.get(event.user_id) if event.user_id else None) for event in events]


def get_endpoint(*, tenant_id: UUID, external_id: str) -> WebhookEndpoint:
    """The endpoint of that id. Raises NotFound."""
    row = WebhookEndpoint.objects.filter(tenant_id=tenant_id, external_id=external_id).first()
    if row is None:
        raise NotFound("There is no such webhook.")
    return row


def list_endpoints(*, tenant_id: UUID, after: str | None, limit: int) -> list[WebhookEndpoint]:
    """Endpoints by their ids. Index: an_endpoint_id_is_unique_in_its_tenant."""
    rows = WebhookEndpoint.objects.filter(tenant_id=tenant_id)
    if after is not None:
        rows = rows.filter(external_id__gt=after)
    return list(rows.order_by("external_id")[:limit])


@dataclass(frozen=True, slots=True)
class DeliveryView:
    """A delivery with the type and number of its event."""

    delivery: WebhookDelivery
    event: Event


def list_deliveries(
    *, endpoint: WebhookEndpoint, before: UUID | None, limit: int, state: str | None = None
) -> list[DeliveryView]:
    """The delivery log of an endpoint, newest first. Index: deliveries_of_an_endpoint."""
    rows = WebhookDelivery.objects.filter(tenant_id=endpoint.tenant_id, endpoint_id=endpoint.id)
    if before is not None:
        rows = rows.filter(id__lt=before)
    if state is not None:
        rows = rows.filter(state=state)
    deliveries = list(rows.order_by("-id")[:limit])
    events = {
        event.id: event
        for event in Event.objects.filter(tenant_id=endpoint.tenant_id, id__in=[each.event_id for each in deliveries])
    }
    return [DeliveryView(each, events[each.event_id]) for each in deliveries]


def count_waiting_deliveries() -> int:
    """Deliveries of all tenants that wait for their first or next attempt. For probes."""
    return int(fetch_row("SELECT count_waiting_deliveries_v1()")[0])


def export_events(user: UserRef) -> Iterator[dict[str, Any]]:
    """The user's events, oldest first: what other systems were told (SPEC M-7)."""

    def read(last: Event | None, limit: int) -> list[Event]:
        rows = Event.objects.filter(user_id=user.id, user_seq__gt=last.user_seq if last else 0)
        return list(rows.order_by("user_seq")[:limit])

    for event in read_in_pages(user, read):
        yield {
            "kind": "event",
            "id": event.id,
            "type": event.type,
            "user_seq": event.user_seq,
            "message_id": event.message_id,
            "data": event.data,
            "recorded_at": event.recorded_at,
        }
