"""How the room's rows about a user, or about some messages, go for good (SPEC G-2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memory.database.statements import execute, fetch_row, fetch_rows
from memory.erasure.erasers import DERIVED, ITEMS, TableEraser, fetch_count, run_count
from memory.types import ErasureScope
from retrieval.index.writing import remove_messages

_COLUMNS = {"message_columns": ("message_id",), "key": "message_id"}
SNIPPETS = TableEraser(
    name="snippets",
    models=("retrieval.MessageSnippet",),
    table="message_snippet",
    **_COLUMNS,  # type: ignore[arg-type]
)
VECTORS = TableEraser(
    name="vectors",
    models=("retrieval.MessageEmbedding",),
    table="message_embedding",
    **_COLUMNS,  # type: ignore[arg-type]
)
TASKS = TableEraser(
    name="embedding_tasks",
    models=("retrieval.EmbeddingTask",),
    table="embedding_task",
    **_COLUMNS,  # type: ignore[arg-type]
)
FEEDBACK = TableEraser(
    name="feedback",
    models=("retrieval.Feedback",),
    table="retrieval_feedback",
    message_columns=("message_id", "assistant_message_id"),
)
FINDINGS = TableEraser(
    name="answer_findings",
    models=("retrieval.AnswerFinding",),
    table="answer_finding",
    message_columns=("message_id", "assistant_message_id"),
)
USEFULNESS = TableEraser(
    name="usefulness",
    models=("retrieval.Usefulness",),
    table="usefulness",
    key="item_id",
    message_columns=("item_id",),
)
# A version, a time and a count: in a part erasure they stay.
SNAPSHOTS = TableEraser(
    name="ranking_snapshots", models=("retrieval.RankingSnapshot",), table="ranking_snapshot", key="version"
)


@dataclass(frozen=True, slots=True)
class IndexEraser:
    """Index rows, and in a part erasure the snippets of their neighbours, which may speak of what went (D-28)."""

    name: str = "message_index"
    models: tuple[str, ...] = ("retrieval.MessageIndex",)
    stage: int = DERIVED

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See memory.registries.Eraser."""
        rows = fetch_rows(
            f"SELECT t.message_id FROM message_index t WHERE {_build_condition(scope)} LIMIT %(limit)s",
            _list_parameters(scope) | {"limit": limit},
        )
        ids = [row[0] for row in rows]
        if ids and scope.is_whole:
            return execute(
                "DELETE FROM message_index WHERE user_id = %s AND message_id = ANY(%s)", [scope.user.id, ids]
            )
        return remove_messages(user=scope.user, message_ids=ids) if ids else 0

    def count_left(self, scope: ErasureScope) -> int:
        """See memory.registries.Eraser."""
        return int(
            fetch_row(f"SELECT count(*) FROM message_index t WHERE {_build_condition(scope)}", _list_parameters(scope))[
                0
            ]
        )


@dataclass(frozen=True, slots=True)
class ReceiptEraser:
    """Receipts. In a part erasure they stay and their ids point at nothing; moods and hashes of text go (D-52).

    Which receipts speak of the erased can't be told: a question has no id. So all do that were made up to the erasure,
    and later ones that name an erased message.
    """

    name: str = "receipts"
    models: tuple[str, ...] = ("retrieval.RetrievalReceipt",)
    stage: int = DERIVED

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See memory.registries.Eraser."""
        if scope.is_whole:
            return _ALL_RECEIPTS.erase_batch(scope, limit=limit)
        return run_count(
            "UPDATE retrieval_receipt SET query_hash = NULL, rendering_hash = NULL, mood = ''"
            f" WHERE user_id = %(user_id)s AND id IN (SELECT t.id {_SPEAKING_RECEIPTS} LIMIT %(limit)s)",
            scope,
            limit=limit,
        )

    def count_left(self, scope: ErasureScope) -> int:
        """See memory.registries.Eraser."""
        if scope.is_whole:
            return _ALL_RECEIPTS.count_left(scope)
        return fetch_count(f"SELECT count(*) {_SPEAKING_RECEIPTS}", scope)


_ALL_RECEIPTS = TableEraser(name="receipts", models=("retrieval.RetrievalReceipt",), table="retrieval_receipt")
_SPEAKING_RECEIPTS = f"""
FROM retrieval_receipt t WHERE t.user_id = %(user_id)s
 AND (t.query_hash IS NOT NULL OR t.rendering_hash IS NOT NULL OR t.mood <> '')
 AND (t.created_at <= (SELECT s.erased_up_to FROM erasure_request e JOIN memory_tombstone s
                         ON s.user_id = e.user_id AND s.id = e.tombstone_id
                       WHERE e.user_id = %(user_id)s AND e.id = %(erasure_id)s)
      OR (t.candidate_ids || t.chosen_ids || t.span_ids || t.recent_ids || t.pending_ids || t.line_ids
          || t.left_out_line_ids || t.entity_message_ids) && ARRAY{ITEMS})
"""


def _build_condition(scope: ErasureScope) -> str:
    own = "t.user_id = %(user_id)s"
    return own if scope.is_whole else f"{own} AND t.message_id IN {ITEMS}"


def _list_parameters(scope: ErasureScope) -> dict[str, Any]:
    parameters: dict[str, Any] = {"user_id": scope.user.id}
    return parameters if scope.is_whole else parameters | {"erasure_id": scope.erasure_id}
