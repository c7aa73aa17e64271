"""How long the list of vectors to be made is (SPEC E-2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import connection


@dataclass(frozen=True, slots=True)
class EmbeddingQueue:
    """The work list of one model."""

    model_id: int
    pending: int
    orphaned: int
    oldest: datetime | None


def list_embedding_queues() -> list[EmbeddingQueue]:
    """One entry for each model that has tasks, over all tenants. Counts only."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT model_id, pending, orphaned, oldest FROM count_embedding_tasks_v1()")
        return [EmbeddingQueue(*row) for row in cursor.fetchall()]


def count_pending_embeddings() -> int:
    """Messages that wait for a vector, over all tenants and models."""
    return sum(queue.pending for queue in list_embedding_queues())
