"""Documents: compared with what is stored, taken away, written. Call under the corpus's lock."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from memory.database.statements import execute, fetch_rows
from retrieval.knowledge.ingest.chunk_rows import ChunkedText, remove_chunks, write_chunks
from retrieval.knowledge.ingest.drafts import make_key
from retrieval.knowledge.ingest.records import load_json
from retrieval.knowledge.ingest.types import DocumentBody
from retrieval.knowledge.types import Changes, CorpusRef

TITLE_TYPE: Final = "Document"
_COLUMNS: Final = "external_id, title, text, language, url, author, dated, authority, metadata"
_INSERT: Final = f"""
INSERT INTO knowledge_document (tenant_id, corpus_id, {_COLUMNS}, version, ingested_at)
SELECT %(tenant_id)s, %(corpus_id)s, n.*, %(version)s, %(now)s
FROM unnest(%(ids)s::text[], %(titles)s::text[], %(texts)s::text[], %(languages)s::text[], %(urls)s::text[],
  %(authors)s::text[], %(dates)s::text[], %(authorities)s::float8[], %(metadata)s::jsonb[]) n ({_COLUMNS})
RETURNING id, external_id
"""
_INSERT_TITLE_ENTITIES: Final = """
INSERT INTO knowledge_entity (tenant_id, corpus_id, type, key, name)
SELECT DISTINCT ON (n.key) %(tenant_id)s::uuid, %(corpus_id)s::bigint, %(type)s::text, n.key, n.name
FROM unnest(%(keys)s::text[], %(names)s::text[]) n (key, name)
ON CONFLICT ON CONSTRAINT a_key_is_one_entity_of_a_type DO NOTHING
"""
_INSERT_TITLES: Final = """
INSERT INTO knowledge_title (tenant_id, corpus_id, document_id, entity_id)
SELECT %(tenant_id)s, %(corpus_id)s, n.document_id, e.id
FROM unnest(%(documents)s::bigint[], %(keys)s::text[]) n (document_id, key)
JOIN knowledge_entity e ON e.corpus_id = %(corpus_id)s AND e.type = %(type)s AND e.key = n.key
RETURNING entity_id
"""


def find_stored(corpus: CorpusRef, ids: Sequence[str]) -> dict[str, tuple[int, tuple[Any, ...]]]:
    """By the caller's id: the number of a document, and what is stored of it."""
    rows = fetch_rows(
        f"SELECT id, {_COLUMNS} FROM knowledge_document WHERE corpus_id = %s AND external_id = ANY(%s)",
        [corpus.id, list(ids)],
    )
    return {row[1]: (row[0], (*row[1:9], load_json(row[9]))) for row in rows}


def list_values(body: DocumentBody) -> tuple[Any, ...]:
    """What is stored of a document, to be compared with what is there."""
    return (
        body.id,
        (body.title or "").strip(),
        body.text,
        body.language or "",
        body.url or "",
        body.author or "",
        body.date or "",
        body.authority,
        body.metadata or {},
    )


def write_documents(
    corpus: CorpusRef, bodies: Sequence[DocumentBody], changes: Changes, *, version: int, now: datetime
) -> None:
    """Write documents that are not there, with chunks and the entities of their titles."""
    if not bodies:
        return
    ids, titles, texts, languages, urls, authors, dates, authorities, metadata = (
        list(column) for column in zip(*map(list_values, bodies), strict=True)
    )
    values = {
        "tenant_id": corpus.tenant_id, "corpus_id": corpus.id, "version": version, "now": now,
        "ids": ids, "titles": titles, "texts": texts, "languages": languages, "urls": urls, "authors": authors,
        "dates": dates, "authorities": authorities,
        "metadata": [json.dumps(each, ensure_ascii=False) for each in metadata],
    }  # fmt: skip
    numbers = {external_id: number for number, external_id in fetch_rows(_INSERT, values)}
    pairs = list(zip(bodies, titles, strict=True))
    chunked = [ChunkedText(numbers[body.id], None, title, body.text, True) for body, title in pairs]
    write_chunks(corpus, chunked, changes)
    if not corpus.has_types:
        write_titles(corpus, {numbers[body.id]: title for body, title in pairs}, changes)


def remove_documents(corpus: CorpusRef, numbers: Sequence[int], changes: Changes) -> None:
    """Delete documents with chunks and titles."""
    remove_chunks(corpus, documents=numbers)
    gone = "DELETE FROM knowledge_title WHERE corpus_id = %s AND document_id = ANY(%s) RETURNING entity_id"
    changes.entities |= {row[0] for row in fetch_rows(gone, [corpus.id, list(numbers)])}
    execute("DELETE FROM knowledge_document WHERE corpus_id = %s AND id = ANY(%s)", [corpus.id, list(numbers)])


def write_titles(corpus: CorpusRef, titles: Mapping[int, str], changes: Changes) -> None:
    """Make entities of titles, one for all documents that bear it."""
    named = {number: title for number, title in titles.items() if title}
    keys = [make_key(title) for title in named.values()]
    values = {
        "tenant_id": corpus.tenant_id,
        "corpus_id": corpus.id,
        "type": TITLE_TYPE,
        "documents": list(named),
        "keys": keys,
        "names": list(named.values()),
    }
    execute(_INSERT_TITLE_ENTITIES, values)
    changes.entities |= {row[0] for row in fetch_rows(_INSERT_TITLES, values)}
