"""Answering a write only when its vector is there (API.md, `wait_for_index`)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.tenants.scope import tenant_scope
from retrieval.index.embedding_models import get_configured_provider, register_model
from retrieval.index.embeddings import ClaimedTask, embed_claimed
from retrieval.index.outages import find_outage
from retrieval.models import MessageEmbedding


def embed_now(*, tenant_id: UUID, message_ids: Sequence[UUID]) -> set[UUID]:
    """Make the vectors of just stored messages at once, outside any transaction. Returns which are in the index whole.

    The built-in embedder has made them already (D-8). When the provider fails, or is left alone since it failed, the
    tasks stay on the list.
    """
    provider = get_configured_provider()
    if provider.is_inline or not message_ids:
        return set(message_ids)
    now = datetime.now(UTC)
    outage = find_outage(provider)
    if outage is None or outage.resting_until <= now:
        embed_claimed(tasks=_claim(tenant_id, message_ids, now), provider=provider, now=now)
    with tenant_scope(tenant_id):
        rows = MessageEmbedding.objects.filter(message_id__in=message_ids, model_id=register_model(provider=provider))
        return set(rows.values_list("message_id", flat=True))


def _claim(tenant_id: UUID, message_ids: Sequence[UUID], now: datetime) -> list[ClaimedTask]:
    with tenant_scope(tenant_id):
        rows = fetch_rows(
            "UPDATE embedding_task SET claimed_at = %s, attempts = attempts + 1"
            " WHERE user_id IN (SELECT user_id FROM memory_message WHERE id = ANY(%s::uuid[]))"
            " AND message_id = ANY(%s::uuid[]) AND claimed_at IS NULL RETURNING user_id, message_id, attempts",
            [now, list(message_ids), list(message_ids)],
        )
        return [ClaimedTask(tenant_id, *row) for row in rows]
