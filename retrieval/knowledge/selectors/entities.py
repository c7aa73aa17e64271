"""Entities of a corpus with their aliases and mentions. Call inside a tenant scope."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memory.database.statements import fetch_rows
from retrieval.knowledge.ingest.drafts import fold_reference

_LIST: Final = """
SELECT e.id, e.type, e.key, e.name, e.fields::text, e.is_bare,
       (SELECT count(*) FROM knowledge_mention m WHERE m.corpus_id = e.corpus_id AND m.entity_id = e.id AND m.is_strict)
FROM knowledge_entity e
WHERE e.corpus_id = %(corpus_id)s AND e.id > %(after)s AND e.merged_into_id IS NULL
  AND (%(type)s::text IS NULL OR e.type = %(type)s::text)
  AND (%(prefix)s::text IS NULL OR e.id IN (
    SELECT coalesce(o.merged_into_id, o.id) FROM knowledge_alias a
    JOIN knowledge_entity o ON o.corpus_id = a.corpus_id AND o.id = a.entity_id
    WHERE a.corpus_id = %(corpus_id)s AND (a.folded LIKE %(prefix)s::text OR a.folded LIKE %(inside)s::text)))
ORDER BY e.id LIMIT %(limit)s
"""
_LIST_ALIASES: Final = """
SELECT coalesce(e.merged_into_id, e.id), a.text, a.kind, a.status
FROM knowledge_alias a JOIN knowledge_entity e ON e.corpus_id = a.corpus_id AND e.id = a.entity_id
WHERE a.corpus_id = %(corpus_id)s AND (e.id = ANY(%(ids)s) OR e.merged_into_id = ANY(%(ids)s))
ORDER BY a.kind = 'name' DESC, a.id
"""


@dataclass(frozen=True, slots=True)
class AliasView:
    """A name of an entity: where it is from, and what a person decided about it."""

    text: str
    kind: str
    status: str


@dataclass(frozen=True, slots=True)
class EntityView:
    """An entity as lists show it."""

    id: int
    type: str
    key: str
    name: str
    fields: str
    """JSON."""
    is_bare: bool
    mentions: int
    aliases: tuple[AliasView, ...]


def list_entities(
    *, corpus_id: int, q: str | None = None, type: str | None = None, after: int | None = None, limit: int
) -> list[EntityView]:
    """Entities in the order in which they came; with `q` those one of whose names has a word that begins so."""
    folded = _escape(fold_reference(q)) if q else None
    values = {
        "corpus_id": corpus_id,
        "after": after or 0,
        "type": type,
        "prefix": None if folded is None else f"{folded}%",
        "inside": None if folded is None else f"% {folded}%",
        "limit": limit,
    }
    rows = fetch_rows(_LIST, values)
    aliases = list_aliases(corpus_id=corpus_id, entities=[row[0] for row in rows])
    return [EntityView(*(*row, tuple(aliases.get(row[0], ())))) for row in rows]


def list_aliases(*, corpus_id: int, entities: Sequence[int]) -> dict[int, list[AliasView]]:
    """The aliases of entities, those of what was merged into them included."""
    found: dict[int, list[AliasView]] = defaultdict(list)
    for entity, *alias in fetch_rows(_LIST_ALIASES, {"corpus_id": corpus_id, "ids": list(entities)}):
        found[entity].append(AliasView(*alias))
    return dict(found)


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
