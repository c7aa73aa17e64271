"""Events: the feed to pull, and the webhooks that push it."""

from __future__ import annotations

import hashlib
import ipaddress
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import PageQuery
from config.api.endpoints.answers import make_audit_actor
from config.api.endpoints.webhook_structs import (
    DeliveryPage,
    DeliveryQuery,
    DeliveryQueued,
    DeliveryView,
    EventAnswer,
    EventPage,
    WebhookBody,
    WebhookMade,
    WebhookPage,
    WebhookSecret,
    WebhookView,
)
from config.api.pagination import decode_cursor, encode_cursor
from config.api.repeats import make_own_id
from config.api.schema import describe
from config.api.views import ApiView
from config.webhooks.addresses import find_target
from memory.errors import InvalidRequest
from memory.outbox import selectors
from memory.outbox.models import WebhookEndpoint
from memory.outbox.services.deliveries import replay_delivery, send_test
from memory.outbox.services.endpoints import delete_endpoint, put_endpoint, rotate_secret
from memory.outbox.services.events import number_events
from memory.tenants.types import Scope

PATH = {"webhook": "Your id of the webhook: letters, digits and `._~-`, at most 128."}


def check_url(url: str) -> None:
    """Raise AddressRefused, or InvalidRequest where the host is not found: a slip shows at once, not in a log."""
    allowed = [ipaddress.ip_network(each) for each in settings.UNDE_WEBHOOK_NETWORKS]
    try:
        find_target(url, allowed=allowed)
    except (OSError, UnicodeError):
        raise InvalidRequest(fields={"url": "names a host that is not found"}) from None


class Events(ApiView):
    """`GET /v1/events`."""

    scopes = {"GET": Scope.EVENTS_READ}

    @describe(
        summary="What happened since a cursor, oldest first",
        description=(
            "The same events as webhooks deliver, to pull. Keep `next` and send it as `after`. No event is "
            "skipped and none comes twice. Events are kept for 30 days: a cursor from before that is answered "
            "with 410, and the present state has to be read anew."
        ),
        tag="events",
        query=PageQuery,
        answers={200: EventPage},
        errors=(410,),
    )
    def get(self, request: Request) -> Response:
        query, tenant_id = self.read_query(PageQuery), self.caller.tenant_id
        after = decode_cursor(query.after, int, kind="events", tenant_id=tenant_id) if query.after else 0
        # What the worker has not come to yet: a caller sees its own writes.
        number_events(tenant_id=tenant_id, limit=settings.UNDE_TUNING.WEBHOOK_BATCH)
        with self.in_tenant():
            rows = selectors.list_events(tenant_id=tenant_id, after=after, limit=query.limit + 1)
        shown = rows[: query.limit]
        position = shown[-1].event.number if shown else after or None
        return Response(
            EventPage(
                results=[_show_event(row) for row in shown],
                has_more=len(rows) > query.limit,
                next=encode_cursor(position, kind="events", tenant_id=tenant_id) if position else None,
            )
        )


class Webhooks(ApiView):
    """`GET /v1/webhooks`."""

    scopes = {"GET": Scope.WEBHOOKS_READ}

    @describe(
        summary="Webhooks by id",
        description="All webhooks of the tenant, without their secrets.",
        tag="events",
        query=PageQuery,
        answers={200: WebhookPage},
    )
    def get(self, request: Request) -> Response:
        query, tenant_id = self.read_query(PageQuery), self.caller.tenant_id
        after = self.read_after(query, "webhooks", str)
        with self.in_tenant():
            rows = selectors.list_endpoints(tenant_id=tenant_id, after=after, limit=query.limit + 1)
        return self.answer_page(query, "webhooks", rows, render=_show_endpoint, position_of=lambda row: row.external_id)


class WebhookDetail(ApiView):
    """`PUT` and `DELETE /v1/webhooks/{webhook}`."""

    scopes = {"PUT": Scope.WEBHOOKS_WRITE, "DELETE": Scope.WEBHOOKS_WRITE}

    @describe(
        summary="Make a webhook, change it, or switch a disabled one on again",
        description=(
            "Deliveries follow Standard Webhooks 1.0: headers `webhook-id`, `webhook-timestamp` and "
            "`webhook-signature`, which its libraries verify. The secret is in the answer that made the webhook "
            "and nowhere else."
        ),
        tag="events",
        body=WebhookBody,
        path=PATH,
        answers={201: WebhookMade, 200: WebhookMade},
        errors=(404, 409),
    )
    def put(self, request: Request, webhook: str) -> Response:
        body = self.read_body(WebhookBody)
        check_url(body.url)
        put = put_endpoint(
            tenant_id=self.caller.tenant_id,
            external_id=webhook,
            url=body.url,
            events=body.events,
            description=body.description,
            actor=make_audit_actor(self.caller),
            now=timezone.now(),
        )
        shown = WebhookMade(**_describe_endpoint(put.endpoint), secret=put.secret)
        return Response(shown, status=201 if put.secret else 200)

    @describe(
        summary="Delete a webhook with its delivery log",
        description="What waits is not sent any more.",
        tag="events",
        path=PATH,
        answers={204: None},
        errors=(404,),
    )
    def delete(self, request: Request, webhook: str) -> Response:
        delete_endpoint(
            tenant_id=self.caller.tenant_id,
            external_id=webhook,
            actor=make_audit_actor(self.caller),
            now=timezone.now(),
        )
        return Response(status=204)


class WebhookRotation(ApiView):
    """`POST /v1/webhooks/{webhook}/rotate`."""

    scopes = {"POST": Scope.WEBHOOKS_WRITE}

    @describe(
        summary="Make a new secret",
        description=(
            "For a day every delivery has two signatures, so that receivers change over without a gap. Send an "
            "`Idempotency-Key`: if the answer is lost, the same request gets the same secret."
        ),
        tag="events",
        path=PATH,
        answers={200: WebhookSecret},
        errors=(404,),
        is_named_by_key=True,
    )
    def post(self, request: Request, webhook: str) -> Response:
        own = make_own_id(request, tenant_id=self.caller.tenant_id, user=None)
        secret, until = rotate_secret(
            tenant_id=self.caller.tenant_id,
            external_id=webhook,
            actor=make_audit_actor(self.caller),
            now=timezone.now(),
            digest=hashlib.sha256(own.encode()).digest() if own else None,
        )
        return Response(WebhookSecret(secret=secret, former_until=until))


class WebhookTest(ApiView):
    """`POST /v1/webhooks/{webhook}/test`."""

    scopes = {"POST": Scope.WEBHOOKS_WRITE}

    @describe(
        summary="Send a `webhook.test` to this webhook",
        description="Watch it in the delivery log. It goes to this webhook alone and is not in the feed.",
        tag="events",
        path=PATH,
        answers={202: DeliveryQueued},
        errors=(404, 409),
        is_named_by_key=True,
    )
    def post(self, request: Request, webhook: str) -> Response:
        tenant_id = self.caller.tenant_id
        own = make_own_id(request, tenant_id=tenant_id, user=None)
        delivery_id = send_test(
            tenant_id=tenant_id, external_id=webhook, now=timezone.now(), event_id=UUID(own) if own else None
        )
        return Response(DeliveryQueued(delivery_id=delivery_id), status=202)


class WebhookDeliveries(ApiView):
    """`GET /v1/webhooks/{webhook}/deliveries`."""

    scopes = {"GET": Scope.WEBHOOKS_READ}

    @describe(
        summary="The delivery log of a webhook, newest first",
        description="Each event once, with the outcome of its last attempt.",
        tag="events",
        query=DeliveryQuery,
        path=PATH,
        answers={200: DeliveryPage},
        errors=(404,),
    )
    def get(self, request: Request, webhook: str) -> Response:
        query, tenant_id = self.read_query(DeliveryQuery), self.caller.tenant_id
        before = self.read_after(query, "deliveries", UUID)
        with self.in_tenant():
            endpoint = selectors.get_endpoint(tenant_id=tenant_id, external_id=webhook)
            rows = selectors.list_deliveries(endpoint=endpoint, before=before, limit=query.limit + 1, state=query.state)
        return self.answer_page(
            query, "deliveries", rows, render=_show_delivery, position_of=lambda row: row.delivery.id
        )


class WebhookReplay(ApiView):
    """`POST /v1/webhooks/{webhook}/deliveries/{id}/replay`."""

    scopes = {"POST": Scope.WEBHOOKS_WRITE}

    @describe(
        summary="Send a delivery again, whatever came of it",
        description="The same event id and the same body, with all attempts before it.",
        tag="events",
        path={**PATH, "delivery_id": "Our id of the delivery."},
        answers={202: DeliveryQueued},
        errors=(404, 409),
    )
    def post(self, request: Request, webhook: str, delivery_id: UUID) -> Response:
        replay_delivery(
            tenant_id=self.caller.tenant_id, external_id=webhook, delivery_id=delivery_id, now=timezone.now()
        )
        return Response(DeliveryQueued(delivery_id=delivery_id), status=202)


def _show_event(view: selectors.EventView) -> EventAnswer:
    event = view.event
    return EventAnswer(
        id=event.id,
        type=event.type,
        user_id=view.user_id,
        user_seq=event.user_seq,
        message_id=event.message_id,
        data=event.data,
        recorded_at=event.recorded_at,
    )


def _describe_endpoint(row: WebhookEndpoint) -> dict[str, Any]:
    return {
        "id": row.external_id,
        "url": row.url,
        "events": row.events,
        "description": row.description,
        "state": "disabled" if row.disabled_at else "active",
        "disabled_reason": row.disabled_reason,
        "failing_since": row.failing_since,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def _show_endpoint(row: WebhookEndpoint) -> WebhookView:
    return WebhookView(**_describe_endpoint(row))


def _show_delivery(view: selectors.DeliveryView) -> DeliveryView:
    row = view.delivery
    return DeliveryView(
        id=row.id,
        event_id=row.event_id,
        type=view.event.type,
        state=row.state,
        attempts=row.attempts,
        status=row.status,
        error=row.error,
        duration_ms=row.duration_ms,
        next_attempt_at=row.available_at if row.state == "waiting" else None,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )
