"""Chunks with their postings: written, and taken away. Call under the corpus's lock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from memory.database.statements import execute, fetch_rows
from patterns.text.tokens import TOKENISER_VERSION, count_words
from retrieval.knowledge.ingest.chunks import Piece, cut_text
from retrieval.knowledge.ingest.postings import count_terms
from retrieval.knowledge.packing import write_numbers
from retrieval.knowledge.types import Changes, CorpusRef

_INSERT: Final = """
INSERT INTO knowledge_chunk
  (tenant_id, corpus_id, tokeniser, terms, counts, document_id, record_id, ordinal, start_at, end_at, title, text,
   words)
SELECT %(tenant_id)s, %(corpus_id)s, %(tokeniser)s, n.terms::bigint[], n.counts::smallint[],
  n.document_id, n.record_id, n.ordinal, n.start_at, n.end_at, n.title, n.text, n.words
FROM unnest(%(terms)s::text[], %(counts)s::text[], %(documents)s::bigint[], %(records)s::bigint[], %(ordinals)s::int[],
  %(starts)s::int[], %(ends)s::int[], %(titles)s::text[], %(texts)s::text[], %(words)s::int[])
  n (terms, counts, document_id, record_id, ordinal, start_at, end_at, title, text, words)
RETURNING id, document_id, record_id, ordinal
"""


class ChunkedText(NamedTuple):
    """A text of a document or a record that is to be found."""

    document_id: int | None
    record_id: int | None
    title: str
    text: str
    names_entities: bool
    """Whether it is read for names; the bare name of a record is not."""


def write_chunks(corpus: CorpusRef, texts: Iterable[ChunkedText], changes: Changes) -> None:
    """Cut texts into chunks and write them; postings come by themselves. Texts with a title alone give one chunk."""
    rows = [
        (source, ordinal, piece.start, piece.end, source.text[piece.start : piece.end])
        for source in texts
        for ordinal, piece in enumerate(cut_text(source.text) or [Piece(0, 0)])
        if piece.end > piece.start or source.title
    ]
    if not rows:
        return
    terms = [count_terms(row[0].title, row[4]) for row in rows]
    found = fetch_rows(
        _INSERT,
        {
            "tenant_id": corpus.tenant_id,
            "corpus_id": corpus.id,
            "tokeniser": TOKENISER_VERSION,
            "terms": [write_numbers(counted) for counted in terms],
            "counts": [write_numbers(counted.values()) for counted in terms],
            "documents": [source.document_id for source, *_ in rows],
            "records": [source.record_id for source, *_ in rows],
            "ordinals": [row[1] for row in rows],
            "starts": [row[2] for row in rows],
            "ends": [row[3] for row in rows],
            "titles": [source.title for source, *_ in rows],
            "texts": [row[4] for row in rows],
            "words": [count_words(f"{row[0].title} {row[4]}") for row in rows],
        },
    )
    ids = {(document, record, ordinal): chunk for chunk, document, record, ordinal in found}
    changes.chunks |= {ids[row[0].document_id, row[0].record_id, row[1]] for row in rows if row[0].names_entities}


def remove_chunks(corpus: CorpusRef, *, documents: Sequence[int] = (), records: Sequence[int] = ()) -> None:
    """Delete the chunks of documents and records with all that hangs on them."""
    owners = {"corpus_id": corpus.id, "documents": list(documents), "records": list(records)}
    of_any = "document_id = ANY(%(documents)s::bigint[]) OR record_id = ANY(%(records)s::bigint[])"
    own = f"corpus_id = %(corpus_id)s AND ({of_any})"
    chunks = [row[0] for row in fetch_rows(f"SELECT id FROM knowledge_chunk WHERE {own}", owners)]
    for table, column in (("knowledge_mention", "chunk_id"), ("knowledge_chunk", "id")):
        execute(f"DELETE FROM {table} WHERE corpus_id = %s AND {column} = ANY(%s)", [corpus.id, chunks])
