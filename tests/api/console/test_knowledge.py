"""The pages of corpora: read by those whose work it is, changed by editors, every change audited and undone (SPEC N-2)."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from django.test import Client
from django.urls import reverse

from corrections.models.promotion import PromotionProposal
from memory.ids import new_id
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from retrieval.knowledge.ingest.types import RecordBody
from retrieval.knowledge.models import Corpus, Document, Entity, Plan, RegistryAction
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.services.corpora import put_corpus
from retrieval.knowledge.services.ingesting import ingest

pytestmark = pytest.mark.django_db

LogIn = Callable[[Role], Client]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
RECORDS = json.loads((Path(__file__).parents[2] / "data/knowledge_portfolio.json").read_text())["records"]
TWINS = [
    {"id": "x1", "type": "Company", "name": "Скайнет"},
    {"id": "x2", "type": "Company", "name": "Skynet"},
    {"id": "x3", "type": "Company", "name": "Orion Labs", "aliases": ["Orion"]},
    {"id": "x4", "type": "Company", "name": "Orion Group", "aliases": ["Orion"]},
]
PAGES = ("corpus", "corpus_schema", "corpus_entities", "corpus_names", "corpus_plan", "corpus_ask")


@pytest.fixture
def corpus(tenant: TenantRef) -> Corpus:
    with tenant_scope(tenant.id):
        put_corpus(
            tenant_id=tenant.id, external_id="cv/1", name="Portfolio", schema="portfolio", settings=None, now=NOW
        )
        records = [msgspec.convert(record, RecordBody) for record in (*RECORDS, *TWINS)]
        ingest(tenant_id=tenant.id, corpus="cv/1", documents=[], records=records, now=NOW)
        return get_corpus(tenant_id=tenant.id, external_id="cv/1")


def find(tenant: TenantRef, corpus: Corpus, key: str) -> Entity:
    with tenant_scope(tenant.id):
        return Entity.objects.get(corpus_id=corpus.id, key=key)


def list_audited(tenant: TenantRef) -> list[str]:
    with tenant_scope(tenant.id):
        events = AuditEvent.objects.filter(tenant_id=tenant.id, action__startswith="knowledge.")
        return list(events.order_by("happened_at").values_list("action", flat=True))


def test_those_whose_work_it_is_read_every_page_and_reviewers_none(
    log_in: LogIn, tenant: TenantRef, corpus: Corpus
) -> None:
    alor = find(tenant, corpus, "alor-broker")
    pages = [reverse("console:corpora"), *(reverse(f"console:{page}", args=[corpus.id]) for page in PAGES)]
    pages.append(reverse("console:corpus_entity", args=[corpus.id, alor.id]))
    for role in (Role.PATTERN_EDITOR, Role.OPERATOR, Role.AUDITOR):
        browser = log_in(role)
        assert {browser.get(page).status_code for page in pages} == {200}
    reviewer = log_in(Role.REVIEWER)
    assert {reviewer.get(page).status_code for page in pages} == {403}


def test_an_entity_is_drawn_with_its_neighbours_and_the_same_in_words(
    log_in: LogIn, tenant: TenantRef, corpus: Corpus
) -> None:
    alor = find(tenant, corpus, "alor-broker")
    page = log_in(Role.AUDITOR).get(reverse("console:corpus_entity", args=[corpus.id, alor.id])).content.decode()
    assert "<svg" in page and "HAS_ACHIEVEMENT" in page and "incoming" in page
    assert "Confirm" not in page


def test_an_editor_settles_names_and_takes_it_back(log_in: LogIn, tenant: TenantRef, corpus: Corpus) -> None:
    editor, names = log_in(Role.PATTERN_EDITOR), reverse("console:corpus_names", args=[corpus.id])
    decide = reverse("console:decide_name", args=[corpus.id])
    page = editor.get(names).content.decode()
    assert "Orion" in page and "Скайнет" in page and ">Merge<" in page
    russian, english = find(tenant, corpus, "скайнет"), find(tenant, corpus, "skynet")
    orion = find(tenant, corpus, "orion-labs")
    form = {"verb": "merge", "entity": russian.id, "other": english.id, "reason": "one company"}
    assert editor.post(decide, form).status_code == 302
    assert editor.post(decide, {"verb": "confirm", "entity": orion.id, "text": "Orion"}).status_code == 302
    assert ">Merge<" not in editor.get(names).content.decode()
    with tenant_scope(tenant.id):
        merge = RegistryAction.objects.get(corpus_id=corpus.id, kind="merge")
        assert (merge.entity_id, merge.other_id, merge.reason) == (russian.id, english.id, "one company")
    editor.post(reverse("console:undo_name", args=[corpus.id, merge.id]))
    assert ">Merge<" in editor.get(names).content.decode()
    assert list_audited(tenant) == ["knowledge.merge", "knowledge.confirm", "knowledge.undo"]
    editor.post(decide, {"verb": "merge", "entity": orion.id, "other_key": " orion-group ", "reason": "one company"})
    assert find(tenant, corpus, "orion-group").merged_into_id == orion.id


@pytest.mark.parametrize(
    "form",
    [
        {"verb": "merge", "entity": "1", "other": "9" * 30},
        {"verb": "confirm", "entity": "x", "text": "Orion"},
        {"verb": "drop", "entity": "1"},
        {"verb": "split", "entity": "1", "text": ""},
        {"verb": "merge", "entity": "1", "other_key": "nobody"},
        {"verb": "merge", "entity": "1", "other_key": "python"},  # of another type
    ],
)
def test_a_decision_that_makes_no_sense_is_a_message_and_changes_nothing(
    log_in: LogIn, tenant: TenantRef, corpus: Corpus, form: dict[str, str]
) -> None:
    form = form | ({"entity": str(find(tenant, corpus, "orion-labs").id)} if form["entity"] == "1" else {})
    answer = log_in(Role.PATTERN_EDITOR).post(
        reverse("console:decide_name", args=[corpus.id]), form | {"back": "//elsewhere.example"}
    )
    assert answer.status_code == 302 and answer["Location"] == reverse("console:corpus_names", args=[corpus.id])
    assert list_audited(tenant) == []


def test_auditors_and_operators_decide_nothing(log_in: LogIn, corpus: Corpus) -> None:
    for role in (Role.AUDITOR, Role.OPERATOR):
        browser = log_in(role)
        assert browser.post(reverse("console:decide_name", args=[corpus.id]), {"verb": "merge"}).status_code == 403
        assert browser.post(reverse("console:give_plan_back", args=[corpus.id])).status_code == 403


def test_a_plan_is_drafted_tried_made_active_and_rolled_back(log_in: LogIn, tenant: TenantRef, corpus: Corpus) -> None:
    editor, plan = log_in(Role.PATTERN_EDITOR), reverse("console:corpus_plan", args=[corpus.id])
    wins = {
        "name": "WINS",
        "start": "named(Project)",
        "path": ["HAS_ACHIEVEMENT"],
        "answer_type": "Achievement",
        "triggers": {"en": ["wins"]},
    }
    assert "not JSON" in editor.post(plan, {"intents": "{"}).content.decode()
    assert "not valid" in editor.post(plan, {"intents": json.dumps([wins | {"path": ["NO_SUCH"]}])}).content.decode()
    assert editor.post(plan, {"intents": json.dumps([wins]), "note": "wins"}).status_code == 302
    with tenant_scope(tenant.id):
        draft = Plan.objects.get(corpus_id=corpus.id)
    ask, question = reverse("console:corpus_ask", args=[corpus.id]), "wins of АЛОР?"
    tried = editor.post(ask, {"query": question, "plan": str(draft.id)}).content.decode()
    assert "WINS" in tried and "Запустил сервис нотификаций" in tried
    assert "WINS" not in editor.post(ask, {"query": question}).content.decode()
    editor.post(reverse("console:activate_plan", args=[corpus.id, draft.id]))
    assert "WINS" in editor.post(ask, {"query": question}).content.decode()
    editor.post(reverse("console:give_plan_back", args=[corpus.id]))
    assert ">Roll back<" in editor.get(plan).content.decode()
    assert list_audited(tenant) == ["knowledge.plan_draft", "knowledge.plan_activate", "knowledge.plan_return"]


def test_the_bench_shows_plan_way_hits_and_answer_of_a_follow_up(log_in: LogIn, corpus: Corpus) -> None:
    form = {"query": "а какие там достижения?", "before": "Расскажи про проект AI-Portfolio"}
    page = log_in(Role.AUDITOR).post(reverse("console:corpus_ask", args=[corpus.id]), form).content.decode()
    for part in ("ACHIEVEMENTS", "HAS_ACHIEVEMENT", "Собрал ответы без выдумок", "yes"):
        assert part in page


def test_an_operator_makes_a_corpus_of_an_own_schema_and_records_that_do_not_fit_refuse_another(
    log_in: LogIn, tenant: TenantRef, corpus: Corpus
) -> None:
    operator = log_in(Role.OPERATOR)
    schema = {"types": ["Part"], "edges": [{"kind": "FITS", "from": "Part", "to": "Part"}]}
    form = {"external_id": "parts", "name": "Parts", "shipped": "own", "own": json.dumps(schema)}
    assert operator.post(reverse("console:corpora"), form).status_code == 302
    with tenant_scope(tenant.id):
        assert get_corpus(tenant_id=tenant.id, external_id="parts").schema["types"] == ["Part"]
    page = operator.post(reverse("console:corpus_schema", args=[corpus.id]), {"own": json.dumps(schema)})
    assert "do not fit" in page.content.decode()
    assert "not a schema" in operator.post(reverse("console:corpora"), form | {"own": "[1]"}).content.decode()
    again = operator.post(reverse("console:corpora"), form | {"shipped": "documents"})
    assert again.status_code == 200 and "has this id" in again.content.decode()
    with tenant_scope(tenant.id):
        assert get_corpus(tenant_id=tenant.id, external_id="parts").schema["types"] == ["Part"]
    assert list_audited(tenant) == ["knowledge.corpus"]


def test_proposals_are_decided_by_editors_and_say_nothing_of_users(
    log_in: LogIn, tenant: TenantRef, corpus: Corpus
) -> None:
    rows = [
        PromotionProposal(
            id=new_id(), tenant_id=tenant.id, knowledge_type="hard_ban", value=value, confidence=0.9, seen=4, users=3,
            sessions=3, conflict=0.0, created_at=NOW, updated_at=NOW,
        )
        for value in ("leather", "wool")
    ]  # fmt: skip
    with tenant_scope(tenant.id):
        PromotionProposal.objects.bulk_create(rows)
    page, (leather, wool) = (
        reverse("console:proposals"),
        [reverse("console:decide_proposal", args=[row.id]) for row in rows],
    )
    assert "leather" in log_in(Role.AUDITOR).get(page).content.decode()
    assert log_in(Role.REVIEWER).get(page).status_code == 403
    assert log_in(Role.OPERATOR).post(leather, {"verb": "accept", "corpus": "cv/1"}).status_code == 403
    editor = log_in(Role.PATTERN_EDITOR)
    editor.post(leather, {"verb": "accept", "corpus": "none"})
    with tenant_scope(tenant.id):
        assert set(PromotionProposal.objects.values_list("state", flat=True)) == {"pending"}
    editor.post(leather, {"verb": "accept", "corpus": "cv/1"})
    editor.post(wool, {"verb": "refuse"})
    with tenant_scope(tenant.id):
        assert dict(PromotionProposal.objects.values_list("value", "state")) == {
            "leather": "accepted",
            "wool": "refused",
        }
        assert Document.objects.get(corpus_id=corpus.id).text == "hard ban: leather"
