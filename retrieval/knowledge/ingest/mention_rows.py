"""Who is named in which chunk. Chunks that are new are read for names, and those with a name that came or went.

Call under the corpus's lock, when the aliases are those that hold from now on.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from memory.database.statements import execute, fetch_row, fetch_rows
from retrieval.knowledge.entities.resolving import resolve_texts
from retrieval.knowledge.ingest.rereading import find_chunks_naming
from retrieval.knowledge.types import Changes, CorpusRef

CHUNKS_AT_ONCE: Final = 2_000
MAX_SURFACE: Final = 500
_INSERT: Final = """
INSERT INTO knowledge_mention (tenant_id, corpus_id, chunk_id, start_at, end_at, entity_id, match, is_strict, surface)
SELECT %(tenant_id)s, %(corpus_id)s, n.*
FROM unnest(%(chunks)s::bigint[], %(starts)s::int[], %(ends)s::int[], %(entities)s::bigint[], %(matches)s::text[],
  %(strict)s::boolean[], %(surfaces)s::text[]) n
"""


def update_mentions(corpus: CorpusRef, changes: Changes) -> None:
    """Read again what may name other entities than before."""
    is_first = fetch_row("SELECT chunks FROM knowledge_corpus WHERE id = %s", [corpus.id])[0] == len(changes.chunks)
    found = [] if is_first else find_chunks_naming(corpus.id, changes.aliases, besides=changes.chunks)
    chunks = sorted({*changes.chunks, *found})
    for start in range(0, len(chunks), CHUNKS_AT_ONCE):
        read_for_names(corpus, chunks[start : start + CHUNKS_AT_ONCE], new=changes.chunks)


def read_for_names(corpus: CorpusRef, chunks: Sequence[int], *, new: Collection[int] = ()) -> None:
    """Write the mentions of chunks anew."""
    old = [chunk for chunk in chunks if chunk not in new]
    if old:
        execute("DELETE FROM knowledge_mention WHERE corpus_id = %s AND chunk_id = ANY(%s)", [corpus.id, old])
    texts = fetch_rows(
        "SELECT id, text FROM knowledge_chunk WHERE corpus_id = %s AND id = ANY(%s)", [corpus.id, list(chunks)]
    )
    hits = resolve_texts(corpus_id=corpus.id, texts=[text for _, text in texts], is_query=False)
    rows = [
        (chunk, hit, text[hit.start : hit.end])
        for (chunk, text), found in zip(texts, hits, strict=True)
        for hit in found
    ]
    if not rows:
        return
    execute(
        _INSERT,
        {
            "tenant_id": corpus.tenant_id,
            "corpus_id": corpus.id,
            "chunks": [chunk for chunk, _, _ in rows],
            "starts": [hit.start for _, hit, _ in rows],
            "ends": [hit.end for _, hit, _ in rows],
            "entities": [hit.entity_id for _, hit, _ in rows],
            "matches": [hit.match.word for _, hit, _ in rows],
            "strict": [hit.is_strict for _, hit, _ in rows],
            "surfaces": [surface[:MAX_SURFACE] for _, _, surface in rows],
        },
    )
