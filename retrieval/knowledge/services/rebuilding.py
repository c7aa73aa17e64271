"""A corpus taken out as it came, and all that is derived of it made anew (SPEC N-7)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from memory.tenants.scope import tenant_scope
from retrieval.knowledge.ingest.records import load_json
from retrieval.knowledge.ingest.types import MAX_ITEMS, DocumentBody, RecordBody
from retrieval.knowledge.models import Document, Record
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.selectors.fingerprints import fingerprint_corpus
from retrieval.knowledge.services.ingesting import ingest

PAGE: Final = MAX_ITEMS
TIMEOUT_MS: Final = 600_000  # a batch may touch the chunks of the whole corpus


def list_items(*, tenant_id: UUID, corpus: str) -> Iterator[list[DocumentBody | RecordBody]]:
    """Documents, then records, in pages and in the order in which they came. Raises CorpusNotFound.

    Opens a tenant scope for each page, so that what is written between pages is read too.
    """
    for read in (_read_documents, _read_records):
        last = 0
        while True:
            with tenant_scope(tenant_id):
                number = get_corpus(tenant_id=tenant_id, external_id=corpus).id
                page = read(number, last)
            if not page:
                break
            last = page[-1][0]
            yield [body for _, body in page]


def write_line(item: DocumentBody | RecordBody) -> str:
    """An item as a line of JSON that `import_corpus` reads."""
    sent = msgspec.to_builtins(item)
    return json.dumps({name: value for name, value in sent.items() if value is not None}, ensure_ascii=False)


def rebuild_corpus(*, tenant_id: UUID, corpus: str, now: datetime) -> list[str]:
    """Derive everything of a corpus anew from its documents and records: the kinds of rows that were not as they
    should be. What a person decided about names stays. A batch a transaction; it may be started again. Writes.
    """
    before = _fingerprint(tenant_id, corpus)
    pages = list(list_items(tenant_id=tenant_id, corpus=corpus))
    for page in pages:
        with tenant_scope(tenant_id, statement_timeout_ms=TIMEOUT_MS):
            ingest(
                tenant_id=tenant_id,
                corpus=corpus,
                documents=[item for item in page if isinstance(item, DocumentBody)],
                records=[item for item in page if isinstance(item, RecordBody)],
                now=now,
                is_forced=True,
            )
    after = _fingerprint(tenant_id, corpus)
    return sorted(name for name, digest in after.items() if before[name] != digest)


def _fingerprint(tenant_id: UUID, corpus: str) -> dict[str, str]:
    with tenant_scope(tenant_id, statement_timeout_ms=TIMEOUT_MS):
        return fingerprint_corpus(corpus_id=get_corpus(tenant_id=tenant_id, external_id=corpus).id)


def _read_documents(corpus_id: int, last: int) -> list[tuple[int, DocumentBody | RecordBody]]:
    rows = Document.objects.filter(corpus_id=corpus_id, id__gt=last).order_by("id")[:PAGE]
    return [(row.id, _to_body(row)) for row in rows]


def _to_body(row: Document) -> DocumentBody:
    return DocumentBody(
        id=row.external_id,
        text=row.text,
        title=row.title or None,
        language=row.language or None,
        metadata=row.metadata or None,
        url=row.url or None,
        author=row.author or None,
        date=row.dated or None,
        authority=row.authority,
    )


def _read_records(corpus_id: int, last: int) -> list[tuple[int, DocumentBody | RecordBody]]:
    rows: list[tuple[int, Any]] = list(
        Record.objects.filter(corpus_id=corpus_id, id__gt=last).order_by("id").values_list("id", "body")[:PAGE]
    )
    return [(number, msgspec.convert(load_json(body), RecordBody)) for number, body in rows]
