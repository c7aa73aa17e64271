"""Deliveries from their claim to their outcome. Sending itself is `config/webhooks`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings

from memory.database.claims import claim_rows
from memory.errors import Conflict, NotFound
from memory.ids import new_id
from memory.outbox.models import Event, WebhookDelivery, WebhookEndpoint
from memory.outbox.retries import find_next_attempt
from memory.outbox.selectors import EventView, get_endpoint, name_users
from memory.outbox.services.endpoints import list_secrets
from memory.tenants.scope import tenant_scope

GONE = 410


class EndpointDisabled(Conflict):
    """A disabled endpoint is sent nothing."""

    code = "webhook_disabled"
    default_message = "The webhook is disabled. Send it again with PUT to switch it on."


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """What a sender needs. Nothing of it is written to a log."""

    tenant_id: UUID
    delivery_id: UUID
    event: EventView
    url: str
    secrets: list[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt went. `error` is a code; empty when the receiver answered with 2xx."""

    status: int | None
    error: str
    duration_ms: int
    retry_after: timedelta | None = None


def claim_deliveries(*, now: datetime, limit: int) -> list[ClaimedDelivery]:
    """Take due deliveries of any tenant for the length of a lease; commits before anything is sent. For workers."""
    until = now + timedelta(seconds=settings.UNDE_TUNING.WEBHOOK_LEASE_SECONDS)
    claimed = claim_rows("claim_deliveries_v2", now=now, until=until, limit=limit)
    found = [_load(tenant_id, delivery_id, now) for tenant_id, delivery_id in claimed]
    return [each for each in found if each is not None]


def _load(tenant_id: UUID, delivery_id: UUID, now: datetime) -> ClaimedDelivery | None:
    """None where an erasure or a deletion took it between claim and read."""
    with tenant_scope(tenant_id):
        delivery = WebhookDelivery.objects.filter(tenant_id=tenant_id, id=delivery_id).first()
        if delivery is None:
            return None
        endpoint = WebhookEndpoint.objects.get(tenant_id=tenant_id, id=delivery.endpoint_id)
        event = Event.objects.get(tenant_id=tenant_id, id=delivery.event_id)
        view = name_users([event])[0]
    return ClaimedDelivery(tenant_id, delivery_id, view, endpoint.url, list_secrets(endpoint, now=now))


def record_outcome(*, tenant_id: UUID, delivery_id: UUID, outcome: Outcome, now: datetime) -> str:
    """Note how an attempt went and when the next one is; the state of the delivery then. Writes.

    410 disables the endpoint at once; one to which nothing could be delivered for days is disabled too.
    """
    with tenant_scope(tenant_id):
        row = WebhookDelivery.objects.select_for_update().filter(tenant_id=tenant_id, id=delivery_id).first()
        if row is None or row.state != "waiting":
            return row.state if row else "gone"
        row.status, row.error, row.duration_ms, row.claimed_until = (
            outcome.status, outcome.error, outcome.duration_ms, None,
        )  # fmt: skip
        if not outcome.error:
            row.state, row.finished_at = "delivered", now
        else:
            _postpone(row, outcome, now)
        row.save()
        _note_health(row, outcome, now)
    return row.state


def _postpone(row: WebhookDelivery, outcome: Outcome, now: datetime) -> None:
    next_at = find_next_attempt(
        attempts=row.attempts,
        now=now,
        waits=settings.UNDE_TUNING.WEBHOOK_RETRY_WAITS,
        jitter=settings.UNDE_TUNING.WEBHOOK_RETRY_JITTER,
        draw=random.random,
        retry_after=outcome.retry_after,
    )
    if next_at is None or outcome.status == GONE:
        row.state, row.finished_at = "failed", now
    else:
        row.available_at = next_at


def _note_health(row: WebhookDelivery, outcome: Outcome, now: datetime) -> None:
    endpoints = WebhookEndpoint.objects.filter(tenant_id=row.tenant_id, id=row.endpoint_id, disabled_at=None)
    if not outcome.error:
        endpoints.exclude(failing_since=None).update(failing_since=None)
        return
    endpoints.filter(failing_since=None).update(failing_since=now)
    if outcome.status == GONE:
        endpoints.update(disabled_at=now, disabled_reason="gone", updated_at=now)
        return
    limit = now - timedelta(days=settings.UNDE_TUNING.WEBHOOK_FAILING_DAYS)
    endpoints.filter(failing_since__lte=limit).update(disabled_at=now, disabled_reason="failing", updated_at=now)


def replay_delivery(*, tenant_id: UUID, external_id: str, delivery_id: UUID, now: datetime) -> None:
    """Send one again, whatever came of it, with all its attempts before it. Writes.

    Raises NotFound, EndpointDisabled.
    """
    with tenant_scope(tenant_id):
        endpoint = _get_enabled(tenant_id, external_id)
        replayed = WebhookDelivery.objects.filter(tenant_id=tenant_id, endpoint_id=endpoint.id, id=delivery_id).update(
            state="waiting", attempts=0, available_at=now, claimed_until=None, finished_at=None
        )
    if not replayed:
        raise NotFound("There is no such delivery.")


def send_test(*, tenant_id: UUID, external_id: str, now: datetime, event_id: UUID | None = None) -> UUID:
    """Queue a `webhook.test` to this endpoint alone; the id of the delivery. Writes.

    An `event_id` that was sent already is not sent again. Raises NotFound, EndpointDisabled.
    """
    with tenant_scope(tenant_id):
        endpoint = _get_enabled(tenant_id, external_id)
        if event_id is not None:
            # Two requests with one id come one after the other.
            WebhookEndpoint.objects.select_for_update().get(tenant_id=tenant_id, id=endpoint.id)
            rows = WebhookDelivery.objects.filter(tenant_id=tenant_id, endpoint_id=endpoint.id, event_id=event_id)
            if sent := rows.first():
                return sent.id
        delivery = WebhookDelivery(
            id=new_id(),
            tenant_id=tenant_id,
            endpoint_id=endpoint.id,
            event_id=_enter_test(tenant_id, event_id, now),
            available_at=now,
            created_at=now,
        )
        delivery.save(force_insert=True)
    return delivery.id


def _enter_test(tenant_id: UUID, event_id: UUID | None, now: datetime) -> UUID:
    """The event of a test; one that went to an endpoint of the same name that was deleted is there already."""
    if event_id is not None and Event.objects.filter(tenant_id=tenant_id, id=event_id).exists():
        return event_id
    event = Event(id=event_id or new_id(), tenant_id=tenant_id, type="webhook.test", data={}, recorded_at=now)
    event.save(force_insert=True)
    return event.id


def _get_enabled(tenant_id: UUID, external_id: str) -> WebhookEndpoint:
    endpoint = get_endpoint(tenant_id=tenant_id, external_id=external_id)
    if endpoint.disabled_at is not None:
        raise EndpointDisabled
    return endpoint
