"""Calls about events: the feed, and webhooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from unde_memory.async_sending import AsyncSending
from unde_memory.transport import UNSET, UnsetType, fill, once, operation
from unde_memory.types import Delivery, EventPage, Page, QueuedDelivery, Webhook, WebhookMade, WebhookSecret


class AsyncEventsCalls(AsyncSending):
    """Calls about events."""

    @operation("GET /v1/events")
    async def list_events(self, *, after: str | UnsetType | None = UNSET, limit: int | UnsetType = UNSET) -> EventPage:
        """What happened since a cursor, oldest first. Keep `next` of the answer for the next call."""
        return await self.request("GET", "/v1/events", EventPage, query={"after": after, "limit": limit})

    @operation("GET /v1/webhooks")
    async def list_webhooks(
        self, *, after: str | UnsetType | None = UNSET, limit: int | UnsetType = UNSET
    ) -> Page[Webhook]:
        """Webhooks by id."""
        return await self.request("GET", "/v1/webhooks", Page[Webhook], query={"after": after, "limit": limit})

    @operation("PUT /v1/webhooks/{webhook}")
    async def put_webhook(
        self, webhook: str, *, url: str, events: Sequence[str], description: str | UnsetType = UNSET
    ) -> WebhookMade:
        """Make a webhook, change it, or enable it again. `secret` is there when it is new."""
        return await self.request(
            "PUT",
            fill("/v1/webhooks/{webhook}", webhook=webhook),
            WebhookMade,
            body={"url": url, "events": list(events), "description": description},
        )

    @operation("DELETE /v1/webhooks/{webhook}")
    async def delete_webhook(self, webhook: str) -> None:
        """Delete a webhook with its delivery log."""
        await self.request("DELETE", fill("/v1/webhooks/{webhook}", webhook=webhook), None)

    @operation("POST /v1/webhooks/{webhook}/rotate")
    async def rotate_webhook(self, webhook: str, *, idempotency_key: str | None = None) -> WebhookSecret:
        """Make a new secret; the former one signs beside it for a day."""
        return await self.request(
            "POST",
            fill("/v1/webhooks/{webhook}/rotate", webhook=webhook),
            WebhookSecret,
            headers=once(idempotency_key),
        )

    @operation("POST /v1/webhooks/{webhook}/test")
    async def send_webhook_test(self, webhook: str, *, idempotency_key: str | None = None) -> QueuedDelivery:
        """Send a `webhook.test` to this webhook alone."""
        return await self.request(
            "POST", fill("/v1/webhooks/{webhook}/test", webhook=webhook), QueuedDelivery, headers=once(idempotency_key)
        )

    @operation("GET /v1/webhooks/{webhook}/deliveries")
    async def list_deliveries(
        self,
        webhook: str,
        *,
        after: str | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
        state: Literal["waiting", "delivered", "failed"] | UnsetType | None = UNSET,
    ) -> Page[Delivery]:
        """The delivery log of a webhook, newest first."""
        return await self.request(
            "GET",
            fill("/v1/webhooks/{webhook}/deliveries", webhook=webhook),
            Page[Delivery],
            query={"after": after, "limit": limit, "state": state},
        )

    @operation("POST /v1/webhooks/{webhook}/deliveries/{delivery_id}/replay")
    async def replay_delivery(self, webhook: str, delivery_id: str) -> QueuedDelivery:
        """Send a delivery again, whatever came of it."""
        path = "/v1/webhooks/{webhook}/deliveries/{delivery_id}/replay"
        return await self.request("POST", fill(path, webhook=webhook, delivery_id=delivery_id), QueuedDelivery)
