"""Corpora: made, and set otherwise (SPEC N-1, D-49)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.database.statements import execute, fetch_rows
from retrieval.knowledge.errors import SchemaConflict
from retrieval.knowledge.graph.paths import read_edge_kinds
from retrieval.knowledge.ingest.deriving import derive_entities
from retrieval.knowledge.ingest.documents import write_titles
from retrieval.knowledge.ingest.mention_rows import update_mentions
from retrieval.knowledge.models import Plan
from retrieval.knowledge.planning.editing import ACTIVE
from retrieval.knowledge.planning.intents import InvalidPlan, read_intents
from retrieval.knowledge.schemas.schema import SchemaBody, build_schema, find_problem
from retrieval.knowledge.services.locking import lock_corpus
from retrieval.knowledge.services.versions import find_next_version, raise_version
from retrieval.knowledge.types import Changes, CorpusRef

DEFAULT_SCHEMA: Final = "documents"
_INSERT: Final = """
INSERT INTO knowledge_corpus (tenant_id, external_id, name, schema_name, schema, settings, created_at, updated_at)
VALUES (%(tenant_id)s, %(external_id)s, %(name)s, %(schema_name)s, %(schema)s, '{}', %(now)s, %(now)s)
ON CONFLICT ON CONSTRAINT an_external_id_is_one_corpus_of_a_tenant DO NOTHING
"""
_LIST_KINDS_OF_EDGES: Final = """
SELECT g.kind, s.type, t.type, count(*)
FROM knowledge_edge g
JOIN knowledge_record r ON r.corpus_id = g.corpus_id AND r.id = g.record_id
JOIN knowledge_entity s ON s.corpus_id = g.corpus_id AND s.id = r.entity_id
JOIN knowledge_entity t ON t.corpus_id = g.corpus_id AND t.id = g.target_id
WHERE g.corpus_id = %s GROUP BY 1, 2, 3
"""
_LIST_TYPES: Final = """
SELECT e.type, count(*)
FROM knowledge_record r JOIN knowledge_entity e ON e.corpus_id = r.corpus_id AND e.id = r.entity_id
WHERE r.corpus_id = %s GROUP BY 1
"""


def put_corpus(
    *,
    tenant_id: UUID,
    external_id: str,
    name: str | None,
    schema: str | SchemaBody | None,
    settings: Mapping[str, Any] | None,
    now: datetime,
) -> bool:
    """Make a corpus, or set what is given of it; whether it is new. Omitted fields stay as they are.

    Call inside a tenant scope. Raises InvalidSchema, and SchemaConflict when stored records do not fit. Writes.
    """
    schema_name, written = build_schema(DEFAULT_SCHEMA if schema is None else schema)
    is_new = _insert(tenant_id, external_id, name or external_id, schema_name, written, now)
    corpus = lock_corpus(tenant_id=tenant_id, external_id=external_id)
    if not is_new and schema is not None and dict(corpus.schema) != written:
        _change_schema(corpus, schema_name, written, now)
    if not is_new and name is not None:
        execute("UPDATE knowledge_corpus SET name = %s, updated_at = %s WHERE id = %s", [name, now, corpus.id])
    if settings is not None:
        statement = "UPDATE knowledge_corpus SET settings = %s, updated_at = %s WHERE id = %s AND settings <> %s::jsonb"
        text = json.dumps(dict(settings), ensure_ascii=False)
        execute(statement, [text, now, corpus.id, text])
    return is_new


def _insert(
    tenant_id: UUID, external_id: str, name: str, schema_name: str, schema: Mapping[str, Any], now: datetime
) -> bool:
    values = {
        "tenant_id": tenant_id,
        "external_id": external_id,
        "name": name,
        "schema_name": schema_name,
        "schema": json.dumps(schema, ensure_ascii=False),
        "now": now,
    }
    return execute(_INSERT, values) == 1


def _change_schema(corpus: CorpusRef, name: str, schema: dict[str, Any], now: datetime) -> None:
    """Another schema, with data in place: every stored record and the active plan must fit it; titles become entities,
    or stop being so."""
    misfits = _find_misfits(corpus, schema) | _find_plan_misfits(corpus, schema)
    if misfits:
        raise SchemaConflict(fields=misfits)
    statement = "UPDATE knowledge_corpus SET schema_name = %s, schema = %s WHERE id = %s"
    execute(statement, [name, json.dumps(schema, ensure_ascii=False), corpus.id])
    changes, changed = Changes(), CorpusRef(corpus.id, corpus.tenant_id, corpus.external_id, schema)
    if changed.has_types and not corpus.has_types:
        gone = "DELETE FROM knowledge_title WHERE corpus_id = %s RETURNING entity_id"
        changes.entities |= {row[0] for row in fetch_rows(gone, [corpus.id])}
    elif corpus.has_types and not changed.has_types:
        titles = fetch_rows("SELECT id, title FROM knowledge_document WHERE corpus_id = %s", [corpus.id])
        write_titles(changed, dict(titles), changes)
    derive_entities(changed, changes, is_last=True)
    update_mentions(changed, changes)
    raise_version(changed, version=find_next_version(changed), changes=changes, now=now)


def _find_misfits(corpus: CorpusRef, schema: Mapping[str, Any]) -> dict[str, str]:
    """By type or kind of edge: how many of what is stored the schema has no place for."""
    if not schema["types"]:
        return {}
    misfits = {
        f"types.{type}": f"{count} records have this type"
        for type, count in fetch_rows(_LIST_TYPES, [corpus.id])
        if type not in schema["types"]
    }
    for kind, source, target, count in fetch_rows(_LIST_KINDS_OF_EDGES, [corpus.id]):
        if find_problem(schema, kind=kind, source=source, target=target):
            misfits[f"edges.{kind}"] = f"{count} edges of this kind lead from {source} to {target}"
    return misfits


def _find_plan_misfits(corpus: CorpusRef, schema: Mapping[str, Any]) -> dict[str, str]:
    """The place of the active plan that the schema has no edge for: no question could be read any more."""
    intents = Plan.objects.filter(corpus_id=corpus.id, state=ACTIVE).values_list("intents", flat=True).first()
    try:
        read_intents(intents or (), read_edge_kinds(schema))
    except InvalidPlan as error:
        return {f"plan.{name}": text for name, text in error.fields.items()}
    return {}
