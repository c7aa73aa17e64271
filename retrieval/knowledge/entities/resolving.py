"""Which entities texts name (SPEC N-2): one look-up for any number of texts. Reads only; call inside a tenant scope."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from memory.database.statements import Statement
from memory.tenants.scope import run_in_scope
from retrieval.knowledge.entities.matching import list_text_keys, match_text
from retrieval.knowledge.entities.types import AliasEntry, Hit
from retrieval.knowledge.sql import read_sql


def resolve_texts(*, corpus_id: int, texts: Sequence[str], is_query: bool = True) -> list[list[Hit]]:
    """The entities that each text names, by place, at most five a place, best first.

    With `is_query` also by parts of names and without capitals, as people ask; otherwise as documents are read.
    """
    keys = {key for text in texts for key in list_text_keys(text, is_query=is_query)}
    candidates = find_candidates(corpus_id=corpus_id, keys=keys)
    return [match_text(text, candidates, is_query=is_query) for text in texts]


def find_candidates(*, corpus_id: int, keys: Collection[int]) -> dict[int, list[AliasEntry]]:
    """Aliases of a corpus by key."""
    if not keys:
        return {}
    rows = run_in_scope([Statement(read_sql("find_aliases"), {"corpus_id": corpus_id, "keys": list(keys)})])[0]
    found: dict[int, list[AliasEntry]] = defaultdict(list)
    for key, *entry in rows:
        found[key].append(AliasEntry(*entry))
    return dict(found)
