"""Receipts as lines of an export, and back: every column, so that they are read and replayed elsewhere (SPEC M-7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from memory.errors import CodedError
from memory.imports.rows import dump_row, insert_rows, load_row
from memory.registries import ImportContext
from memory.selectors.pages import read_rows
from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from retrieval.models import EmbeddingModel, RetrievalReceipt

RENAMED: Final = {"kind": "request", "model_id": "embedder"}
"""Columns by the name they have in a line: `kind` is what the line is, models have other numbers elsewhere."""
HASHES: Final = ("query_hash", "rendering_hash")
"""They are under the user's key of this installation and say nothing elsewhere (D-52)."""


def export_receipts(user: UserRef) -> Iterator[dict[str, Any]]:
    """A user's receipts as JSON objects: when, what was considered and chosen, why. Oldest first, in pages."""
    with tenant_scope(user.tenant_id):
        names = {model.id: model.name for model in EmbeddingModel.objects.all()}
    for receipt in read_rows(user, RetrievalReceipt):
        line = dump_row(receipt, left_out=[*RENAMED, *HASHES])
        yield {"kind": "receipt", "request": receipt.kind, "embedder": names.get(receipt.model_id or 0), **line}


def import_receipts(rows: Sequence[Mapping[str, Any]], context: ImportContext) -> Sequence[bool | CodedError]:
    """Store receipts under their ids; conversations and places in the log are those of here. Writes.

    They have no hashes, whatever the line holds: a replay can't tell whether it is the same question or rendering.
    """
    ids = {model.name: model.id for model in EmbeddingModel.objects.all()}

    def make(row: Mapping[str, Any]) -> Any:
        values = {**row, "kind": row.get("request")}
        known: dict[str, Any] = {"model_id": None, **dict.fromkeys(HASHES)}
        receipt: Any = load_row(RetrievalReceipt, values, user=context.user, **known)
        embedder = row.get("embedder")
        receipt.model_id = ids.get(embedder) if isinstance(embedder, str) else None
        receipt.conversation_id = context.find_conversation(receipt.conversation_id)
        receipt.log_position = context.positions.get(receipt.log_position, 0)
        return receipt

    return insert_rows(RetrievalReceipt, rows, user=context.user, make=make)
