"""`/v1/me` sees one user and does what the link allows, and no more."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.ids import new_id
from memory.tenants.models import Tenant
from memory.types import TenantRef
from tests.api.me.conftest import Visitor, make_link
from tests.caller import Caller, get_error

pytestmark = pytest.mark.django_db


@pytest.fixture
def make_me(api: Caller) -> Callable[..., Caller]:
    """Somebody's own script, with a bearer."""

    def make(user: str = "alice", **body: Any) -> Caller:
        made = api.post("/v1/me/session", {"link": make_link(api, user, **body)}).json()
        return Caller(Client(headers={"Authorization": f"Bearer {made['token']}"}, raise_request_exception=False))

    return make


def read_values(me: Caller) -> set[Any]:
    return {fact["value"] for fact in me.get("/v1/me/facts").json()["results"]}


def test_a_session_of_one_user_finds_nothing_under_the_ids_of_another(
    api: Caller, make_me: Callable[..., Caller]
) -> None:
    said = api.send("my size is M", user_id="bob").json()
    message, fact = said["id"], said["facts"][0]["id"]
    asked = {"user_id": "bob", "conversation_id": "c-1", "query": "size"}
    receipt = api.post("/v1/context", asked).json()["receipt_id"]
    plan = api.post("/v1/users/bob/forget", {"message_ids": [message], "dry_run": True}).json()["plan_id"]
    other = api.send("forget me", user_id="bob").json()["id"]
    batch = api.post(f"/v1/messages/{other}/forget").json()["batch_id"]
    api.send("hello")
    me = make_me()
    for answer in (
        me.post(f"/v1/me/facts/{fact}/confirm"),
        me.post(f"/v1/me/facts/{fact}/dispute"),
        me.put(f"/v1/me/facts/{fact}", {"value": "L"}),
        me.post("/v1/me/forget", {"fact_id": fact}),
        me.post("/v1/me/forget", {"message_ids": [message]}),
        me.post("/v1/me/forget", {"plan_id": plan}),
        me.post(f"/v1/me/forgets/{batch}/restore"),
        me.get(f"/v1/me/receipts/{receipt}"),
        me.get(f"/v1/me/receipts/{new_id()}"),
    ):
        assert answer.status_code == 404, answer.content
    assert me.get("/v1/me/messages").json()["results"][0]["text"] == "hello"
    assert (me.get("/v1/me").json()["user_id"], me.get("/v1/me/facts").json()["results"]) == ("alice", [])
    assert [fact["value"] for fact in api.get("/v1/users/bob/facts").json()["results"]] == ["M"]


def test_a_session_opens_nothing_but_the_page(make_me: Callable[..., Caller]) -> None:
    me = make_me()
    for path in ("/v1/users", "/v1/users/alice/facts", "/v1/users/alice/export"):
        get_error(me.get(path), 401, "invalid_key")


def test_nothing_is_done_that_the_link_does_not_list(api: Caller, make_me: Callable[..., Caller]) -> None:
    fact = api.send("my size is M").json()["facts"][0]["id"]
    me = make_me(permissions=["read"])
    assert read_values(me) == {"M"}
    for answer in (
        me.post(f"/v1/me/facts/{fact}/confirm"),
        me.put(f"/v1/me/facts/{fact}", {"value": "L"}),
        me.post("/v1/me/forget", {"fact_id": fact}),
        me.put("/v1/me/pause", {}),
        me.get("/v1/me/export"),
        me.post("/v1/me/erasure", {"word": "erase"}),
    ):
        get_error(answer, 403, "missing_permission")
    get_error(make_me(permissions=["export"]).get("/v1/me/facts"), 403, "missing_permission")


def test_a_cookie_alone_changes_nothing(visitor: Visitor) -> None:
    fact = visitor.get("/v1/me/facts").json()["results"][0]["id"]
    path, token = f"/v1/me/facts/{fact}/confirm", visitor.get("/v1/me").json()["form_token"]
    get_error(visitor.client.post(path), 403, "bad_form_token")
    get_error(visitor.client.post(path, headers={"X-Form-Token": token[:-1] + "x"}), 403, "bad_form_token")
    hostile = {"X-Form-Token": token, "Origin": "https://evil.example"}
    get_error(visitor.client.post(path, headers=hostile), 403, "bad_form_token")
    assert visitor.client.post(path, headers={"X-Form-Token": token}).status_code == 200


def test_a_value_is_corrected_and_a_ban_becomes_another_ban(api: Caller, make_me: Callable[..., Caller]) -> None:
    size = api.send("my size is M").json()["facts"][0]["id"]
    nickel = api.send("I'm allergic to nickel").json()["facts"][0]["id"]
    me = make_me()
    assert me.put(f"/v1/me/facts/{size}", {"value": "L"}).json()["value"] == "L"
    assert me.put(f"/v1/me/facts/{nickel}", {"value": "latex"}).json()["value"] == "latex"
    get_error(me.put(f"/v1/me/facts/{nickel}", {"value": "wool"}), 409, "fact_inactive")
    assert read_values(me) == {"L", "latex"}
    wrong = me.get("/v1/me/facts").json()["results"]
    size = next(fact["id"] for fact in wrong if fact["value"] == "L")
    get_error(me.put(f"/v1/me/facts/{size}", {"value": "a size for giants"}), 400, "invalid_request")
    assert read_values(me) == {"L", "latex"}


def test_it_says_in_how_many_replies_a_fact_was_used(api: Caller, make_me: Callable[..., Caller]) -> None:
    api.send("my size is M")
    me = make_me()
    assert me.get("/v1/me/facts").json()["results"][0]["used_in_replies"] == 0
    for _ in range(2):
        api.post("/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": "what size?"})
    fact = me.get("/v1/me/facts").json()["results"][0]
    assert (fact["used_in_replies"], bool(fact["last_used_at"])) == (2, True)


def test_forgetting_shows_everything_that_goes_and_can_be_undone(api: Caller, make_me: Callable[..., Caller]) -> None:
    fact = api.send("my size is M and I'm allergic to nickel").json()["facts"][0]["id"]
    me = make_me()
    preview = me.post("/v1/me/forget", {"fact_id": fact}).json()
    assert {one["value"] for one in preview["facts"]} == {"M", "nickel"} == read_values(me)
    gone = me.post("/v1/me/forget", {"plan_id": preview["plan_id"]}).json()
    assert (read_values(me), me.get("/v1/me/messages").json()["results"]) == (set(), [])
    get_error(me.post("/v1/me/forget", {"plan_id": preview["plan_id"]}), 409, "plan_used")
    assert me.post(f"/v1/me/forgets/{gone['batch_id']}/restore").status_code == 200
    assert read_values(me) == {"M", "nickel"}


@pytest.mark.parametrize("keeps", [True, False])
def test_a_pause_empties_packs_and_searches(
    api: Caller, make_me: Callable[..., Caller], tenant: TenantRef, keeps: bool
) -> None:
    Tenant.objects.filter(id=tenant.id).update(settings={"pause_keeps_messages": keeps})
    api.send("my size is M")
    me = make_me()
    assert me.put("/v1/me/pause", {}).json()["keeps_messages"] is keeps
    asked = {"user_id": "alice", "conversation_id": "c-2", "query": "what size do I wear?"}
    pack = api.post("/v1/context", asked).json()
    assert (pack["degraded_reasons"], pack["facts"]) == (["paused"], [])
    assert "size is M" not in str(pack)
    found = api.post("/v1/search", {"user_id": "alice", "query": "size"}).json()
    assert (found["results"], found["degraded_reason"]) == ([], "paused")
    answer = api.send("my size is L")
    batch = {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": "hi"}
    mixed = api.post("/v1/messages/batch", {"messages": [batch, {**batch, "user_id": "bob"}]}).json()["results"]
    put = api.put("/v1/users/alice/facts", {"facts": [{"knowledge_type": "budget", "value": 5, "source": "explicit"}]})
    if keeps:
        assert (answer.status_code, "id" in mixed[0], put.status_code) == (201, True, 200)
    else:
        get_error(answer, 409, "memory_paused")
        get_error(put, 409, "memory_paused")
        assert mixed[0]["error"]["code"] == "memory_paused"
    assert "id" in mixed[1]
    assert me.delete("/v1/me/pause").json()["paused_at"] is None
    assert api.send("my size is S").status_code == 201
    assert api.post("/v1/context", asked).json()["facts"] != []


def test_everything_is_erased_behind_a_word(api: Caller, make_me: Callable[..., Caller]) -> None:
    api.send("my size is M")
    me = make_me()
    get_error(me.post("/v1/me/erasure", {"word": "yes"}), 400, "invalid_request")
    done = me.post("/v1/me/erasure", {"word": " Удалить "}).json()
    get_error(me.get("/v1/me"), 401, "session_over")
    page = Client().get(done["url"])
    assert page.status_code == 200 and b"size" not in page.content


def test_the_number_of_statements_does_not_grow_with_the_memory(api: Caller, make_me: Callable[..., Caller]) -> None:
    me = make_me()

    def count() -> int:
        """The least of three: every few seconds a request also asks whether the rules or caches are of today."""
        counts = []
        for _ in range(3):
            with CaptureQueriesContext(connection) as queries:
                assert me.get("/v1/me/facts").status_code == 200
            counts.append(len(queries))
        return min(counts)

    api.send("my size is M")
    few = count()
    for word in ("nickel", "latex", "wool", "peanuts"):
        api.send(f"I'm allergic to {word}", conversation_id=word)
    assert count() == few <= 16
