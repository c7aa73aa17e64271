"""What is derived of a corpus, as hashes: equal for equal registry, graph and index, whatever their history (N-7)."""

from __future__ import annotations

import hashlib
from typing import Final

from memory.database.statements import fetch_rows

_OWNER: Final = "coalesce('d:' || d.external_id, 'r:' || r.external_id)"
_OF_CHUNK: Final = """
LEFT JOIN knowledge_document d ON d.corpus_id = c.corpus_id AND d.id = c.document_id
LEFT JOIN knowledge_record r ON r.corpus_id = c.corpus_id AND r.id = c.record_id
"""
_PARTS: Final = {
    "entities": "SELECT type, key, name, fields::text, is_bare FROM knowledge_entity WHERE corpus_id = %s",
    "aliases": """
        SELECT e.type, e.key, a.text, a.folded, a.kind, a.status FROM knowledge_alias a
        JOIN knowledge_entity e ON e.corpus_id = a.corpus_id AND e.id = a.entity_id WHERE a.corpus_id = %s""",
    "alias_keys": """
        SELECT e.type, e.key, a.text, k.key, k.kind FROM knowledge_alias_key k
        JOIN knowledge_alias a ON a.corpus_id = k.corpus_id AND a.id = k.alias_id
        JOIN knowledge_entity e ON e.corpus_id = a.corpus_id AND e.id = a.entity_id WHERE k.corpus_id = %s""",
    "edges": """
        SELECT r.external_id, g.ordinal, g.kind, s.type, s.key, t.type, t.key, g.reference, g.valid_from, g.valid_to
        FROM knowledge_edge g
        JOIN knowledge_record r ON r.corpus_id = g.corpus_id AND r.id = g.record_id
        JOIN knowledge_entity s ON s.corpus_id = g.corpus_id AND s.id = g.source_id
        JOIN knowledge_entity t ON t.corpus_id = g.corpus_id AND t.id = g.target_id WHERE g.corpus_id = %s""",
    "chunks": f"""
        SELECT {_OWNER}, c.ordinal, c.start_at, c.end_at, c.title, c.text, c.words FROM knowledge_chunk c {_OF_CHUNK}
        WHERE c.corpus_id = %s""",
    "postings": f"""
        SELECT {_OWNER}, c.ordinal, p.term, p.count FROM knowledge_posting p
        JOIN knowledge_chunk c ON c.corpus_id = p.corpus_id AND c.id = p.chunk_id {_OF_CHUNK} WHERE p.corpus_id = %s""",
    "mentions": f"""
        SELECT {_OWNER}, c.ordinal, m.start_at, m.end_at, e.type, e.key, m.match, m.is_strict, m.surface
        FROM knowledge_mention m JOIN knowledge_chunk c ON c.corpus_id = m.corpus_id AND c.id = m.chunk_id {_OF_CHUNK}
        JOIN knowledge_entity e ON e.corpus_id = m.corpus_id AND e.id = m.entity_id WHERE m.corpus_id = %s""",
    "titles": """
        SELECT d.external_id, e.key FROM knowledge_title t
        JOIN knowledge_document d ON d.corpus_id = t.corpus_id AND d.id = t.document_id
        JOIN knowledge_entity e ON e.corpus_id = t.corpus_id AND e.id = t.entity_id WHERE t.corpus_id = %s""",
}


def fingerprint_corpus(*, corpus_id: int) -> dict[str, str]:
    """A hash for each kind of derived row, over all of a corpus. For checks; it reads everything."""
    return {name: _hash(fetch_rows(statement, [corpus_id])) for name, statement in _PARTS.items()}


def _hash(rows: list[tuple[object, ...]]) -> str:
    lines = sorted(repr(row) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
