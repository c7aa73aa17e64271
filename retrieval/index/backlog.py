"""How long the list of vectors to be made is (SPEC E-2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory.database.statements import fetch_row, fetch_rows
from memory.selectors.figures import QueueQuestion
from retrieval.embedding.types import EmbeddingProvider

VECTORS: Final = QueueQuestion(
    "Messages to embed",
    "SELECT count(*) FILTER (WHERE orphaned_at IS NULL), min(received_at) FILTER (WHERE orphaned_at IS NULL),"
    " count(*) FILTER (WHERE orphaned_at IS NOT NULL) FROM embedding_task WHERE tenant_id = %s",
    "{} failed three times, retried daily",
)
"""The list of one tenant, for its start page."""


@dataclass(frozen=True, slots=True)
class EmbeddingQueue:
    """The work list of one model."""

    model_id: int
    pending: int
    orphaned: int
    oldest: datetime | None


def list_embedding_queues() -> list[EmbeddingQueue]:
    """One entry for each model that has tasks, over all tenants. Counts only."""
    return [
        EmbeddingQueue(*row)
        for row in fetch_rows("SELECT model_id, pending, orphaned, oldest FROM count_embedding_tasks_v1()")
    ]


def count_pending_embeddings() -> int:
    """Messages that wait for a vector, over all tenants and models."""
    return sum(queue.pending for queue in list_embedding_queues())


def count_orphans(provider: EmbeddingProvider) -> int:
    """Messages that the provider in use refused three times, over all tenants. Those of a former one are nobody's."""
    return int(
        fetch_row(
            "SELECT coalesce(sum(c.orphaned), 0) FROM count_embedding_tasks_v1() c"
            " JOIN embedding_model m ON m.id = c.model_id WHERE m.name = %s AND m.dimensions = %s",
            [provider.name, provider.dimensions],
        )[0]
    )
