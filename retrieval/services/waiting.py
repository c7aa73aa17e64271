"""Answering a write only when its vector is there (API.md, `wait_for_index`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from django.db import connection

from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from retrieval.services.embeddings import ClaimedTask, embed_for_user
from retrieval.services.models import get_configured_provider


def embed_now(*, tenant_id: UUID, message_ids: Sequence[UUID]) -> int:
    """Make the vectors of just stored messages at once, outside any transaction. Returns how many were stored.

    The built-in embedder has made them already (D-8). When the provider fails the tasks stay on the list.
    """
    provider = get_configured_provider()
    if provider.is_inline or not message_ids:
        return 0
    now = datetime.now(UTC)
    with tenant_scope(tenant_id), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE embedding_task SET claimed_at = %s, attempts = attempts + 1"
            " WHERE user_id IN (SELECT user_id FROM memory_message WHERE id = ANY(%s::uuid[]))"
            " AND message_id = ANY(%s::uuid[]) AND claimed_at IS NULL RETURNING user_id, message_id, attempts",
            [now, list(message_ids), list(message_ids)],
        )
        rows = cursor.fetchall()
    tasks: dict[UUID, list[ClaimedTask]] = defaultdict(list)
    for user_id, message_id, attempts in rows:
        tasks[user_id].append(ClaimedTask(tenant_id, user_id, message_id, attempts))
    return sum(
        embed_for_user(user=UserRef(id=user_id, tenant_id=tenant_id), tasks=mine, provider=provider, now=now)
        for user_id, mine in tasks.items()
    )
