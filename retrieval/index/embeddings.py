"""Making the vectors that are on the work list (SPEC E-2): claim, commit, ask the provider, write.

No network call happens inside a transaction; what a worker claims and does not finish is due again after 10 minutes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from memory.database.statements import execute, fetch_row, fetch_rows
from memory.selectors.messages import list_messages_by_id
from memory.tenants.scope import tenant_scope
from memory.types import RecordedMessage, UserRef
from retrieval.embedding.types import EmbeddingProvider
from retrieval.index.backlog import list_embedding_queues
from retrieval.index.embedding_models import register_model
from retrieval.index.embedding_requests import ask_for_vectors
from retrieval.index.outages import ProviderAway, find_outage, note_answer, note_outage
from retrieval.index.writing import store_vectors
from retrieval.metrics import ENRICHMENT_DONE, ENRICHMENT_FAILED, ENRICHMENT_LATENCY, PRIORITIES
from retrieval.models import EmbeddingTask

BACKOFF = (timedelta(seconds=30), timedelta(minutes=5), timedelta(minutes=30))


@dataclass(frozen=True, slots=True)
class ClaimedTask:
    """A message whose vector this worker is to make."""

    tenant_id: UUID
    user_id: UUID
    message_id: UUID
    attempts: int


def claim_tasks(*, provider: EmbeddingProvider, now: datetime, limit: int) -> list[ClaimedTask]:
    """Due tasks of the provider's model, high priority first; each counts as an attempt from now on.

    None while the provider is left alone; one, to see whether it is back. Writes and commits.
    """
    with transaction.atomic():
        model_id = register_model(provider=provider)
        outage = find_outage(provider)
        if outage is not None:
            if outage.resting_until > now:
                return []
            limit = 1
        call = "claim_embedding_tasks_v2(%s::smallint, %s::timestamptz, %s::integer)"
        return [ClaimedTask(*row) for row in fetch_rows(f"SELECT * FROM {call}", [model_id, now, limit])]


def embed_claimed(*, tasks: Sequence[ClaimedTask], provider: EmbeddingProvider, now: datetime) -> int:
    """Make and store the vectors of claimed tasks, user by user. Returns how many were stored.

    A message that the provider refuses is postponed, or an orphan after three times. Is the provider away, all that is
    left goes back to the list as it was, and the provider is left alone for a while.
    """
    by_user: dict[tuple[UUID, UUID], list[ClaimedTask]] = defaultdict(list)
    for task in tasks:
        by_user[(task.tenant_id, task.user_id)].append(task)
    stored, away = 0, None
    for (tenant_id, user_id), mine in by_user.items():
        user = UserRef(id=user_id, tenant_id=tenant_id)
        if away is not None:
            with tenant_scope(tenant_id):
                release_tasks(user=user, message_ids=[task.message_id for task in mine], provider=provider)
            continue
        made, away = embed_for_user(user=user, tasks=mine, provider=provider, now=now)
        stored += made
    if away is not None:
        ENRICHMENT_FAILED.labels(away.code).inc()
        note_outage(provider, away, now=now)
    elif tasks:
        note_answer(provider)
    return stored


def embed_for_user(
    *, user: UserRef, tasks: Sequence[ClaimedTask], provider: EmbeddingProvider, now: datetime
) -> tuple[int, ProviderAway | None]:
    """One user's part of `embed_claimed`: how many were stored, and the outage that came in between, if any."""
    with tenant_scope(user.tenant_id):
        messages = list_messages_by_id(user=user, message_ids=[task.message_id for task in tasks])
        rows = EmbeddingTask.objects.filter(user_id=user.id, message_id__in=list(messages))
        priorities = dict(rows.values_list("message_id", "priority"))
    found = [messages[task.message_id] for task in tasks if task.message_id in messages]
    asked = ask_for_vectors(found, provider=provider)
    for code in asked.refused.values():
        ENRICHMENT_FAILED.labels(code).inc()
    left = {message.id for message in found} - asked.vectors.keys() - asked.refused.keys()
    with tenant_scope(user.tenant_id):
        drop_tasks(user=user, message_ids=[task.message_id for task in tasks if task.message_id not in messages])
        postpone_tasks(user=user, tasks=[task for task in tasks if task.message_id in asked.refused], now=now)
        release_tasks(user=user, message_ids=list(left), provider=provider)
        stored = store_vectors(user=user, provider=provider, vectors=asked.vectors) if asked.vectors else 0
    done = [messages[message_id] for message_id in asked.vectors]
    count_done(done, provider=provider, priorities=priorities, now=now)
    return stored, asked.away


def release_tasks(*, user: UserRef, message_ids: Sequence[UUID], provider: EmbeddingProvider) -> None:
    """Put claimed tasks back as they were: nobody tried them. Writes."""
    if message_ids:
        execute(
            "UPDATE embedding_task t SET claimed_at = NULL, attempts = greatest(t.attempts - 1, 0)"
            " FROM embedding_model m WHERE t.model_id = m.id AND m.name = %s AND m.dimensions = %s"
            " AND t.user_id = %s AND t.message_id = ANY(%s)",
            [provider.name, provider.dimensions, user.id, list(message_ids)],
        )


def postpone_tasks(*, user: UserRef, tasks: Sequence[ClaimedTask], now: datetime) -> None:
    """Put refused messages off (30 seconds, 5 minutes, 30 minutes), make orphans of those tried three times (SPEC E-2).

    Writes.
    """
    rows = [
        [
            now + BACKOFF[min(task.attempts, len(BACKOFF)) - 1],
            now if task.attempts >= settings.UNDE_TUNING.EMBED_MAX_ATTEMPTS else None,
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
        execute("DELETE FROM embedding_task WHERE user_id = %s AND message_id = ANY(%s)", [user.id, list(message_ids)])


def sweep_tasks(*, now: datetime) -> tuple[int, int, int]:
    """Requeue what is older than an hour, make orphans of what was tried three times, try orphans again after a day.

    Returns the three numbers (SPEC E-2).
    """
    with transaction.atomic():
        requeued, orphaned, retried = fetch_row(
            "SELECT requeued, orphaned, retried FROM sweep_embedding_tasks_v3(%s::timestamptz, %s::integer)",
            [now, settings.UNDE_TUNING.EMBED_ORPHANS_A_SWEEP],
        )
    return int(requeued), int(orphaned), int(retried)


def plan_missing(*, provider: EmbeddingProvider, now: datetime, limit: int) -> int:
    """After a change of the embedder: tasks for messages that have no vector of it yet. Returns how many were added."""
    with transaction.atomic():
        model_id = register_model(provider=provider)
        return int(
            fetch_row(
                "SELECT plan_embedding_tasks_v1(%s::smallint, %s::timestamptz, %s::integer)", [model_id, now, limit]
            )[0]
        )


def plan_portion(*, provider: EmbeddingProvider, now: datetime, limit: int) -> tuple[int, bool]:
    """The next `limit` tasks of `plan_missing`, where less than half of as many of this provider wait; writes.

    Returns how many were added, and whether to ask again later: there may be more, or the list was too long for any.
    """
    with transaction.atomic():
        model_id = register_model(provider=provider)
        # Tasks of a model that is not asked any more are nobody's work.
        waiting = sum(queue.pending for queue in list_embedding_queues() if queue.model_id == model_id)
    if waiting * 2 >= limit:
        return 0, True
    planned = plan_missing(provider=provider, now=now, limit=limit)
    return planned, planned >= limit


def count_done(
    messages: Sequence[RecordedMessage], *, provider: EmbeddingProvider, priorities: Mapping[UUID, int], now: datetime
) -> None:
    """Metrics of finished vectors."""
    ENRICHMENT_DONE.labels(provider.name).inc(len(messages))
    for message in messages:
        priority = PRIORITIES[priorities.get(message.id, 1)]
        ENRICHMENT_LATENCY.labels(priority).observe(max(0.0, (now - message.received_at).total_seconds()))
