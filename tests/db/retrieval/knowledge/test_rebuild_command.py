"""A corpus leaves as it came, comes back the same, and is rebuilt where its rows are not as they should be (N-7)."""

from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from retrieval.knowledge.models import Entity
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.selectors.fingerprints import fingerprint_corpus
from retrieval.knowledge.services.registry import Person, decide_name
from tests.db.retrieval.knowledge.test_registry import corpus as corpus  # the same names

pytestmark = pytest.mark.django_db


def run(command: str, tenant: TenantRef, corpus: str, *more: Any, **options: Any) -> str:
    out = StringIO()
    slug = Tenant.objects.get(id=tenant.id).slug
    call_command(command, *more, tenant=slug, corpus=corpus, stdout=out, **options)
    return out.getvalue()


def fingerprint(tenant: TenantRef, name: str) -> dict[str, str]:
    with tenant_scope(tenant.id):
        return fingerprint_corpus(corpus_id=get_corpus(tenant_id=tenant.id, external_id=name).id)


def test_an_export_comes_back_as_the_same_corpus(tenant: TenantRef, corpus: Any, tmp_path: Path) -> None:
    file, schema = tmp_path / "names.jsonl", tmp_path / "names.schema.json"
    assert run("export_corpus", tenant, "names", file, schema=schema) == "6 items written\n"
    run("import_corpus", tenant, "again", file, schema=str(schema))
    assert fingerprint(tenant, "again") == fingerprint(tenant, "names")


def test_a_rebuild_mends_what_is_derived_and_keeps_what_a_person_decided(tenant: TenantRef, corpus: Any) -> None:
    with tenant_scope(tenant.id):
        desk = Entity.objects.get(corpus_id=corpus.id, key="desk").id
        person = Person(staff_id=1, now=datetime(2026, 3, 2, tzinfo=UTC))
        decide_name(tenant_id=tenant.id, corpus="names", entity_id=desk, text="Стол", is_name=True, person=person)
    right = fingerprint(tenant, "names")
    assert "all was as it should be" in run("rebuild_corpus", tenant, "names")
    assert fingerprint(tenant, "names") == right
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        cursor.execute("DELETE FROM knowledge_mention WHERE corpus_id = %s", [corpus.id])
        cursor.execute("DELETE FROM knowledge_posting WHERE corpus_id = %s", [corpus.id])
    assert "not as they should be: mentions, postings" in run("rebuild_corpus", tenant, "names")
    assert fingerprint(tenant, "names") == right
