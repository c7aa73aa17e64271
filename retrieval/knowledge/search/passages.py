"""Passages of corpora for a context pack: what each corpus finds, in turns, with the citations that a reply names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Any, Final
from uuid import UUID

from retrieval.knowledge.errors import CorpusNotFound
from retrieval.knowledge.graph.pagerank import ITERATIONS
from retrieval.knowledge.models import Corpus
from retrieval.knowledge.planning.plans import open_corpus
from retrieval.knowledge.planning.switches import read_switches
from retrieval.knowledge.search import chunks, recipe, searching
from retrieval.knowledge.search.searching import ask_corpus
from retrieval.knowledge.search.types import ChunkHit, CorpusQuery
from retrieval.types import KnowledgePassage

TOP_K: Final = 8  # of each corpus; the slot of the budget takes what fits


def list_deciding() -> tuple[Any, ...]:
    """Every number of the search that decides which passages a pack gets, for the version of the policy (SPEC P-4)."""
    bounds = (TOP_K, searching.RANKED, searching.OWN_FIRST, chunks.MAX_NEIGHBOURS, ITERATIONS)
    return (recipe.DEFAULT, *bounds)


def search_corpora(
    *,
    tenant_id: UUID,
    corpora: Sequence[str],
    question: str,
    history: Sequence[str],
    as_of: datetime | None,
    now: datetime,
) -> tuple[list[KnowledgePassage], list[str]]:
    """Passages for a question, best of each corpus first, and the reasons why something did not take part.

    Inside a tenant scope; reads only. Raises CorpusNotFound.
    """
    lists: list[list[tuple[Corpus, ChunkHit]]] = []
    reasons: list[str] = []
    for name in dict.fromkeys(corpora):
        try:
            corpus = open_corpus(tenant_id=tenant_id, external_id=name)
        except CorpusNotFound:
            raise CorpusNotFound(place=corpora.index(name)) from None
        query = CorpusQuery(text=question, top_k=TOP_K, history=tuple(history), as_of=as_of)
        found = ask_corpus(corpus, query, switches=read_switches(corpus), now=now)
        lists.append([(corpus, hit) for hit in found.hits])
        reasons.extend(found.degraded_reasons)
    in_turn = [pair for row in zip_longest(*lists) for pair in row if pair is not None]
    return list(_cite(in_turn)), list(dict.fromkeys(reasons))


def _cite(pairs: Iterable[tuple[Corpus, ChunkHit]]) -> Iterable[KnowledgePassage]:
    for number, (corpus, hit) in enumerate(pairs, start=1):
        yield KnowledgePassage(
            corpus=corpus.external_id,
            document_id=hit.document_id,
            record_id=hit.record_id,
            chunk_id=hit.chunk_id,
            title=hit.title,
            text=hit.text,
            citation=f"k{number}",
        )
