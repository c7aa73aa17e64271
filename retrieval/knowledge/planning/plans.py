"""The plan of a corpus as questions are read against it: its active version, or what its schema brings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from memory.database.queries import Query
from memory.tenants.scope import ask, prefetch, run_in_scope
from retrieval.knowledge.errors import CorpusNotFound
from retrieval.knowledge.graph.paths import EdgeKinds, read_edge_kinds
from retrieval.knowledge.models import Corpus, Plan
from retrieval.knowledge.planning.intents import Intent, read_intents
from retrieval.knowledge.planning.matching import CompiledPlan, compile_plan
from retrieval.knowledge.planning.reading import make_type_stems
from retrieval.knowledge.planning.switches import make_settings_query
from retrieval.knowledge.planning.types import Named
from retrieval.knowledge.planning.wording import read_shipped_intents, read_type_words
from retrieval.knowledge.selectors.corpora import get_corpus, make_corpus_query

SHIPPED: Final = 0
"""The version of a plan that came with the schema."""

_ACTIVE: Final = """
SELECT c.id, p.id, p.activated_at
FROM knowledge_corpus c JOIN knowledge_plan p ON p.corpus_id = c.id AND p.state = 'active'
WHERE c.tenant_id = %(tenant_id)s AND c.external_id = %(external_id)s
"""
_SINGLES: Final = """
SELECT e.id, e.type, e.key, e.name
FROM unnest(%(types)s::text[]) wanted (type)
CROSS JOIN LATERAL (
  SELECT * FROM knowledge_entity
  WHERE corpus_id = %(corpus_id)s AND type = wanted.type AND merged_into_id IS NULL LIMIT 2
) e
"""


class CorpusPlan:
    """A compiled plan with what goes with it: the edges of the schema, and the words for its types."""

    def __init__(self, *, intents: Sequence[Mapping[str, Any]], schema: Mapping[str, Any], name: str, version: int):
        self.version = version
        self.kinds: EdgeKinds = read_edge_kinds(schema)
        self.compiled: CompiledPlan = compile_plan(read_intents(intents, self.kinds))
        self.types: tuple[str, ...] = tuple(schema.get("types") or ())
        self.type_stems = make_type_stems(read_type_words(name), self.types)

    @property
    def intents(self) -> tuple[Intent, ...]:
        """The rows, in order."""
        return self.compiled.intents

    @property
    def only_types(self) -> list[str]:
        """Types whose single entity an intent starts at."""
        return sorted({intent.only_type for intent in self.intents if intent.only_type})

    def list_named(self, name: str) -> list[Intent]:
        """The rows of an intent, by its name in any case."""
        return [intent for intent in self.intents if intent.name.casefold() == name.strip().casefold()]


def open_corpus(*, tenant_id: UUID, external_id: str) -> Corpus:
    """As `get_corpus`, for a corpus that is about to be asked: with it comes what `get_plan` and `read_switches` read.

    As the first read of a scope that `opens_with_statement` it brings the transaction and the tenant too.
    """
    prefetch(
        [
            make_corpus_query(tenant_id=tenant_id, external_id=external_id),
            make_plan_query(tenant_id=tenant_id, external_id=external_id),
            make_settings_query(tenant_id=tenant_id),
        ]
    )
    return get_corpus(tenant_id=tenant_id, external_id=external_id)


def get_plan(corpus: Corpus) -> CorpusPlan:
    """The active plan of a corpus, or what holds without one. Its rows are read and compiled once a process.

    Raises CorpusNotFound where the corpus is deleted meanwhile.
    """
    active = ask(make_plan_query(tenant_id=corpus.tenant_id, external_id=corpus.external_id))
    schema = json.dumps(corpus.schema)
    if active:
        try:
            return _compile_active(*active[0], corpus.schema_name, schema)
        except Plan.DoesNotExist:  # a plan that was active goes only with its corpus
            raise CorpusNotFound from None
    return _compile_shipped(corpus.schema_name, schema)


def make_plan_query(*, tenant_id: UUID, external_id: str) -> Query:
    """The statement of `get_plan`, for `prefetch`. Index: a_corpus_has_one_active_plan."""
    return Query(_ACTIVE, {"tenant_id": tenant_id, "external_id": external_id})


def read_plan(corpus: Corpus, *, plan_id: UUID) -> CorpusPlan:
    """A plan of a corpus by id, as it is now: a draft changes. Without such a plan the active one."""
    plan = Plan.objects.filter(corpus_id=corpus.id, id=plan_id).values("version", "intents").first()
    if plan is None:
        return get_plan(corpus)
    return CorpusPlan(**plan, schema=corpus.schema, name=corpus.schema_name)


def list_current_intents(corpus: Corpus) -> list[dict[str, Any]]:
    """The rows of the active plan, or those that hold without one."""
    active = Plan.objects.filter(corpus_id=corpus.id, state="active").values_list("intents", flat=True).first()
    return list(active) if active is not None else list_default_intents(corpus)


def list_default_intents(corpus: Corpus) -> list[dict[str, Any]]:
    """The intents of a corpus without a plan of its own: its schema's, or those that ship with it."""
    return _list_default_intents(corpus.schema_name, corpus.schema)


def find_singles(*, corpus_id: int, types: Sequence[str]) -> dict[str, Named]:
    """The entity of each type that has just one. Index: a_key_is_one_entity_of_a_type."""
    if not types:
        return {}
    rows = run_in_scope([Query(_SINGLES, {"corpus_id": corpus_id, "types": list(types)})])[0]
    counts = [row[1] for row in rows]
    return {row[1]: Named(*row) for row in rows if counts.count(row[1]) == 1}


def _list_default_intents(schema_name: str, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    own = schema.get("intents")
    return list(own) if own else read_shipped_intents(schema_name)


@lru_cache(maxsize=64)
def _compile_active(corpus_id: int, plan_id: UUID, activated_at: datetime, schema_name: str, schema: str) -> CorpusPlan:
    """An active plan never changes: a plan and the moment always name the same rows."""
    plan = Plan.objects.values("version", "intents").get(corpus_id=corpus_id, id=plan_id)
    return CorpusPlan(**plan, schema=json.loads(schema), name=schema_name)


@lru_cache(maxsize=64)
def _compile_shipped(schema_name: str, schema: str) -> CorpusPlan:
    read = json.loads(schema)
    intents = _list_default_intents(schema_name, read)
    return CorpusPlan(version=SHIPPED, intents=intents, schema=read, name=schema_name)
