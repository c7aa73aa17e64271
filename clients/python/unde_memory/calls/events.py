"""Calls about events: the feed, and webhooks."""

# No call has a body: `calling.py` sends it.
# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from unde_memory import types as t
from unde_memory.calling import Calls, delete, get, post, put
from unde_memory.writing import UNSET


class EventsCalls(Calls):
    """Calls about events: the feed, and webhooks."""

    @get("/v1/events")
    def list_events(self, *, after: str | None = UNSET, limit: int = UNSET) -> t.EventPage:
        """What happened since a cursor, oldest first. Keep `next` of the answer for the next call."""

    @get("/v1/webhooks")
    def list_webhooks(self, *, after: str | None = UNSET, limit: int = UNSET) -> t.Page[t.Webhook]:
        """Webhooks by id."""

    @put("/v1/webhooks/{webhook}")
    def put_webhook(self, webhook: str, *, url: str, events: Sequence[str], description: str = UNSET) -> t.WebhookMade:
        """Make a webhook, change it, or enable it again. `secret` is there when it is new."""

    @delete("/v1/webhooks/{webhook}")
    def delete_webhook(self, webhook: str) -> None:
        """Delete a webhook with its delivery log."""

    @post("/v1/webhooks/{webhook}/rotate")
    def rotate_webhook(self, webhook: str, *, idempotency_key: str | None = None) -> t.WebhookSecret:
        """Make a new secret; the former one signs beside it for a day."""

    @post("/v1/webhooks/{webhook}/test")
    def send_webhook_test(self, webhook: str, *, idempotency_key: str | None = None) -> t.QueuedDelivery:
        """Send a `webhook.test` to this webhook alone."""

    @get("/v1/webhooks/{webhook}/deliveries")
    def list_deliveries(self, webhook: str, *, after: str | None = UNSET, limit: int = UNSET,
            state: Literal["waiting", "delivered", "failed"] | None = UNSET) -> t.Page[t.Delivery]:
        """The delivery log of a webhook, newest first."""

    @post("/v1/webhooks/{webhook}/deliveries/{delivery_id}/replay")
    def replay_delivery(self, webhook: str, delivery_id: str) -> t.QueuedDelivery:
        """Send a delivery again, whatever came of it."""
