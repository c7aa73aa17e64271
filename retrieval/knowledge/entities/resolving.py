"""Which entities texts name (SPEC N-2): one look-up for any number of texts. Reads only; call inside a tenant scope."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

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
    entries = _read_aliases(corpus_id, {one for _, found in packed for one in found})
    return {key: [entries[one] for one in found if one in entries] for key, found in packed}


def _read_aliases(corpus_id: int, ids: Collection[int]) -> dict[int, AliasEntry]:
    """Aliases by id, each with what its entity stands for now: itself, or the one that it was merged into."""
    if not ids:
        return {}
    rows = run_in_scope([Query(read_sql("find_aliases"), {"corpus_id": corpus_id, "ids": write_numbers(ids)})])[0]
    return {row[0]: AliasEntry(*row) for row in rows}
