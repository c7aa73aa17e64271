"""No way in leads from one tenant to another: every URL with foreign ids, every table without a filter (SPEC A-1)."""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection, transaction
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from memory.consents.purposes import put_purpose
from memory.consents.types import PurposeInput
from memory.database.statements import fetch_rows
from memory.erasure.requests import request_erasure
from memory.erasure.types import ErasureTarget
from memory.privacy.models import PrivacyRequest
from memory.privacy.worker import run_request
from memory.projects.selectors.projects import get_project
from memory.services.exports import export_user
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import SYSTEM
from memory.types import TenantRef
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.selectors.fingerprints import fingerprint_corpus
from tests.api.conftest import Caller
from tests.cast import Chatter
from tests.privacy_desk import REQUEST_ID, make_request

MARKER = "zanzibarmarker"
PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")
# Answers that are the same for everybody.
OPEN = ("v1/schema", "v1/docs", "healthz", "readyz", "metrics", "opendsr/v2/discovery", "opendsr/v2/certificate.pem")


PROJECT_ROWS = " UNION ALL ".join(
    f"SELECT '{table}', count(*) FROM {table} WHERE project_id = %(id)s"
    for table in ("project_artifact", "project_conflict", "project_decision", "project_fact", "project_item",
                  "project_link", "project_question", "project_run", "project_snapshot", "project_source",
                  "project_thread", "project_version")
)  # fmt: skip


@dataclass
class Loot:
    """Everything of the first tenant that an outsider could have got hold of."""

    ids: dict[str, str]
    cursors: dict[str, str]
    texts: tuple[str, ...]


def list_api_paths() -> Iterator[str]:
    """The routes under /v1, from the resolver."""

    def walk(patterns: list[Any], prefix: str) -> Iterator[str]:
        for pattern in patterns:
            route = f"{prefix}{getattr(pattern.pattern, '_route', '')}"
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, route)
            elif isinstance(pattern, URLPattern) and route.startswith(("v1/", "opendsr/")) and route not in OPEN:
                yield route

    yield from walk(get_resolver().url_patterns, "")


PATHS = sorted(set(list_api_paths()))


@pytest.fixture
def loot(alice: Chatter, charlie: Chatter, api: Caller, opendsr: None) -> Loot:
    """A rich memory of the first tenant, and the ids, cursors, receipts, plans and erasures that it gave out."""
    first = api.send(f"my size is M and my password word is {MARKER}").json()
    second = api.send(f"I am allergic to nickel, {MARKER}", id="m-2").json()
    charlie.say("my size is S")
    pack = api.post("/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": "what size"}).json()
    plan = api.post("/v1/users/alice/forget", {"query": MARKER, "dry_run": True}).json()
    gone = api.post(f"/v1/messages/{api.send('forget me').json()['id']}/forget").json()
    erasure = request_erasure(
        tenant=charlie.tenant,
        user_external_id="charlie",
        target=ErasureTarget(),
        reason="user_request",
        actor="key:test",
        now=timezone.now(),
    )
    api.client.put(
        "/v1/store/items",
        {"namespace": ["a"], "key": "k", "value": {"text": MARKER}},
        content_type="application/json",
        headers={"X-UNDE-User": "alice"},
    )
    api.put("/v1/corpora/handbook", {"schema": "portfolio"})
    document = {"id": "i-1", "title": MARKER, "text": f"The word is {MARKER}."}
    record = {"id": "i-1", "type": "Project", "name": MARKER, "edges": [{"kind": "USES_TECH", "to": {"name": MARKER}}]}
    api.post("/v1/corpora/handbook/ingest", {"documents": [document], "records": [record]})
    api.post("/v1/users/alice/episodes/close")
    episode = api.get("/v1/users/alice/episodes").json()["results"][0]
    api.put("/v1/webhooks/hook", {"url": "https://93.184.215.14/", "events": ["*"], "description": MARKER})
    delivery = api.post("/v1/webhooks/hook/test").json()
    waiting = api.client.post(
        "/v1/users/alice/import", MARKER, content_type="application/jsonl", headers={"Prefer": "respond-async"}
    )
    ids = {
        "user_id": "alice",
        "episode_id": episode["id"],
        "message_id": second["id"],
        "fact_id": first["facts"][0]["id"],
        "batch_id": gone["batch_id"],
        "erasure_id": str(erasure.id),
        "operation_id": waiting.json()["id"],
        "receipt_id": pack["receipt_id"],
        "plan_id": plan["plan_id"],
        "conversation_id": "c-1",
        "corpus": "handbook",
        "item": "i-1",
        "key_id": api.post("/v1/users/alice/keys").json()["id"],
        "webhook": "hook",
        "delivery_id": delivery["delivery_id"],
    }
    ids |= {**make_loot_of_projects(api), "subject_request_id": make_loot_of_privacy(api, alice.tenant)}
    put_purpose(tenant_id=alice.tenant.id, wanted=make_wanted(MARKER), actor=SYSTEM, now=timezone.now())
    api.put("/v1/users/alice/consents", {"consents": {"advice": True}})
    cursors = {name: api.get(f"/v1/users/alice/{name}", limit=1).json()["next"] for name in ("messages", "facts")}
    return Loot(ids, cursors, (MARKER, first["id"], second["id"], first["facts"][0]["id"]))


def make_loot_of_privacy(api: Caller, tenant: TenantRef) -> str:
    """An access request for Alice that has its results; the desk's id of it."""
    api.post("/opendsr/v2/requests", make_request("alice"))
    with tenant_scope(tenant.id):
        row = PrivacyRequest.objects.get()
    assert run_request(tenant_id=tenant.id, request_id=row.id, clock=timezone.now) == "completed"
    return REQUEST_ID


def make_wanted(text: str) -> PurposeInput:
    """A purpose that covers messages and holds."""
    words = {"en": text}
    return PurposeInput(
        key="advice",
        names=words,
        texts=words,
        covers=("messages",),
        is_granted_by_default=True,
        is_changeable=True,
        kept_days=None,
    )


def make_loot_of_projects(api: Caller) -> dict[str, str]:
    """A project with the marker in every kind of record; its ids."""
    api.post("/v1/projects", {"id": "apollo", "name": MARKER, "mission": MARKER, "constraints": [MARKER]})
    path, source = "/v1/projects/apollo", {"type": "document", "ref": MARKER, "quote": MARKER}
    api.put(f"{path}/threads/c-1", {"user_id": "alice", "shared": True})
    api.post(f"{path}/artifacts", {"id": "a-1", "kind": "doc", "ref": MARKER, "title": MARKER})
    facts = [{"id": f"f-{n}", "subject": MARKER, "value": n, "exclusive": True, "source": source} for n in (1, 2)]
    api.post(f"{path}/facts", {"facts": facts})
    api.post(f"{path}/decisions", {"id": "d-1", "title": MARKER, "source": source})
    conflict = api.get(f"{path}/conflicts").json()["results"][0]["id"]
    wanted = {"user_id": "alice", "query": MARKER}
    snapshot, other = (api.post(f"{path}/snapshots", {**wanted, "budget_tokens": n}).json()["id"] for n in (900, 950))
    ids = {"project": "apollo", "conversation": "c-1", "decision": "d-1", "conflict": conflict}
    return {**ids, "snapshot_id": snapshot, "other_id": other}


def fill(route: str, ids: dict[str, str]) -> str:
    return "/" + PARAMETER.sub(lambda match: quote(ids[match[2]], safe=""), route)


def snapshot(tenant: TenantRef, person: Chatter) -> tuple[bytes, dict[str, str], list[tuple[str, int]]]:
    """All that is held about a person, but for the moment of the export; the tenant's corpus; its project's rows."""
    with tenant_scope(tenant.id):
        corpus = get_corpus(tenant_id=tenant.id, external_id="handbook")
        knowledge = fingerprint_corpus(corpus_id=corpus.id)
        project = get_project(tenant_id=tenant.id, external_id="apollo")
        rows = [("change", project.change), *fetch_rows(PROJECT_ROWS, {"id": project.id})]
    return b"".join(list(export_user(user=person.ref, now=timezone.now()))[1:]), knowledge, rows


def list_bodies(loot: Loot) -> list[dict[str, Any]]:
    """What an outsider may send: foreign ids in every field that takes one."""
    ids = loot.ids
    message = {"user_id": "mallory", "conversation_id": "c-1", "role": "assistant", "content": "hm"}
    return [
        {},
        {"user_id": "alice", "query": "password word"},
        {"user_id": "alice", "conversation_id": "c-1", "query": "password word"},
        {"query": "password word", "dry_run": True},
        {"plan_id": ids["plan_id"]},
        {"is_anchor": True},
        {"conversation_id": "c-1"},
        {"via": "app"},
        {"consents": {"advice": False}},
        {"namespace": ["a"], "key": "k", "value": {}},
        {"namespace_prefix": []},
        {"operations": [{"op": "search", "namespace_prefix": []}]},
        {"text": MARKER},
        {"texts": [MARKER]},
        {"message_ids": [ids["message_id"]]},
        {"id": "apollo", "name": "mine"},
        {"user_id": "alice", "scope": "in"},
        {"state": "rejected", "project_id": "apollo"},
        {"keep": "f-1"},
        {"user_id": "alice", "query": MARKER, "budget_tokens": 900},
        {"user_id": "alice", "answer": f"{MARKER} is mine.", "snapshot_id": ids["snapshot_id"]},
        {"title": "mine", "supersedes": ["d-1"]},
        {"id": "a-1", "kind": "note", "ref": "mine", "title": "mine"},
        {"from": {"type": "decision", "id": "d-1"}, "to": {"type": "fact", "id": "f-1"}, "kind": "cause"},
        {"facts": [{"subject": MARKER, "value": 3, "source": {"type": "message", "ref": ids["message_id"]}}]},
        {"message_id": ids["message_id"], "reason": "mine"},
        {**message, "receipt_id": ids["receipt_id"]},
        {**message, "reply_to_id": ids["message_id"]},
        {**message, "role": "user", "replaces_id": ids["message_id"]},
        {"receipt_id": ids["receipt_id"], "message_id": ids["message_id"], "signal": "positive"},
        {"scope": "messages", "message_ids": [ids["message_id"]], "reason": "user_request"},
        make_request("alice", kind="erasure"),
    ]


def list_answers(outsider: Caller, route: str, loot: Loot) -> Iterator[tuple[str, Any]]:
    """The answers to every method of a route with foreign ids, cursors and bodies."""
    path = fill(route, loot.ids)
    yield "GET", outsider.client.get(path)
    for cursor in loot.cursors.values():
        yield "GET", outsider.client.get(path, {"after": cursor or "x"})
    for body in list_bodies(loot):
        yield "POST", outsider.post(path, body)
        yield "PUT", outsider.put(path, body)
    yield "PATCH", outsider.patch(path, {"mission": "mine", "status": "archived"})
    yield "DELETE", outsider.client.delete(path)


@contextmanager
def undone() -> Iterator[None]:
    """What is written inside is taken back: the next route finds all as the first did."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_foreign_ids_open_nothing_and_change_nothing(
    loot: Loot, alice: Chatter, tenant: TenantRef, other_api: Caller, subtests: pytest.Subtests
) -> None:
    # The outsider has a user of the same name: what it may see is its own.
    other_api.send("hello from elsewhere", id="m-2")
    before = snapshot(tenant, alice)
    for route in PATHS:
        with subtests.test(route=route), undone():
            for method, answer in list_answers(other_api, route, loot):
                body = b"".join(answer.streaming_content) if answer.streaming else answer.content
                assert answer.status_code < 500, (method, route)
                if answer.status_code < 300:
                    found = [text for text in loot.texts if text.encode() in body]
                    assert found == [], (method, route)
            assert snapshot(tenant, alice) == before


@pytest.mark.django_db
def test_the_routes_of_the_api_are_all_walked(loot: Loot) -> None:
    assert len(PATHS) >= 20
    assert {"v1/messages", "v1/users/<external:user_id>/export", "v1/users/<external:user_id>/import"} <= set(PATHS)
    assert {match[1] for route in PATHS for match in PARAMETER.findall(route)} <= set(loot.ids)


@pytest.mark.django_db
def test_a_cursor_of_another_tenant_is_no_cursor(loot: Loot, other_api: Caller) -> None:
    other_api.send("hello")
    answer = other_api.get("/v1/users/alice/messages", after=loot.cursors["messages"])
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor")


# --- one user of a tenant and another ---------------------------------------------------------------------------------


@pytest.mark.django_db
def test_what_belongs_to_one_user_is_refused_in_the_name_of_another(
    loot: Loot, alice: Chatter, tenant: TenantRef, api: Caller
) -> None:
    api.send("hello from mallory", user_id="mallory", conversation_id="c-1")
    before = snapshot(tenant, alice)
    ids = loot.ids
    message = {"user_id": "mallory", "conversation_id": "c-1", "role": "assistant", "content": "hm"}
    tries = [
        ("/v1/messages", {**message, "receipt_id": ids["receipt_id"]}),
        ("/v1/messages", {**message, "reply_to_id": ids["message_id"]}),
        ("/v1/messages", {**message, "role": "user", "replaces_id": ids["message_id"]}),
        ("/v1/users/mallory/forget", {"message_ids": [ids["message_id"]]}),
        ("/v1/users/mallory/forget", {"plan_id": ids["plan_id"]}),
        (
            "/v1/users/mallory/erasure",
            {"scope": "messages", "message_ids": [ids["message_id"]], "reason": "user_request"},
        ),
    ]
    for path, body in tries:
        answer = api.post(path, body)
        assert 400 <= answer.status_code < 500, (path, body, answer.status_code)
    cursor = loot.cursors["messages"]
    assert api.get("/v1/users/mallory/messages", after=cursor).status_code in (200, 400)
    for path, body in (
        ("/v1/search", {"user_id": "mallory", "query": f"password word {MARKER}"}),
        ("/v1/context", {"user_id": "mallory", "conversation_id": "c-1", "query": f"password word {MARKER}"}),
    ):
        answer = api.post(path, body)
        assert answer.status_code == 200
        assert [text for text in loot.texts[1:] if text in answer.content.decode()] == []
    listed = b"".join(api.get("/v1/users/mallory/export").streaming_content)
    assert [text for text in loot.texts if text.encode() in listed] == []
    assert snapshot(tenant, alice) == before


# --- a filter that somebody forgot ------------------------------------------------------------------------------------


def list_tenant_tables() -> list[str]:
    """Every table with a tenant_id, partitions aside: they are reached through their parent alone."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
            " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
            " AND a.attname = 'tenant_id' AND NOT a.attisdropped ORDER BY 1"
        )
        return [row[0] for row in cursor.fetchall()]


# Rules and words are shared beside a tenant's own, and a staff user's tenants are read before one is chosen:
# these tables are filtered by the statements that read them, and hold no word of a user.
SHARED = re.compile(r"^(patterns_|staff_membership$)")


@pytest.mark.django_db
def test_a_forgotten_filter_sees_nothing_of_another_tenant(loot: Loot, other_tenant: TenantRef) -> None:
    tables = [table for table in list_tenant_tables() if not SHARED.match(table)]
    assert {"memory_message", "user_knowledge", "memory_action", "message_index", "retrieval_receipt"} <= set(tables)
    for scope in (other_tenant.id, uuid.uuid4()):
        with tenant_scope(scope), connection.cursor() as cursor:
            for table in tables:
                cursor.execute(f"SELECT count(*) FROM {table} WHERE tenant_id <> %s", [scope])
                assert cursor.fetchone()[0] == 0, table


@pytest.mark.django_db
def test_outside_of_every_tenant_there_are_no_rows(loot: Loot) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('app.tenant_id', '', true)")
        for table in (table for table in list_tenant_tables() if not SHARED.match(table)):
            cursor.execute(f"SELECT count(*) FROM {table}")
            assert cursor.fetchone()[0] == 0, table


@pytest.mark.django_db
def test_a_row_can_not_be_written_for_another_tenant(loot: Loot, tenant: TenantRef, other_tenant: TenantRef) -> None:
    with tenant_scope(other_tenant.id), connection.cursor() as cursor:
        cursor.execute("UPDATE memory_message SET forgotten_at = now()")
        assert cursor.rowcount == 0
        cursor.execute("DELETE FROM user_knowledge")
        assert cursor.rowcount == 0
