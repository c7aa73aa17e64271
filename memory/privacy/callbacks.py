"""Callbacks from their claim to their outcome. Signing and sending is `config/opendsr`."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings

from memory.database.claims import claim_rows
from memory.outbox.retries import find_next_attempt
from memory.outbox.services.deliveries import GONE, Outcome
from memory.privacy.models import PrivacyCallback, PrivacyRequest
from memory.privacy.selectors import view_request
from memory.privacy.types import ClaimedCallback
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant


def claim_callbacks(*, now: datetime, limit: int) -> list[ClaimedCallback]:
    """Take due callbacks of any tenant for the length of a lease; commits before anything is sent. For workers."""
    until = now + timedelta(seconds=settings.UNDE_TUNING.WEBHOOK_LEASE_SECONDS)
    return [_load(*each) for each in claim_rows("claim_privacy_callbacks_v2", now=now, until=until, limit=limit)]


def _load(tenant_id: UUID, callback_id: UUID) -> ClaimedCallback:
    with tenant_scope(tenant_id):
        row = PrivacyCallback.objects.get(tenant_id=tenant_id, id=callback_id)
        request = PrivacyRequest.objects.get(tenant_id=tenant_id, id=row.request_id)
        tenant = find_tenant(tenant_id=tenant_id)
    return ClaimedCallback(
        tenant_id=tenant_id,
        tenant_slug=tenant.slug if tenant else "",
        id=row.id,
        url=row.url,
        status=row.status,
        request=view_request(request),
    )


def record_outcome(*, tenant_id: UUID, callback_id: UUID, outcome: Outcome, now: datetime) -> str:
    """Note how an attempt went and when the next one is; the state of the callback then. Writes."""
    with tenant_scope(tenant_id):
        row = PrivacyCallback.objects.select_for_update().get(tenant_id=tenant_id, id=callback_id)
        if row.state != "waiting":
            return row.state
        row.http_status, row.error, row.claimed_until = outcome.status, outcome.error, None
        next_at = _find_next(row, outcome, now)
        if not outcome.error:
            row.state, row.finished_at = "delivered", now
        elif next_at is None or outcome.status == GONE:
            row.state, row.finished_at = "failed", now
        else:
            row.available_at = next_at
        row.save()
    return row.state


def _find_next(row: PrivacyCallback, outcome: Outcome, now: datetime) -> datetime | None:
    return find_next_attempt(
        attempts=row.attempts,
        now=now,
        waits=settings.UNDE_TUNING.WEBHOOK_RETRY_WAITS,
        jitter=settings.UNDE_TUNING.WEBHOOK_RETRY_JITTER,
        draw=random.random,
        retry_after=outcome.retry_after,
    )
