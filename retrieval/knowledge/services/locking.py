"""One writer a corpus: whoever writes takes its row first."""

from __future__ import annotations

import json
from typing import Final
from uuid import UUID

from memory.database.statements import lock_row
from retrieval.knowledge.errors import CorpusBusy, CorpusNotFound
from retrieval.knowledge.types import CorpusRef

LOCK_TIMEOUT_MS: Final = 8_000  # under the time limit of a request's statement


def lock_corpus(*, tenant_id: UUID, external_id: str) -> CorpusRef:
    """The corpus, for writing until the transaction ends. Raises CorpusNotFound, CorpusBusy."""
    statement = "SELECT id, schema FROM knowledge_corpus WHERE tenant_id = %s AND external_id = %s FOR UPDATE"
    row = lock_row(statement, [tenant_id, external_id], busy=CorpusBusy, timeout_ms=LOCK_TIMEOUT_MS)
    if row is None:
        raise CorpusNotFound
    schema = row[1] if isinstance(row[1], dict) else json.loads(row[1])
    return CorpusRef(id=row[0], tenant_id=tenant_id, external_id=external_id, schema=schema)
