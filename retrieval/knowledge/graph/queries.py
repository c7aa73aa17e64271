"""A graph query: an intent or a path, walked from entities to items with their sources (SPEC N-4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from memory.database.queries import Rows
from memory.tenants.scope import run_in_scope
from retrieval.knowledge.graph.walking import MAX_ITEMS, make_walk_query
from retrieval.knowledge.planning.intents import Intent


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
    walks = [(intent, path) for intent in intents for path in intent.paths or ()]
    found = run_in_scope(
        [
            make_walk_query(
                corpus_id=corpus_id,
                start_ids=start_ids,
                path=path,
                as_of=as_of or (now if intent.is_current else None),
            )
            for intent, path in walks
        ]
    )
    items: dict[tuple[int, str], Item] = {}
    for (intent, _), rows in zip(walks, found, strict=True):
        for item in _list_items(intent, rows, types):
            known = items.setdefault((item.entity_id, item.text), item)
            if known is not item:
                items[item.entity_id, item.text] = replace(known, record_ids=_unite(known.record_ids, item.record_ids))
    total = max((rows[0][-1] for rows in found if rows), default=0)
    return GraphResult(tuple(items.values())[:MAX_ITEMS], max(len(items), total if total > MAX_ITEMS else 0))


def _list_items(intent: Intent, rows: Rows, types: Sequence[str]) -> Iterator[Item]:
    """The items of one path: of the intent's type, with the fields that it wants."""
    for entity_id, type_, key, name, fields, own, others, _ in rows:
        if (intent.answer_type in types and type_ != intent.answer_type) or not _has(fields, intent.where):
            continue
        for text in list_selected(fields, intent.select) if intent.select else [name]:
            yield Item(text, type_, key, entity_id, _unite((own,) if own else (), others))


def _unite(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


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
