"""The worker's part: events get their place in the feed, then what is due is sent."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Final

import httpx
import structlog
from celery import shared_task
from django.conf import settings
from django.db import connection
from django.utils import timezone

from config.observability.metrics import WEBHOOK_DELIVERIES
from config.webhooks.addresses import Network
from config.webhooks.deadlines import DeadlineTransport
from config.webhooks.sending import send
from memory.outbox.services.deliveries import ClaimedDelivery, claim_deliveries, record_outcome
from memory.outbox.services.events import drop_events, list_tenants_with_new_events, number_events

log = structlog.get_logger(__name__)

SENDERS: Final = 8
"""Deliveries on their way at once in a worker: a receiver that is slow holds up a few others, not all."""


def list_allowed_networks() -> list[Network]:
    """Networks beside the public one that webhooks may reach (UNDE_WEBHOOK_NETWORKS)."""
    return [ipaddress.ip_network(each) for each in settings.UNDE_WEBHOOK_NETWORKS]


@shared_task
def deliver_events() -> int:
    """Number what is new and send what is due; how many attempts were made. A run that dies loses nothing."""
    limit = settings.UNDE_TUNING.WEBHOOK_BATCH
    for tenant_id in list_tenants_with_new_events(limit=limit):
        while number_events(tenant_id=tenant_id, limit=limit) == limit:
            pass
    attempts = 0
    with make_client() as client:
        while claimed := claim_deliveries(now=timezone.now(), limit=SENDERS):
            _send_all(claimed, client, list_allowed_networks())
            attempts += len(claimed)
    return attempts


def make_client() -> httpx.Client:
    """A client that follows no redirects, asks no proxy of the environment, and waits for no slow dripping answer."""
    seconds = settings.UNDE_TUNING.WEBHOOK_TIMEOUT_SECONDS
    return httpx.Client(
        transport=DeadlineTransport(seconds=seconds), timeout=seconds, follow_redirects=False, trust_env=False
    )


def _send_all(claimed: Sequence[ClaimedDelivery], client: httpx.Client, allowed: Sequence[Network]) -> None:
    with ThreadPoolExecutor(max_workers=SENDERS) as pool:
        for _ in pool.map(lambda delivery: _send_one(delivery, client, allowed), claimed):
            pass


def _send_one(delivery: ClaimedDelivery, client: httpx.Client, allowed: Sequence[Network]) -> None:
    outcome = send(delivery, client=client, allowed=allowed, now=timezone.now())
    try:
        state = record_outcome(
            tenant_id=delivery.tenant_id, delivery_id=delivery.delivery_id, outcome=outcome, now=timezone.now()
        )
    finally:
        connection.close()
    WEBHOOK_DELIVERIES.labels(outcome.error or "delivered").inc()
    if outcome.error:
        log.info("webhook_not_delivered", delivery_id=str(delivery.delivery_id), code=outcome.error, state=state)


@shared_task
def drop_old_events() -> int:
    """Delete events that are older than the feed keeps, with their deliveries; how many."""
    limit, dropped = settings.UNDE_TUNING.WEBHOOK_BATCH * 10, 0
    older_than = timezone.now() - timedelta(days=settings.UNDE_TUNING.EVENT_DAYS)
    while count := drop_events(older_than=older_than, limit=limit):
        dropped += count
    return dropped
