"""A graph query as a caller asks it: an intent or a path, from an entity by key or by name (SPEC N-4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.errors import InvalidRequest
from retrieval.knowledge.entities.resolving import resolve_texts
from retrieval.knowledge.graph.paths import read_path
from retrieval.knowledge.graph.queries import UNKNOWN, GraphResult, query_graph
from retrieval.knowledge.models import Corpus, Entity
from retrieval.knowledge.planning.intents import Intent
from retrieval.knowledge.planning.plans import CorpusPlan, find_singles, get_plan
from retrieval.knowledge.planning.reading import Hit, is_as_written
from retrieval.knowledge.planning.types import Named


class UnknownIntent(InvalidRequest):
    """The plan of the corpus has no such intent that a path answers."""

    code = "unknown_intent"
    default_message = "The plan of this corpus has no such intent, or the intent has no path."


@dataclass(frozen=True, slots=True)
class GraphQuery:
    """Either `intent` or `path`; the entity by `key` or `name`, perhaps of a `type`."""

    intent: str | None = None
    path: tuple[str, ...] | None = None
    type: str | None = None
    key: str | None = None
    name: str | None = None
    as_of: datetime | None = None


def answer_graph_query(corpus: Corpus, query: GraphQuery, *, now: datetime) -> GraphResult:
    """The items of a query; UNKNOWN for an entity that is not known for certain. Reads only; inside a tenant scope.

    Raises UnknownIntent, UnknownEdge, and InvalidRequest where an entity is needed and none is named.
    """
    plan = get_plan(corpus)
    intents = _list_intents(query, plan)
    starts = _find_starts(corpus, query, intents)
    for start in starts:
        fitting = [intent for intent in intents if query.path is not None or intent.may_start_at(start.type)]
        if fitting:
            return query_graph(
                corpus_id=corpus.id,
                intents=fitting,
                start_ids=[start.entity_id],
                as_of=query.as_of,
                now=now,
                types=plan.types,
            )
    return GraphResult() if starts else UNKNOWN


def _list_intents(query: GraphQuery, plan: CorpusPlan) -> list[Intent]:
    if query.path is not None:
        return [Intent("", paths=(read_path(query.path, plan.kinds),))]
    intents = [intent for intent in plan.list_named(query.intent or "") if intent.is_graph]
    if not intents:
        raise UnknownIntent(fields={"intent": "is not in the plan, or has no path"})
    return intents


def _find_starts(corpus: Corpus, query: GraphQuery, intents: Sequence[Intent]) -> list[Hit]:
    """The entity that is named; without a name the only one of the type that the intent starts at."""
    if query.key is None and query.name is None:
        types = sorted({intent.only_type for intent in intents if intent.only_type})
        if not types:
            raise InvalidRequest(fields={"entity": "key or name is required"})
        return list(find_singles(corpus_id=corpus.id, types=types).values())
    if query.key is not None:
        return _find_by_key(corpus, query.key, query.type)
    hits = _find_by_name(corpus, query.name or "", query.type)
    fitting = [hit for hit in hits if any(intent.may_start_at(hit.type) for intent in intents)]
    return fitting if len(fitting) == 1 else hits if len(hits) == 1 else []


def _find_by_key(corpus: Corpus, key: str, type_: str | None) -> list[Hit]:
    rows = Entity.objects.filter(corpus_id=corpus.id, key=key)
    rows = rows.filter(type=type_) if type_ else rows
    found: list[Hit] = []
    for entity in rows.order_by("id")[:10]:
        kept = Entity.objects.get(corpus_id=corpus.id, id=entity.merged_into_id) if entity.merged_into_id else entity
        found.append(Named(kept.id, kept.type, kept.key, kept.name))
    return found


def _find_by_name(corpus: Corpus, name: str, type_: str | None) -> list[Hit]:
    """The entities that the whole of a name surely stands for."""
    hits = resolve_texts(corpus_id=corpus.id, texts=[name], version=corpus.version)[0]
    whole = [hit for hit in hits if name[: hit.start].strip() == name[hit.end :].strip() == ""]
    wanted = [hit for hit in whole if type_ is None or hit.type == type_]
    strict = [hit for hit in wanted if hit.is_strict]
    return list(strict or [hit for hit in wanted if is_as_written(hit)])
