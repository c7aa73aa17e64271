"""Corpora and what is in them, read page by page. Call inside a tenant scope."""

from __future__ import annotations

from uuid import UUID

from retrieval.knowledge.errors import CorpusNotFound
from retrieval.knowledge.models import Corpus, Document, Record


def get_corpus(*, tenant_id: UUID, external_id: str) -> Corpus:
    """The corpus of a tenant. Raises CorpusNotFound."""
    corpus = Corpus.objects.filter(tenant_id=tenant_id, external_id=external_id).first()
    if corpus is None:
        raise CorpusNotFound
    return corpus


def list_corpora(*, tenant_id: UUID, after: int | None, limit: int) -> list[Corpus]:
    """Corpora of a tenant, oldest first, those after a number."""
    return list(Corpus.objects.filter(tenant_id=tenant_id, id__gt=after or 0).order_by("id")[:limit])


def list_documents(*, corpus_id: int, after: int | None, limit: int) -> list[Document]:
    """Documents of a corpus without their texts, in the order in which they came."""
    found = Document.objects.filter(corpus_id=corpus_id, id__gt=after or 0).order_by("id")
    return list(found.defer("text")[:limit])


def list_records(*, corpus_id: int, after: int | None, limit: int) -> list[Record]:
    """Records of a corpus in the order in which they came."""
    return list(Record.objects.filter(corpus_id=corpus_id, id__gt=after or 0).order_by("id")[:limit])
