"""Typed records: compared with what is stored, taken away, written. Call under the corpus's lock."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec

from memory.database.statements import execute, fetch_rows
from retrieval.knowledge.ingest.chunk_rows import ChunkedText, remove_chunks, write_chunks
from retrieval.knowledge.ingest.drafts import list_names, list_own_references
from retrieval.knowledge.ingest.types import RecordBody, RecordDraft
from retrieval.knowledge.types import Changes, CorpusRef

_FIND: Final = """
SELECT r.id, r.external_id, r.entity_id, e.type, e.key, r.body
FROM knowledge_record r JOIN knowledge_entity e ON e.corpus_id = r.corpus_id AND e.id = r.entity_id
WHERE r.corpus_id = %(corpus_id)s AND r.external_id = ANY(%(ids)s)
"""
_FIND_OWNERS: Final = """
SELECT n.type, n.key, r.external_id
FROM unnest(%(types)s::text[], %(keys)s::text[]) n (type, key)
JOIN knowledge_entity e ON e.corpus_id = %(corpus_id)s AND e.type = n.type AND e.key = n.key
JOIN knowledge_record r ON r.corpus_id = e.corpus_id AND r.entity_id = e.id
"""
_INSERT_ENTITIES: Final = """
INSERT INTO knowledge_entity (tenant_id, corpus_id, type, key, name)
SELECT %(tenant_id)s::uuid, %(corpus_id)s::bigint, n.type, n.key, n.name
FROM unnest(%(types)s::text[], %(keys)s::text[], %(names)s::text[]) n (type, key, name)
ON CONFLICT ON CONSTRAINT a_key_is_one_entity_of_a_type DO NOTHING
"""
_INSERT: Final = """
INSERT INTO knowledge_record (tenant_id, corpus_id, external_id, entity_id, body, version, ingested_at)
SELECT %(tenant_id)s, %(corpus_id)s, n.external_id, e.id, n.body, %(version)s, %(now)s
FROM unnest(%(ids)s::text[], %(types)s::text[], %(keys)s::text[], %(bodies)s::jsonb[]) n (external_id, type, key, body)
JOIN knowledge_entity e ON e.corpus_id = %(corpus_id)s AND e.type = n.type AND e.key = n.key
RETURNING id, external_id, entity_id
"""


class StoredRecord(NamedTuple):
    """A record that is there, and the entity that it is about."""

    number: int
    id: str
    entity_id: int
    type: str
    key: str
    body: Mapping[str, Any]


def find_stored(corpus: CorpusRef, ids: Sequence[str]) -> dict[str, StoredRecord]:
    """Records by the caller's id."""
    rows = fetch_rows(_FIND, {"corpus_id": corpus.id, "ids": list(ids)})
    return {row[1]: StoredRecord(*row)._replace(body=load_json(row[5])) for row in rows}


def find_owners(corpus: CorpusRef, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """By type and key: the caller's id of the record that has them."""
    wanted = sorted(set(keys))
    values = {"corpus_id": corpus.id, "types": [type for type, _ in wanted], "keys": [key for _, key in wanted]}
    return {(type, key): owner for type, key, owner in fetch_rows(_FIND_OWNERS, values)}


def to_stored(body: RecordBody) -> dict[str, Any]:
    """A record as it is stored: what it leaves out is left out."""
    stored: dict[str, Any] = msgspec.to_builtins(body)
    return stored


def write_records(
    corpus: CorpusRef, drafts: Sequence[RecordDraft], changes: Changes, *, version: int, now: datetime
) -> dict[str, tuple[int, int]]:
    """Write records that are not there, with their chunks. Their edges follow when all nodes are there.

    (number of the record, entity) by the caller's id.
    """
    if not drafts:
        return {}
    bodies = [to_stored(draft.body) for draft in drafts]
    values = {
        "tenant_id": corpus.tenant_id, "corpus_id": corpus.id, "version": version, "now": now,
        "ids": [draft.body.id for draft in drafts], "types": [draft.body.type for draft in drafts],
        "keys": [draft.key for draft in drafts], "names": [draft.body.name for draft in drafts],
        "bodies": [json.dumps(body, ensure_ascii=False) for body in bodies],
    }  # fmt: skip
    execute(_INSERT_ENTITIES, {name: values[name] for name in ("tenant_id", "corpus_id", "types", "keys", "names")})
    rows = fetch_rows(_INSERT, {name: value for name, value in values.items() if name != "names"})
    numbers = {external_id: (number, entity) for number, external_id, entity in rows}
    changes.entities |= {entity for _, entity in numbers.values()}
    for draft, body in zip(drafts, bodies, strict=True):
        changes.references |= list_own_references(type=draft.body.type, key=draft.key, names=list_names(body))
    write_chunks(corpus, [_make_text(draft, numbers[draft.body.id][0]) for draft in drafts], changes)
    return numbers


def remove_records(corpus: CorpusRef, records: Sequence[StoredRecord], changes: Changes) -> None:
    """Delete records with chunks and edges. Their entities are looked at later: others may refer to them."""
    numbers = [record.number for record in records]
    remove_chunks(corpus, records=numbers)
    ends = "DELETE FROM knowledge_edge WHERE corpus_id = %s AND record_id = ANY(%s) RETURNING source_id, target_id"
    for source, target in fetch_rows(ends, [corpus.id, numbers]):
        changes.entities |= {source, target}
    execute("DELETE FROM knowledge_record WHERE corpus_id = %s AND id = ANY(%s)", [corpus.id, numbers])
    changes.entities |= {record.entity_id for record in records}
    for record in records:
        changes.references |= list_own_references(type=record.type, key=record.key, names=list_names(record.body))


def load_json(value: Any) -> Any:
    """A JSON value, whether the driver decoded it or not."""
    return json.loads(value) if isinstance(value, str) else value


def _make_text(draft: RecordDraft, number: int) -> ChunkedText:
    """The text of a record under its name; without one the name itself is found."""
    text = draft.body.text or ""
    if text.strip():
        return ChunkedText(None, number, draft.body.name, text, True)
    return ChunkedText(None, number, "", draft.body.name, False)
