"""Corpora and what is in them, read page by page. Call inside a tenant scope."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

from memory.database.queries import Query
from memory.tenants.scope import ask
from retrieval.knowledge.errors import CorpusNotFound
from retrieval.knowledge.models import Corpus, Document, Record

_COLUMNS: Final = [field.attname for field in Corpus._meta.concrete_fields]
_CORPUS: Final = f"""
SELECT {", ".join(_COLUMNS)} FROM knowledge_corpus WHERE tenant_id = %(tenant_id)s AND external_id = %(external_id)s
"""


def get_corpus(*, tenant_id: UUID, external_id: str) -> Corpus:
    """The corpus of a tenant. Raises CorpusNotFound."""
    rows = ask(make_corpus_query(tenant_id=tenant_id, external_id=external_id))
    if not rows:
        raise CorpusNotFound
    return Corpus.from_db(DEFAULT_DB_ALIAS, _COLUMNS, rows[0])


def make_corpus_query(*, tenant_id: UUID, external_id: str) -> Query:
    """The statement of `get_corpus`, for `prefetch`. Index: an_external_id_is_one_corpus_of_a_tenant."""
    return Query(_CORPUS, {"tenant_id": tenant_id, "external_id": external_id})


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
