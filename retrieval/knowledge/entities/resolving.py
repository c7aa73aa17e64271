"""Which entities texts name (SPEC N-2): one look-up for any number of texts. Reads only; call inside a tenant scope."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from django.conf import settings

from memory.database.queries import Query
from memory.tenants.scope import run_in_scope
from patterns.text.caches import WordCache, make_room
from retrieval.knowledge.entities.matching import list_keys, match_texts
from retrieval.knowledge.entities.types import AliasEntry, Hit, KeyKind
from retrieval.knowledge.entities.words import TextWords
from retrieval.knowledge.packing import unpack_numbers, write_numbers
from retrieval.knowledge.sql import read_sql

MAX_FIRST: Final = 64  # names that share their first word; more say nothing, and are not even read

Candidates = dict[int, list[AliasEntry]]

_kept: WordCache[tuple[int, int, int], list[AliasEntry]] = WordCache()
"""What was found under corpus, version and key: most words of questions are those of other questions."""


def resolve_texts(
    *, corpus_id: int, texts: Sequence[str], is_query: bool = True, version: int | None = None
) -> list[list[Hit]]:
    """The entities that each text names, by place, at most five a place, best first.

    With `is_query` also by parts of names and without capitals, as people ask; otherwise as documents are read.
    `version` is as in `find_candidates`.
    """
    words = [TextWords(text) for text in texts]
    keys = list_keys({surface for each in words for surface in each.surfaces}, is_query=is_query)
    candidates = find_candidates(corpus_id=corpus_id, keys=keys, version=version)
    return match_texts(zip(texts, words, strict=True), candidates, is_query=is_query)


def find_candidates(*, corpus_id: int, keys: Collection[int], version: int | None = None) -> Candidates:
    """Aliases of a corpus by key. A first word of very many names says nothing and finds none of them.

    With the version that the corpus has, as this transaction read it before, what is found is kept in the process for
    others who ask the same version. Whoever writes to the corpus leaves it out.
    """
    if version is None:
        return _read_candidates(corpus_id, keys)
    found = {key: _kept.get((corpus_id, version, key)) for key in keys}
    missing = [key for key, entries in found.items() if entries is None]
    read = _read_candidates(corpus_id, missing)
    for key in missing:
        if len(read.get(key, ())) <= settings.UNDE_TUNING.KNOWLEDGE_KEPT_ALIASES:
            _kept[corpus_id, version, key] = read.get(key, [])
    while len(_kept) > settings.UNDE_TUNING.KNOWLEDGE_KEPT_KEYS:
        make_room(_kept)
    return {key: entries for key, entries in found.items() if entries} | read


def _read_candidates(corpus_id: int, keys: Collection[int]) -> Candidates:
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
