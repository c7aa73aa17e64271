"""A graph query: an intent or a path, walked from entities to items with their sources (SPEC N-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from memory.database.queries import Query
from memory.tenants.scope import run_in_scope
from retrieval.knowledge.graph.walking import MAX_ITEMS, Reached, walk_path
from retrieval.knowledge.planning.intents import Intent

_ENTITIES: Final = """
SELECT e.id, e.type, e.key, e.name, e.fields, r.id, r.external_id
FROM knowledge_entity e
LEFT JOIN knowledge_record r ON r.corpus_id = e.corpus_id AND r.entity_id = e.id
WHERE e.corpus_id = %(corpus_id)s AND e.id = ANY(%(ids)s)
"""
_RECORDS: Final = """
SELECT id, external_id FROM knowledge_record WHERE corpus_id = %(corpus_id)s AND id = ANY(%(ids)s)
"""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of an answer, and the records that say so."""

    text: str
    type: str
    key: str
    entity_id: int
    record_ids: tuple[str, ...] = ()
    """External ids: of its own record, then of those whose edge leads to it."""


@dataclass(frozen=True, slots=True)
class GraphResult:
    """All that was asked for and only that; `total` is more than the items only beyond MAX_ITEMS (D-48)."""

    items: tuple[Item, ...] = ()
    total: int = 0
    is_known: bool = True
    """Whether there was an entity to start at."""

    @property
    def found(self) -> bool:
        """Whether there is an item."""
        return bool(self.items)

    @property
    def is_truncated(self) -> bool:
        """Whether there is more than was returned."""
        return self.total > len(self.items)

    @property
    def confidence(self) -> float:
        """1 where a certain entity was asked about: an empty list is then as sure as a full one. 0 otherwise."""
        return 1.0 if self.is_known else 0.0

    @property
    def record_ids(self) -> tuple[str, ...]:
        """The records of all items, each once."""
        return tuple(dict.fromkeys(record for item in self.items for record in item.record_ids))


UNKNOWN: Final = GraphResult(is_known=False)


@dataclass(slots=True)
class _Gathered:
    total: int = 0
    reached: dict[int, list[int]] = field(default_factory=dict)


def query_graph(
    *,
    corpus_id: int,
    intents: Sequence[Intent],
    start_ids: Sequence[int],
    as_of: datetime | None,
    now: datetime,
    types: Sequence[str] = (),
) -> GraphResult:
    """What the paths of the intents reach from the start entities. Inside a tenant scope.

    `types` are those of the corpus's schema: an intent's answer type counts only where it is one of them.
    """
    gathered = _Gathered()
    items: dict[tuple[int, str], Item] = {}
    for intent in intents:
        _walk_intent(gathered, intent, corpus_id, start_ids, as_of or (now if intent.is_current else None))
        if not gathered.reached:
            continue
        for item in _read_items(corpus_id, intent, gathered.reached, types):
            items.setdefault((item.entity_id, item.text), item)
        gathered.reached = {}
    listed = tuple(items.values())[:MAX_ITEMS]
    return GraphResult(listed, max(len(items), gathered.total if gathered.total > MAX_ITEMS else 0))


def _walk_intent(
    gathered: _Gathered, intent: Intent, corpus_id: int, start_ids: Sequence[int], as_of: datetime | None
) -> None:
    for path in intent.paths or ():
        walk = walk_path(corpus_id=corpus_id, start_ids=start_ids, path=path, as_of=as_of)
        gathered.total = max(gathered.total, walk.total)
        for one in walk.reached:
            _add(gathered.reached, one)


def _add(reached: dict[int, list[int]], one: Reached) -> None:
    known = reached.setdefault(one.entity_id, [])
    known.extend(record for record in one.record_ids if record not in known)


def _read_items(corpus_id: int, intent: Intent, reached: Mapping[int, list[int]], types: Sequence[str]) -> list[Item]:
    records = sorted({record for ids in reached.values() for record in ids})
    entity_rows, record_rows = run_in_scope(
        [
            Query(_ENTITIES, {"corpus_id": corpus_id, "ids": list(reached)}),
            Query(_RECORDS, {"corpus_id": corpus_id, "ids": records}),
        ]
    )
    names: dict[int, str] = dict(record_rows)
    rows = {row[0]: row for row in entity_rows}
    items: list[Item] = []
    for entity_id, supports in reached.items():
        if entity_id not in rows:
            continue
        _, type_, key, name, fields, own_id, own = rows[entity_id]
        if (intent.answer_type in types and type_ != intent.answer_type) or not _has(fields, intent.where):
            continue
        sources = tuple(dict.fromkeys([*([own] if own_id else []), *(names[one] for one in supports if one in names)]))
        texts = list_selected(fields, intent.select) if intent.select else [name]
        items.extend(Item(text, type_, key, entity_id, sources) for text in texts)
    return items


def _has(fields: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether an entity's fields hold the values; of a list one suffices, case does not count."""
    return all(_fold(wanted) in _fold_all(fields.get(name)) for name, wanted in where.items())


def _fold_all(value: Any) -> list[str]:
    return [_fold(one) for one in value] if isinstance(value, list) else [_fold(value)]


def _fold(value: Any) -> str:
    return str(value).strip().casefold()


def list_selected(fields: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """The values of an entity's fields as a person reads them: `Email: a@b.c`, in the order of the names."""
    folded = {_fold(name).replace("-", "_").replace(" ", "_"): (name, value) for name, value in fields.items()}
    texts: list[str] = []
    for name in names:
        if name in folded:
            texts.extend(_write_value(*folded[name]))
    return list(dict.fromkeys(texts))


def _write_value(name: str, value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for inner, one in value.items() for text in _write_value(inner, one)]
    if isinstance(value, list):
        return [text for one in value for text in _write_value(name, one)]
    if value in (None, ""):
        return []
    label = str(name).replace("_", " ").strip()
    return [f"{label[:1].upper()}{label[1:]}: {value}"]
