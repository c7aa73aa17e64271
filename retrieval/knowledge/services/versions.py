"""The version of a corpus: it grows with every write that changed something."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from memory.database.statements import execute, fetch_row
from retrieval.knowledge.ingest.types import ItemResult
from retrieval.knowledge.types import Changes, CorpusRef

_FINISH: Final = """
UPDATE knowledge_corpus SET version = %(version)s, updated_at = %(now)s,
  registry_version = CASE WHEN %(names_changed)s THEN %(version)s ELSE registry_version END
WHERE id = %(corpus_id)s
"""
_NOTE: Final = "UPDATE knowledge_corpus SET last_ingest_at = %s, last_ingest = %s WHERE id = %s"
_CHANGING: Final = frozenset({"added", "replaced"})


def find_next_version(corpus: CorpusRef) -> int:
    """The version after the one that the corpus has. Call under its lock."""
    return int(fetch_row("SELECT version FROM knowledge_corpus WHERE id = %s", [corpus.id])[0]) + 1


def finish_write(
    corpus: CorpusRef, *, version: int, changes: Changes, results: Iterable[ItemResult], now: datetime
) -> int:
    """Note what an ingest did. The version that holds now: the former one when nothing changed."""
    results = list(results)
    statuses = Counter(result.status for result in results)
    codes = Counter(result.error.code for result in results if result.error)
    warnings = Counter(warning["code"] for result in results for warning in result.warnings)
    note = {"statuses": dict(statuses), "errors": dict(codes), "warnings": dict(warnings)}
    execute(_NOTE, [now, json.dumps(note), corpus.id])
    if not _CHANGING & statuses.keys():
        return version - 1
    raise_version(corpus, version=version, changes=changes, now=now)
    return version


def raise_version(corpus: CorpusRef, *, version: int, changes: Changes, now: datetime) -> None:
    """Give the corpus its new version."""
    values = {"corpus_id": corpus.id, "version": version, "now": now, "names_changed": bool(changes.aliases)}
    execute(_FINISH, values)
