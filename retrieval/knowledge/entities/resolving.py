"""Which entities texts name (SPEC N-2): one look-up for any number of texts. Reads only; call inside a tenant scope."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from memory.database.queries import Query
from memory.tenants.scope import run_in_scope
from retrieval.knowledge.entities.matching import list_keys, match_texts
from retrieval.knowledge.entities.types import AliasEntry, Hit, KeyKind
from retrieval.knowledge.entities.words import TextWords
from retrieval.knowledge.packing import unpack_numbers, write_numbers
from retrieval.knowledge.sql import read_sql

MAX_FIRST: Final = 64  # names that share their first word; more say nothing, and are not even read


def resolve_texts(*, corpus_id: int, texts: Sequence[str], is_query: bool = True) -> list[list[Hit]]:
    """The entities that each text names, by place, at most five a place, best first.

    With `is_query` also by parts of names and without capitals, as people ask; otherwise as documents are read.
    """
    words = [TextWords(text) for text in texts]
    surfaces = {surface for each in words for surface in each.surfaces}
    candidates = find_candidates(corpus_id=corpus_id, keys=list_keys(surfaces, is_query=is_query))
    return match_texts(zip(texts, words, strict=True), candidates, is_query=is_query)


def find_candidates(*, corpus_id: int, keys: Collection[int]) -> dict[int, list[AliasEntry]]:
    """Aliases of a corpus by key. A first word of very many names says nothing and finds none of them."""
    if not keys:
        return {}
    values = {"corpus_id": corpus_id, "keys": write_numbers(keys), "first": KeyKind.FIRST, "most": MAX_FIRST}
    packed = [(key, unpack_numbers(ids)) for key, ids in run_in_scope([Query(read_sql("find_alias_keys"), values)])[0]]
    ids = list({one for _, found in packed for one in found})
    if not ids:
        return {}
    aliases = _read(corpus_id, "find_aliases", ids)
    named = _find_named(corpus_id, {row[1] for row in aliases})
    entries = {alias: AliasEntry(alias, *named[entity], text, status) for alias, entity, text, status in aliases}
    return {key: [entries[one] for one in found if one in entries] for key, found in packed}


def _find_named(corpus_id: int, ids: Collection[int]) -> dict[int, tuple[int, str, str, str]]:
    """(id, type, key, name) of what each entity stands for now: itself, or the one that it was merged into."""
    rows = {row[0]: row for row in _read(corpus_id, "find_named", ids)}
    others = {row[1] for row in rows.values() if row[1] is not None} - rows.keys()
    rows |= {row[0]: row for row in _read(corpus_id, "find_named", others)}
    kept = {entity: rows[rows[entity][1] or entity] for entity in ids}
    return {entity: (row[0], *row[2:]) for entity, row in kept.items()}


def _read(corpus_id: int, statement: str, ids: Collection[int]) -> Sequence[tuple[Any, ...]]:
    values = {"corpus_id": corpus_id, "ids": write_numbers(ids)}
    return run_in_scope([Query(read_sql(statement), values)])[0] if ids else ()
