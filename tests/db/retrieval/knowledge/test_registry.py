"""What a person decides about names: it holds at once, it is undone wholly, and it goes with what it was about (N-2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.errors import Conflict, InvalidRequest
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from patterns.text.caches import empty_stores
from retrieval.knowledge.entities.resolving import resolve_texts
from retrieval.knowledge.graph.paths import Step
from retrieval.knowledge.graph.queries import query_graph
from retrieval.knowledge.ingest.types import DocumentBody, RecordBody
from retrieval.knowledge.models import Corpus, Entity, RegistryAction
from retrieval.knowledge.planning.intents import Intent
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.selectors.fingerprints import fingerprint_corpus
from retrieval.knowledge.selectors.work_list import list_decisions, read_work_list
from retrieval.knowledge.services.corpora import put_corpus
from retrieval.knowledge.services.ingesting import ingest
from retrieval.knowledge.services.registry import Person, decide_name, merge_entities, split_name, undo_action
from retrieval.knowledge.services.removing import remove_document, remove_record

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, tzinfo=UTC)
RECORDS = [
    {"id": "alor", "type": "Company", "name": "АЛОР"},
    {"id": "alor-en", "type": "Company", "name": "ALOR", "edges": [{"kind": "HAS_PROJECT", "to": {"type": "Project", "key": "desk"}}]},
    {"id": "desk", "type": "Project", "name": "Desk", "aliases": ["Пульт"]},
    {"id": "epam-a", "type": "Company", "name": "EPAM Systems", "aliases": ["EPAM"]},
    {"id": "epam-b", "type": "Company", "name": "EPAM Group", "aliases": ["EPAM"]},
]  # fmt: skip
DOCUMENTS = [DocumentBody(id="news", title="News", text="В Alor пришёл новый директор. EPAM растёт. Пульт готов.")]


def decide(minutes: int = 0) -> Person:
    return Person(staff_id=1, now=NOW + timedelta(minutes=minutes), reason="they are one")


@pytest.fixture
def corpus(tenant: TenantRef) -> Corpus:
    with tenant_scope(tenant.id):
        put_corpus(tenant_id=tenant.id, external_id="names", name=None, schema="portfolio", settings=None, now=NOW)
        records = [msgspec.convert(record, RecordBody) for record in RECORDS]
        ingest(tenant_id=tenant.id, corpus="names", documents=DOCUMENTS, records=records, now=NOW)
        return get_corpus(tenant_id=tenant.id, external_id="names")


def find(corpus: Corpus, key: str) -> int:
    return Entity.objects.get(corpus_id=corpus.id, key=key).id


def name_strictly(corpus: Corpus, text: str) -> set[int]:
    return {hit.entity_id for hit in resolve_texts(corpus_id=corpus.id, texts=[text])[0] if hit.is_strict}


def test_a_name_of_two_is_settled_by_confirming_one_and_open_again_when_undone(
    tenant: TenantRef, corpus: Corpus
) -> None:
    with tenant_scope(tenant.id):
        first, before = find(corpus, "epam-systems"), fingerprint_corpus(corpus_id=corpus.id)
        assert [row.text for row in read_work_list(corpus_id=corpus.id).ambiguous] == ["EPAM"]
        assert name_strictly(corpus, "EPAM") == set()
        action = decide_name(
            tenant_id=tenant.id, corpus="names", entity_id=first, text="EPAM", is_name=True, person=decide()
        )
        assert name_strictly(corpus, "EPAM") == {first} and not read_work_list(corpus_id=corpus.id).ambiguous
        undo_action(tenant_id=tenant.id, corpus="names", action_id=action, person=decide(1))
        assert fingerprint_corpus(corpus_id=corpus.id) == before
        assert [(row.kind, row.undone_by) for row in list_decisions(corpus_id=corpus.id)] == [("confirm", 1)]


def test_a_refused_name_is_never_read_as_that_entity(tenant: TenantRef, corpus: Corpus) -> None:
    with tenant_scope(tenant.id):
        unsure = {(row.text, row.entity.key) for row in read_work_list(corpus_id=corpus.id).unsure}
        assert ("Alor", "алор") in unsure
        alor = find(corpus, "алор")
        decide_name(tenant_id=tenant.id, corpus="names", entity_id=alor, text="Alor", is_name=False, person=decide())
        assert alor not in {hit.entity_id for hit in resolve_texts(corpus_id=corpus.id, texts=["Alor"])[0]}
        assert ("Alor", "алор") not in {
            (row.text, row.entity.key) for row in read_work_list(corpus_id=corpus.id).unsure
        }


def test_merged_entities_are_one_until_it_is_undone(tenant: TenantRef, corpus: Corpus) -> None:
    with tenant_scope(tenant.id):
        russian, english, before = find(corpus, "алор"), find(corpus, "alor"), fingerprint_corpus(corpus_id=corpus.id)
        assert [(row.first.name, row.second.name) for row in read_work_list(corpus_id=corpus.id).twins] == [
            ("АЛОР", "ALOR")
        ]
        merge = merge_entities(
            tenant_id=tenant.id, corpus="names", source_id=english, target_id=russian, person=decide()
        )
        assert name_strictly(corpus, "ALOR") == name_strictly(corpus, "в АЛОРе") == {russian}
        projects = Intent("", paths=((Step("HAS_PROJECT"),),))
        result = query_graph(corpus_id=corpus.id, intents=[projects], start_ids=[russian], as_of=None, now=NOW)
        assert [item.entity_id for item in result.items] == [find(corpus, "desk")]
        assert not read_work_list(corpus_id=corpus.id).twins
        undo_action(tenant_id=tenant.id, corpus="names", action_id=merge, person=decide(1))
        assert fingerprint_corpus(corpus_id=corpus.id) == before


def test_only_entities_of_one_type_are_merged_and_only_once(tenant: TenantRef, corpus: Corpus) -> None:
    with tenant_scope(tenant.id):
        alor, desk = find(corpus, "alor"), find(corpus, "desk")
        for source, target in ((alor, desk), (alor, alor)):
            with pytest.raises(Conflict), tenant_scope(tenant.id):
                merge_entities(tenant_id=tenant.id, corpus="names", source_id=source, target_id=target, person=decide())
        with pytest.raises(InvalidRequest), tenant_scope(tenant.id):
            decide_name(tenant_id=tenant.id, corpus="names", entity_id=alor, text="и", is_name=True, person=decide())


def test_a_name_that_is_split_off_is_an_entity_of_its_own(tenant: TenantRef, corpus: Corpus) -> None:
    with tenant_scope(tenant.id):
        desk, before = find(corpus, "desk"), fingerprint_corpus(corpus_id=corpus.id)
        split = split_name(tenant_id=tenant.id, corpus="names", entity_id=desk, text="Пульт", person=decide())
        own = find(corpus, "пульт")
        assert name_strictly(corpus, "Пульт") == {own} and name_strictly(corpus, "Desk") == {desk}
        merged = merge_entities(tenant_id=tenant.id, corpus="names", source_id=own, target_id=desk, person=decide(1))
        with pytest.raises(Conflict), tenant_scope(tenant.id):
            undo_action(tenant_id=tenant.id, corpus="names", action_id=split, person=decide(2))
        undo_action(tenant_id=tenant.id, corpus="names", action_id=merged, person=decide(3))
        undo_action(tenant_id=tenant.id, corpus="names", action_id=split, person=decide(4))
        assert fingerprint_corpus(corpus_id=corpus.id) == before


def test_decisions_go_with_what_they_were_about(tenant: TenantRef, corpus: Corpus) -> None:
    with tenant_scope(tenant.id):
        russian, english = find(corpus, "алор"), find(corpus, "alor")
        merge_entities(tenant_id=tenant.id, corpus="names", source_id=english, target_id=russian, person=decide())
        decide_name(
            tenant_id=tenant.id, corpus="names", entity_id=russian, text="Алор Групп", is_name=True, person=decide(1)
        )
        for record in ("alor", "alor-en", "desk", "epam-a", "epam-b"):
            remove_record(tenant_id=tenant.id, corpus="names", external_id=record, now=NOW)
        remove_document(tenant_id=tenant.id, corpus="names", external_id="news", now=NOW)
        assert not Entity.objects.filter(corpus_id=corpus.id).exists()
        assert not RegistryAction.objects.filter(corpus_id=corpus.id).exists()


def test_names_are_kept_for_the_version_of_the_corpus_that_they_were_read_from(
    tenant: TenantRef, corpus: Corpus
) -> None:
    """Asking again reads nothing; a decision makes a new version, and counts at once."""

    def ask() -> set[int]:
        now = get_corpus(tenant_id=tenant.id, external_id="names")
        hits = resolve_texts(corpus_id=now.id, texts=["What of EPAM?"], version=now.version)[0]
        return {hit.entity_id for hit in hits if hit.is_strict}

    with tenant_scope(tenant.id):
        first = find(corpus, "epam-systems")
        assert ask() == set()
        with CaptureQueriesContext(connection) as asked:
            assert ask() == set()
        assert not [query for query in asked if "knowledge_alias" in query["sql"]]
        decide_name(tenant_id=tenant.id, corpus="names", entity_id=first, text="EPAM", is_name=True, person=decide())
        assert ask() == {first}
        empty_stores()  # as an erasure does
        with CaptureQueriesContext(connection) as asked:
            assert ask() == {first}
        assert [query for query in asked if "knowledge_alias" in query["sql"]]
