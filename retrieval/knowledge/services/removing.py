"""Documents, records and whole corpora out, with all that only they supported (SPEC N-7)."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from memory.database.statements import execute
from memory.errors import NotFound
from retrieval.knowledge.ingest import documents as document_rows
from retrieval.knowledge.ingest import records as record_rows
from retrieval.knowledge.ingest.deriving import derive_entities
from retrieval.knowledge.ingest.mention_rows import update_mentions
from retrieval.knowledge.ingest.references import point_edges_again
from retrieval.knowledge.services.locking import lock_corpus
from retrieval.knowledge.services.versions import find_next_version, raise_version
from retrieval.knowledge.types import Changes, CorpusRef

# What refers to others goes before what it refers to: a cascade would go row by row.
_TABLES: Final = (
    "ask_turn", "knowledge_snapshot", "knowledge_plan", "knowledge_registry_action", "knowledge_title",
    "knowledge_mention", "knowledge_posting", "knowledge_chunk", "knowledge_edge", "knowledge_alias_key",
    "knowledge_alias", "knowledge_record", "knowledge_document", "knowledge_entity",
)  # fmt: skip


def remove_document(*, tenant_id: UUID, corpus: str, external_id: str, now: datetime) -> None:
    """Delete a document and what only it supported. Raises CorpusNotFound, NotFound. Writes."""
    locked = lock_corpus(tenant_id=tenant_id, external_id=corpus)
    stored, changes = document_rows.find_stored(locked, [external_id]), Changes()
    if not stored:
        raise NotFound("This document does not exist in this corpus.")
    document_rows.remove_documents(locked, [stored[external_id][0]], changes)
    _finish(locked, changes, now)


def remove_record(*, tenant_id: UUID, corpus: str, external_id: str, now: datetime) -> None:
    """Delete a record and what only it supported. Raises CorpusNotFound, NotFound. Writes."""
    locked = lock_corpus(tenant_id=tenant_id, external_id=corpus)
    stored, changes = record_rows.find_stored(locked, [external_id]), Changes()
    if not stored:
        raise NotFound("This record does not exist in this corpus.")
    record_rows.remove_records(locked, list(stored.values()), changes)
    _finish(locked, changes, now)


def remove_corpus(*, tenant_id: UUID, corpus: str) -> None:
    """Delete a corpus with everything in it. Raises CorpusNotFound. Writes."""
    locked = lock_corpus(tenant_id=tenant_id, external_id=corpus)
    for table in _TABLES:
        execute(f"DELETE FROM {table} WHERE corpus_id = %s", [locked.id])
    execute("DELETE FROM knowledge_corpus WHERE id = %s", [locked.id])


def _finish(corpus: CorpusRef, changes: Changes, now: datetime) -> None:
    derive_entities(corpus, changes, is_last=False)
    point_edges_again(corpus, changes)
    derive_entities(corpus, changes, is_last=True)
    update_mentions(corpus, changes)
    execute("DELETE FROM knowledge_snapshot WHERE corpus_id = %s", [corpus.id])
    raise_version(corpus, version=find_next_version(corpus), changes=changes, now=now)
