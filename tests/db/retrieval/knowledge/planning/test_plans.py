"""The plan that questions to a corpus are read against."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from retrieval.knowledge.errors import CorpusNotFound
from retrieval.knowledge.models import Plan
from retrieval.knowledge.planning.editing import activate_plan, add_draft
from retrieval.knowledge.planning.plans import get_plan, open_corpus
from retrieval.knowledge.schemas.schema import SchemaBody
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.services.corpora import put_corpus

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SCHEMA = msgspec.convert({"types": ["A"], "edges": [{"kind": "OWNS", "from": "A", "to": "A"}]}, SchemaBody)


def test_a_plan_that_goes_with_its_corpus_while_a_question_is_read_is_a_corpus_that_is_not_there(
    tenant: TenantRef,
) -> None:
    """The question has read which plan is active, and not yet the plan."""
    with tenant_scope(tenant.id):
        put_corpus(tenant_id=tenant.id, external_id="firms", name=None, schema=SCHEMA, settings=None, now=NOW)
        corpus = get_corpus(tenant_id=tenant.id, external_id="firms")
        plan = add_draft(corpus, intents=[{"name": "X", "path": ["OWNS"]}], note="", staff_id=None, now=NOW)
        activate_plan(corpus, plan_id=plan.id, now=NOW)
    with tenant_scope(tenant.id):
        corpus = open_corpus(tenant_id=tenant.id, external_id="firms")
        Plan.objects.filter(corpus_id=corpus.id).delete()
        with pytest.raises(CorpusNotFound):
            get_plan(corpus)
