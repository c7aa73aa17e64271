"""Text search over a corpus: what the first text names comes next (N-4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from retrieval.knowledge.ingest.types import DocumentBody
from retrieval.knowledge.planning.deciding import Switches
from retrieval.knowledge.search.recipe import DEFAULT
from retrieval.knowledge.search.searching import ask_corpus
from retrieval.knowledge.search.types import CorpusQuery
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.services.corpora import put_corpus
from retrieval.knowledge.services.ingesting import ingest

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PAGES = {
    "Silent Harbour": "Silent Harbour is a film directed by Mara Quist. It was shot in Tallinn with Ian Holt.",
    "Mara Quist": "Mara Quist grew up on a farm; her mother was a teacher.",
    "Ian Holt": "Ian Holt is an actor.",
    "Tallinn": "Tallinn is a city by the sea.",
    **{f"Review {n}": "Silent Harbour was the film of the year, said the mother of all critics." for n in range(4)},
}


def test_the_text_about_what_the_first_text_names_comes_before_those_that_name_the_same(tenant: TenantRef) -> None:
    """Who asks about the mother of a director names the film alone."""
    documents = [DocumentBody(id=title, title=title, text=text) for title, text in PAGES.items()]
    with tenant_scope(tenant.id):
        put_corpus(tenant_id=tenant.id, external_id="films", name=None, schema=None, settings=None, now=NOW)
        ingest(tenant_id=tenant.id, corpus="films", documents=documents, records=[], now=NOW)
        corpus = get_corpus(tenant_id=tenant.id, external_id="films")

        def search(next_gain: float) -> list[str | None]:
            query = CorpusQuery(text="Who is the mother of the director of the film Silent Harbour?")
            recipe = replace(DEFAULT, next_gain=next_gain)
            found = ask_corpus(corpus, query, switches=Switches(), now=NOW, recipe=recipe)
            return [hit.document_id for hit in found.hits]

        assert search(DEFAULT.next_gain)[:2] == ["Silent Harbour", "Mara Quist"]
        assert search(0)[1].startswith("Review")
