"""Each switch of knowledge off and on (SPEC N-7): off is what it was, byte for byte; KSP users see none of it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from retrieval.knowledge.models import AskTurn
from tests.api.conftest import Caller
from tests.api.test_knowledge import RECORDS
from tests.api.test_knowledge import portfolio as portfolio

QUESTIONS = (
    "Какие достижения на проекте АЛОР?",
    "Где применял RAG?",
    "Какие языки программирования знает?",
    "Расскажи про проект F3 на EPAM",
    "Какие достижения на проекте XYZ?",
)
SWITCHES = ("graph", "router", "conversation_memory")
OWN = re.compile(r'"(?:receipt_id|chunk_id|id)": ?(?:"[^"]*"|\d+)|"timings_ms": ?\{[^}]*\}')
"""Numbers that every installation and every call gives anew."""


def switch(api: Caller, **settings: bool) -> None:
    assert api.put("/v1/corpora/portfolio", {"settings": settings}).status_code == 200


def say_all(api: Caller, **more: Any) -> list[str]:
    """Every question asked and searched for, as bytes of the answers without ids of their own."""
    said = []
    for query in QUESTIONS:
        for path, body in (("ask", {"corpus": "portfolio"}), ("corpora/portfolio/search", {"trace": True})):
            extra = more if path == "ask" else {}
            response = api.post(f"/v1/{path}", {"query": query, **body, **extra})
            assert response.status_code == 200, response.json()
            said.append(OWN.sub("", json.dumps(response.json(), ensure_ascii=False, sort_keys=True)))
    return said


@pytest.fixture
def never(other_api: Caller) -> Caller:
    """Another tenant whose corpus never had anything on."""
    settings = dict.fromkeys(SWITCHES, False)
    body = {"name": "Portfolio", "schema": "portfolio", "settings": settings}
    assert other_api.put("/v1/corpora/portfolio", body).status_code == 200
    assert other_api.post("/v1/corpora/portfolio/ingest", {"records": RECORDS}).status_code == 200
    return other_api


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("where", ["corpus", "tenant"])
def test_a_switch_that_was_on_and_is_off_leaves_no_byte_behind(
    portfolio: Caller, never: Caller, tenant: TenantRef, name: str, where: str
) -> None:
    on = say_all(portfolio, user_id="alice", conversation_id="c-1")
    for settings in (dict.fromkeys(SWITCHES, True), {**dict.fromkeys(SWITCHES, True), name: False}):
        switch(never, **settings)
    others = {key: key != name for key in SWITCHES}
    if where == "corpus":
        switch(portfolio, **others)
    else:
        field = {"conversation_memory": "knowledge_memory"}.get(name, f"knowledge_{name}")
        row = Tenant.objects.get(id=tenant.id)
        Tenant.objects.filter(id=tenant.id).update(settings={**row.settings, f"is_{field}_on": False})
    off = say_all(portfolio, user_id="alice", conversation_id="c-2")
    assert off == say_all(never, user_id="alice", conversation_id="c-2")
    assert off != on


def test_without_conversation_memory_the_second_question_is_the_first(portfolio: Caller, tenant: TenantRef) -> None:
    def talk(conversation: str, *questions: str) -> str:
        for query in questions:
            body = {"corpus": "portfolio", "query": query, "user_id": "alice", "conversation_id": conversation}
            answer = portfolio.post("/v1/ask", body).json()
        return OWN.sub("", json.dumps(answer, ensure_ascii=False, sort_keys=True))

    assert talk("c-1", "Какие проекты в EPAM?", "А в Luxoft?") != talk("c-2", "А в Luxoft?")
    with tenant_scope(tenant.id):
        kept = AskTurn.objects.count()
    switch(portfolio, conversation_memory=False)
    assert talk("c-3", "Какие проекты в EPAM?", "А в Luxoft?") == talk("c-4", "А в Luxoft?")
    with tenant_scope(tenant.id):
        assert AskTurn.objects.count() == kept == 3


def test_memory_of_a_tenant_with_a_corpus_is_that_of_one_without(portfolio: Caller, other_api: Caller) -> None:
    def talk(api: Caller) -> str:
        message = {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": "АЛОР: мой размер M"}
        said = {**message, "id": "m-1", "created_at": "2026-03-01T10:00:00Z"}
        assert api.post("/v1/messages", said).status_code == 201
        pack = api.post("/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": "Что с АЛОР?"}).json()
        found = api.post("/v1/search", {"user_id": "alice", "query": "АЛОР"}).json()
        text = json.dumps([pack, found], ensure_ascii=False, sort_keys=True)
        text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "", text)
        return re.sub(r"\d{4}-\d\d-\d\d[T ][\d:.+Z]*", "", text)

    assert talk(portfolio) == talk(other_api)
