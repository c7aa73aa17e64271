"""Celery tasks of the room.

They carry no user text and no arguments: the work is rows, a task only wakes a worker (E-2).
"""

from __future__ import annotations

from datetime import UTC, datetime

from celery import shared_task
from django.conf import settings
from django.core.cache import cache

from memory.extraction.configuration import EndpointMisconfigured, find_client
from retrieval.index.embedding_models import get_configured_provider
from retrieval.index.embeddings import (
    claim_tasks,
    embed_claimed,
    plan_portion,
    sweep_tasks,
)
from retrieval.index.snippet_making import make_due_snippets
from retrieval.receipts.partitions import prepare_partitions
from retrieval.receipts.usefulness import fold_new_signals

PLANNING = "plan-embeddings"  # set while a chain plans: each sweep would add one otherwise


@shared_task(ignore_result=True)
def embed_pending() -> int:
    """Make the vectors that are due. Returns how many were stored."""
    provider = get_configured_provider()
    stored = 0
    for _ in range(settings.UNDE_TUNING.EMBED_PORTIONS):
        tasks = claim_tasks(provider=provider, now=datetime.now(UTC), limit=settings.UNDE_TUNING.EMBED_AT_ONCE)
        if not tasks:
            break
        stored += embed_claimed(tasks=tasks, provider=provider, now=datetime.now(UTC))
    return stored


@shared_task(ignore_result=True)
def sweep_embeddings() -> tuple[int, int, int]:
    """Every 6 hours: requeue what was left over, orphans after a day too, begin with the vectors of a new model."""
    swept = sweep_tasks(now=datetime.now(UTC))
    plan_embeddings()
    return swept


@shared_task(ignore_result=True)
def plan_embeddings() -> int:
    """Plan vectors of the model in use for messages that have none, and go on until none is left (SPEC E-1).

    Portion after portion, the next one when the list of the one before has become short. A chain that breaks (a
    restart, a lost broker) is begun again by the next sweep. Returns how many were planned.
    """
    if not cache.add(PLANNING, 1, timeout=settings.UNDE_TUNING.EMBED_PLANNED_AGAIN - 10):
        return 0  # a chain is at it
    provider = get_configured_provider()
    planned, has_more = plan_portion(provider=provider, now=datetime.now(UTC), limit=settings.UNDE_TUNING.EMBED_PLANNED)
    if has_more:
        plan_embeddings.apply_async(countdown=settings.UNDE_TUNING.EMBED_PLANNED_AGAIN)
    return planned


@shared_task(ignore_result=True)
def prepare_receipt_partitions() -> int:
    """Every 6 hours: partitions of receipts for the coming days; old ones go."""
    return prepare_partitions(now=datetime.now(UTC))


@shared_task(ignore_result=True)
def fold_usefulness() -> int:
    """Every night: signals become usefulness. Returns how many users got a new version."""
    return fold_new_signals(now=datetime.now(UTC))


@shared_task(ignore_result=True)
def make_snippets() -> int:
    """Every minute: snippets of what was just handed out. Returns how many were made."""
    try:
        client = find_client()
    except EndpointMisconfigured:
        client = None  # the system checks say what is wrong with it
    return make_due_snippets(client=client, now=datetime.now(UTC))
