"""What an entity is follows from what speaks of it: its record, the titles of documents, edges that lead to it.

Entities that were touched are derived anew from what is there; one that nothing speaks of goes. Call under the corpus's
lock, when all edges lead where they should.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from memory.database.statements import execute, fetch_rows
from retrieval.knowledge.entities.patterns import list_alias_keys
from retrieval.knowledge.ingest.drafts import fold_reference, list_names
from retrieval.knowledge.ingest.records import load_json
from retrieval.knowledge.packing import write_numbers
from retrieval.knowledge.sql import read_sql
from retrieval.knowledge.types import Changes, CorpusRef

_IN_BRACKETS: Final = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_UPDATE: Final = """
UPDATE knowledge_entity e SET name = n.name, fields = n.fields, is_bare = n.is_bare
FROM unnest(%(ids)s::bigint[], %(names)s::text[], %(fields)s::jsonb[], %(bare)s::boolean[])
  n (id, name, fields, is_bare)
WHERE e.corpus_id = %(corpus_id)s AND e.id = n.id
  AND (e.name, e.fields, e.is_bare) IS DISTINCT FROM (n.name, n.fields, n.is_bare)
"""
_INSERT_ALIASES: Final = """
INSERT INTO knowledge_alias (tenant_id, corpus_id, entity_id, text, folded, kind, status)
SELECT %(tenant_id)s, %(corpus_id)s, n.*
FROM unnest(%(entities)s::bigint[], %(texts)s::text[], %(folded)s::text[], %(kinds)s::text[], %(statuses)s::text[])
  n (entity_id, text, folded, kind, status)
ON CONFLICT ON CONSTRAINT an_alias_is_written_once_for_an_entity DO UPDATE SET kind = EXCLUDED.kind
RETURNING id, text
"""
_INSERT_KEYS: Final = """
INSERT INTO knowledge_alias_key (tenant_id, corpus_id, key, alias_id, kind)
SELECT %(tenant_id)s, %(corpus_id)s, n.*
FROM unnest(%(keys)s::bigint[], %(aliases)s::bigint[], %(kinds)s::smallint[]) n
ON CONFLICT DO NOTHING
"""
# Rows kept for them alone may go with the entities that were merged into them.
_LIST_STOOD_FOR: Final = """
SELECT DISTINCT merged_into_id FROM knowledge_entity
WHERE corpus_id = %s AND id = ANY(%s) AND merged_into_id IS NOT NULL
"""


class _Entity(NamedTuple):
    id: int
    key: str
    body: Mapping[str, Any] | None
    titles: Sequence[str]
    has_edges: bool
    spelling: str | None
    is_kept: bool
    """By a decision of a person: something was merged into it, or it was split off."""
    name: str


def derive_entities(corpus: CorpusRef, changes: Changes, *, is_last: bool) -> None:
    """Bring the entities that were touched up to date with what speaks of them, their aliases included.

    Unless it `is_last`, entities that nothing speaks of stay without a name: edges to them may be written yet.
    """
    rows = fetch_rows(read_sql("derive_entities"), {"corpus_id": corpus.id, "ids": sorted(changes.entities)})
    entities = [_Entity(*row)._replace(body=load_json(row[2])) for row in rows]
    alive = [each for each in entities if each.body or each.titles or each.has_edges or each.is_kept]
    gone = [each.id for each in entities if not (each.body or each.titles or each.has_edges or each.is_kept)]
    _update(corpus, alive)
    wanted = {each.id: _list_aliases(each) for each in alive} | {entity: {} for entity in gone}
    _sync_aliases(corpus, wanted, changes, lost=set(gone) if is_last else set())
    if not is_last:
        return
    stood_for = {row[0] for row in fetch_rows(_LIST_STOOD_FOR, [corpus.id, gone])}
    for table in ("knowledge_mention", "knowledge_registry_action"):
        execute(f"DELETE FROM {table} WHERE corpus_id = %s AND entity_id = ANY(%s)", [corpus.id, gone])
    execute("DELETE FROM knowledge_entity WHERE corpus_id = %s AND id = ANY(%s)", [corpus.id, gone])
    if stood_for:
        derive_entities(corpus, Changes(entities=stood_for, aliases=changes.aliases), is_last=True)


def _update(corpus: CorpusRef, entities: Sequence[_Entity]) -> None:
    values = {
        "corpus_id": corpus.id,
        "ids": [each.id for each in entities],
        "names": [_find_name(each) for each in entities],
        "fields": [json.dumps((each.body or {}).get("fields") or {}, ensure_ascii=False) for each in entities],
        "bare": [not each.body and not each.titles for each in entities],
    }
    execute(_UPDATE, values)


def _find_name(entity: _Entity) -> str:
    if entity.body:
        return str(entity.body["name"])
    if entity.titles:
        return min(entity.titles)
    return entity.spelling or (entity.name if entity.is_kept and not entity.has_edges else entity.key)


def _list_aliases(entity: _Entity) -> dict[str, str]:
    """The kind of each alias by its text."""
    if entity.body:
        name, *declared = list_names(entity.body)
        return {**dict.fromkeys((text for text in declared if text.strip()), "declared"), name: "name"}
    if entity.titles:
        short = [_IN_BRACKETS.sub("", title) for title in entity.titles]
        return dict.fromkeys((text for text in (*entity.titles, *short) if text.strip()), "title")
    return {_find_name(entity): "name"}


def _sync_aliases(
    corpus: CorpusRef, wanted: Mapping[int, Mapping[str, str]], changes: Changes, *, lost: set[int]
) -> None:
    """Make the aliases of entities those that are wanted; what a person added stays, but with those that are lost."""
    stored: dict[int, dict[str, str]] = defaultdict(dict)
    statement = "SELECT entity_id, text, kind FROM knowledge_alias WHERE corpus_id = %s AND entity_id = ANY(%s)"
    for entity, text, kind in fetch_rows(statement, [corpus.id, list(wanted)]):
        stored[entity][text] = kind
    gone = [
        (entity, text)
        for entity, texts in stored.items()
        for text, kind in texts.items()
        if text not in wanted[entity] and (kind != "person" or entity in lost)
    ]
    new = [
        (entity, text, kind)
        for entity, texts in wanted.items()
        for text, kind in texts.items()
        if stored[entity].get(text) != kind
    ]
    _delete_aliases(corpus, gone)
    changes.aliases |= {text for _, text in gone} | {text for _, text, _ in new}
    write_aliases(corpus, new)


def _delete_aliases(corpus: CorpusRef, aliases: Sequence[tuple[int, str]]) -> None:
    """Keys first: they go by themselves too, but one by one."""
    values = {
        "corpus_id": corpus.id,
        "entities": [entity for entity, _ in aliases],
        "texts": [text for _, text in aliases],
    }
    found = fetch_rows(
        "SELECT a.id FROM unnest(%(entities)s::bigint[], %(texts)s::text[]) n (entity_id, text) JOIN knowledge_alias a"
        " ON a.corpus_id = %(corpus_id)s AND a.entity_id = n.entity_id AND a.text = n.text",
        values,
    )
    ids = [row[0] for row in found]
    execute("DELETE FROM knowledge_alias_key WHERE corpus_id = %s AND alias_id = ANY(%s)", [corpus.id, ids])
    execute("DELETE FROM knowledge_alias WHERE corpus_id = %s AND id = ANY(%s)", [corpus.id, ids])


def write_aliases(corpus: CorpusRef, aliases: Iterable[tuple[int, str, str]]) -> None:
    """Write aliases (entity, text, kind) with the keys that they are found by."""
    rows = list(aliases)
    if not rows:
        return
    keys = {text: list_alias_keys(text) for _, text, _ in rows}
    written = fetch_rows(
        _INSERT_ALIASES,
        {
            "tenant_id": corpus.tenant_id,
            "corpus_id": corpus.id,
            "entities": [entity for entity, _, _ in rows],
            "texts": [text for _, text, _ in rows],
            "folded": [fold_reference(text) for _, text, _ in rows],
            "kinds": [kind for _, _, kind in rows],
            "statuses": ["active" if keys[text] else "ignored" for _, text, _ in rows],
        },
    )
    rows_of_keys = [(key, alias, int(kind)) for alias, text in written for key, kind in keys[text]]
    execute(
        _INSERT_KEYS,
        {
            "tenant_id": corpus.tenant_id,
            "corpus_id": corpus.id,
            "keys": write_numbers(key for key, _, _ in rows_of_keys),
            "aliases": write_numbers(alias for _, alias, _ in rows_of_keys),
            "kinds": write_numbers(kind for _, _, kind in rows_of_keys),
        },
    )
