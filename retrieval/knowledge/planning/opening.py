"""A corpus that is about to be asked: everything that any question needs of it, in one exchange with the database."""

from __future__ import annotations

from uuid import UUID

from memory.tenants.scope import prefetch
from retrieval.knowledge.models import Corpus
from retrieval.knowledge.planning.plans import make_plan_query
from retrieval.knowledge.planning.switches import make_settings_query
from retrieval.knowledge.selectors.corpora import get_corpus, make_corpus_query


def open_corpus(*, tenant_id: UUID, external_id: str) -> Corpus:
    """As `get_corpus`, which see; what `get_plan` and `read_switches` are going to read comes with it.

    As the first read of a scope that `opens_with_statement` it brings the transaction and the tenant too.
    """
    prefetch(
        [
            make_corpus_query(tenant_id=tenant_id, external_id=external_id),
            make_plan_query(tenant_id=tenant_id, external_id=external_id),
            make_settings_query(tenant_id=tenant_id),
        ]
    )
    return get_corpus(tenant_id=tenant_id, external_id=external_id)
