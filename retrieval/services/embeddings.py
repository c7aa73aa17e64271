"""Making the vectors that are on the work list (SPEC E-2): claim, commit, ask the provider, write.

No network call happens inside a transaction; what a worker claims and does not finish is due again after 10 minutes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction

from memory.selectors.messages import list_messages_by_id
from memory.tenants.scope import tenant_scope
from memory.types import RecordedMessage, UserRef
from retrieval.embedding.types import EmbeddingFailed, EmbeddingProvider
from retrieval.entries import build_embedded_text
from retrieval.metrics import ENRICHMENT_DONE, ENRICHMENT_FAILED, ENRICHMENT_LATENCY, ORPHANS
from retrieval.selectors.receipts import RECEIPT_DAYS_KEPT
from retrieval.selectors.tasks import list_embedding_queues
from retrieval.services.index import store_vectors
from retrieval.services.models import register_model

MAX_ATTEMPTS = 3
BACKOFF = (timedelta(seconds=30), timedelta(minutes=5), timedelta(minutes=30))
RECEIPT_DAYS_AHEAD = 14


@dataclass(frozen=True, slots=True)
class ClaimedTask:
    """A message whose vector this worker is to make."""

    tenant_id: UUID
    user_id: UUID
    message_id: UUID
    attempts: int


def claim_tasks(*, provider: EmbeddingProvider, now: datetime, limit: int) -> list[ClaimedTask]:
    """Due tasks of the provider's model, high priority first; each counts as an attempt from now on.

    Writes and commits.
    """
    with transaction.atomic():
        model_id = register_model(provider=provider)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT tenant_id, user_id, message_id, attempts"
                " FROM claim_embedding_tasks_v1(%s::smallint, %s::timestamptz, %s::integer)",
                [model_id, now, limit],
            )
            return [ClaimedTask(*row) for row in cursor.fetchall()]


def embed_claimed(*, tasks: Sequence[ClaimedTask], provider: EmbeddingProvider, now: datetime) -> int:
    """Make and store the vectors of claimed tasks, user by user. Returns how many were stored.

    A failure postpones that user's tasks, or orphans those tried three times; others go on.
    """
    by_user: dict[tuple[UUID, UUID], list[ClaimedTask]] = defaultdict(list)
    for task in tasks:
        by_user[(task.tenant_id, task.user_id)].append(task)
    return sum(
        embed_for_user(user=UserRef(id=user_id, tenant_id=tenant_id), tasks=mine, provider=provider, now=now)
        for (tenant_id, user_id), mine in by_user.items()
    )


def embed_for_user(*, user: UserRef, tasks: Sequence[ClaimedTask], provider: EmbeddingProvider, now: datetime) -> int:
    """One user's part of `embed_claimed`."""
    with tenant_scope(user.tenant_id):
        messages = list_messages_by_id(user=user, message_ids=[task.message_id for task in tasks])
    found = [messages[task.message_id] for task in tasks if task.message_id in messages]
    try:
        vectors = provider.embed_documents([build_embedded_text(message) for message in found]) if found else []
        with tenant_scope(user.tenant_id):
            drop_tasks(user=user, message_ids=[task.message_id for task in tasks if task.message_id not in messages])
            pairs = zip((message.id for message in found), vectors, strict=True)
            stored = store_vectors(user=user, provider=provider, vectors=dict(pairs))
    except EmbeddingFailed as failure:
        ENRICHMENT_FAILED.labels(failure.code).inc()
        with tenant_scope(user.tenant_id):
            postpone_tasks(user=user, tasks=tasks, is_permanent=failure.is_permanent, now=now)
        return 0
    count_done(found, provider=provider, now=now)
    return stored


def postpone_tasks(*, user: UserRef, tasks: Sequence[ClaimedTask], is_permanent: bool, now: datetime) -> None:
    """Put tasks off (30 seconds, 5 minutes, 30 minutes), or make orphans of those tried three times (SPEC E-2).

    Writes.
    """
    rows = [
        [
            now + BACKOFF[min(task.attempts, len(BACKOFF)) - 1],
            now if task.attempts >= MAX_ATTEMPTS or is_permanent else None,
            user.id,
            task.message_id,
        ]
        for task in tasks
    ]
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE embedding_task SET claimed_at = NULL, available_at = %s, orphaned_at = %s"
            " WHERE user_id = %s AND message_id = %s",
            rows,
        )


def drop_tasks(*, user: UserRef, message_ids: Sequence[UUID]) -> None:
    """Take tasks of messages that are gone off the list. Writes."""
    if message_ids:
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM embedding_task WHERE user_id = %s AND message_id = ANY(%s)", [user.id, list(message_ids)]
            )


def sweep_tasks(*, now: datetime) -> tuple[int, int]:
    """Requeue what is older than an hour, count what was tried three times as orphan (SPEC E-2).

    Returns both numbers.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT requeued, orphaned FROM sweep_embedding_tasks_v1(%s::timestamptz)", [now])
        requeued, orphaned = cursor.fetchone()
        cursor.execute("SELECT coalesce(sum(orphaned), 0) FROM count_embedding_tasks_v1()")
        ORPHANS.set(cursor.fetchone()[0])
    return int(requeued), int(orphaned)


def plan_missing(*, provider: EmbeddingProvider, now: datetime, limit: int) -> int:
    """After a change of the embedder: tasks for messages that have no vector of it yet. Returns how many were added."""
    with transaction.atomic():
        model_id = register_model(provider=provider)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT plan_embedding_tasks_v1(%s::smallint, %s::timestamptz, %s::integer)", [model_id, now, limit]
            )
            return int(cursor.fetchone()[0])


def plan_portion(*, provider: EmbeddingProvider, now: datetime, limit: int) -> tuple[int, bool]:
    """The next `limit` tasks of `plan_missing`, where less than half of as many of this provider wait; writes.

    Returns how many were added, and whether to ask again later: there may be more, or the list was too long for any.
    """
    with transaction.atomic():
        model_id = register_model(provider=provider)
        # What still waits for a model that is not asked any more is nobody's work.
        waiting = sum(queue.pending for queue in list_embedding_queues() if queue.model_id == model_id)
    if waiting * 2 >= limit:
        return 0, True
    planned = plan_missing(provider=provider, now=now, limit=limit)
    return planned, planned >= limit


def prepare_partitions(*, now: datetime) -> int:
    """Make the receipts' partitions of the coming days, drop those past their age (D-21).

    Returns how many were made.
    """
    today = now.date()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT prepare_receipt_partitions_v1(%s::date, %s::integer)", [today, RECEIPT_DAYS_AHEAD])
        made = int(cursor.fetchone()[0])
        cursor.execute("SELECT drop_receipt_partitions_v1(%s::date)", [today - timedelta(days=RECEIPT_DAYS_KEPT)])
    return made


def count_done(messages: Sequence[RecordedMessage], *, provider: EmbeddingProvider, now: datetime) -> None:
    """Metrics of finished vectors."""
    ENRICHMENT_DONE.labels(provider.name).inc(len(messages))
    for message in messages:
        ENRICHMENT_LATENCY.observe(max(0.0, (now - message.received_at).total_seconds()))
