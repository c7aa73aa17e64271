"""One writer a corpus: whoever writes takes its row first."""

from __future__ import annotations

import json
from typing import Final
from uuid import UUID

from django.db import OperationalError, connection

from memory.tenants.database_errors import get_sqlstate
from retrieval.knowledge.errors import CorpusBusy, CorpusNotFound
from retrieval.knowledge.types import CorpusRef

LOCK_TIMEOUT_MS: Final = 8_000  # under the time limit of a request's statement
_LOCK_NOT_AVAILABLE: Final = "55P03"


def lock_corpus(*, tenant_id: UUID, external_id: str) -> CorpusRef:
    """The corpus, for writing until the transaction ends. Raises CorpusNotFound, CorpusBusy."""
    with connection.cursor() as cursor:
        try:
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{LOCK_TIMEOUT_MS}ms"])
            cursor.execute(
                "SELECT id, schema FROM knowledge_corpus WHERE tenant_id = %s AND external_id = %s FOR UPDATE",
                [tenant_id, external_id],
            )
            row = cursor.fetchone()
        except OperationalError as error:
            if get_sqlstate(error) == _LOCK_NOT_AVAILABLE:
                raise CorpusBusy from None
            raise
    if row is None:
        raise CorpusNotFound
    schema = row[1] if isinstance(row[1], dict) else json.loads(row[1])
    return CorpusRef(id=row[0], tenant_id=tenant_id, external_id=external_id, schema=schema)
