"""mem0's API: what its clients send is answered in its form, over the same memory as every other door."""

import uuid
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from config.mem0 import desk
from memory.types import TenantRef
from tests.caller import Caller, make_caller

pytestmark = pytest.mark.django_db


class Mem0:
    """mem0's client, as it talks: paths with a slash at their end, `Token` and a key."""

    def __init__(self, key: str, **headers: str) -> None:
        self.client = Client(headers={"Authorization": f"Token {key}", **headers}, raise_request_exception=False)

    def __call__(self, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
        send = getattr(self.client, method)
        answer = send(f"/mem0/{path}", body if body is not None else "", content_type="application/json")
        assert answer.status_code == status, answer.content
        return answer.json()

    def add(self, text: str, **more: Any) -> dict[str, Any]:
        body = {"messages": [{"role": "user", "content": text}], "user_id": "alice", **more}
        return self("post", "v3/memories/add/", body)["results"][0]

    def list(self, **filters: Any) -> list[str]:
        return [row["memory"] for row in self("post", "v3/memories/", {"filters": filters})["results"]]


def get_key(api: Caller) -> str:
    return str(api.client.defaults["HTTP_AUTHORIZATION"]).removeprefix("Bearer ")


@pytest.fixture
def mem0(api: Caller) -> Mem0:
    return Mem0(get_key(api))


def test_a_client_finds_its_project_and_a_wrong_key_is_refused(mem0: Mem0, tenant: TenantRef) -> None:
    found = mem0("get", "v1/ping/")
    assert found["status"] == "ok" and found["org_id"] and found["project_id"]
    assert "detail" in Mem0("unde_wrong")("get", "v1/ping/", status=401)


def test_what_is_added_is_read_when_it_is_answered(mem0: Mem0, api: Caller) -> None:
    added = mem0.add("I am allergic to nickel", metadata={"channel": "app"}, run_id="r-1", agent_id="a-1")
    memory = mem0("get", f"v1/memories/{added['id']}/")
    assert (memory["memory"], memory["user_id"], memory["run_id"], memory["agent_id"]) == (
        "I am allergic to nickel",
        "alice",
        "r-1",
        "a-1",
    )
    assert memory["metadata"]["channel"] == "app"
    assert memory["metadata"]["facts"][0]["value"] == "nickel"
    assert api.get("/v1/users/alice/facts").json()["results"][0]["value"] == "nickel"
    hits = mem0("post", "v3/memories/search/", {"query": "allergic", "filters": {"user_id": "alice"}})["results"]
    assert hits[0]["id"] == added["id"] and hits[0]["score"] > 0
    for limit in (0, -1, "many"):
        mem0("post", "v3/memories/search/", {"query": "allergic", "top_k": limit}, status=400)


def test_an_update_keeps_the_id_and_shows_the_newest(mem0: Mem0) -> None:
    first = mem0.add("my size is M", metadata={"a": 1})
    second = mem0.add("I like coffee")
    updated = mem0("put", f"v1/memories/{first['id']}/", {"text": "my size is S"})
    assert (updated["id"], updated["memory"]) == (first["id"], "my size is S")
    mem0("put", f"v1/memories/{first['id']}/", {"metadata": {"b": 2}})
    memory = mem0("get", f"v1/memories/{first['id']}/")
    assert (memory["memory"], memory["metadata"]["b"]) == ("my size is S", 2)
    assert memory["metadata"]["facts"][0]["value"] == "S"
    assert sorted(mem0.list(user_id="alice")) == ["I like coffee", "my size is S"]
    hits = mem0("post", "v3/memories/search/", {"query": "size", "filters": {"user_id": "alice"}})["results"]
    assert [hit["id"] for hit in hits if hit["memory"] == "my size is S"] == [first["id"]]
    events = mem0("get", f"v1/memories/{first['id']}/history/")
    assert [event["event"] for event in events] == ["ADD", "UPDATE", "UPDATE"]
    assert (events[1]["old_memory"], events[1]["new_memory"]) == ("my size is M", "my size is S")
    rows = [{"memory_id": first["id"], "text": "my size is L"}, {"memory_id": second["id"], "text": "I like tea"}]
    mem0("put", "v1/batch/", {"memories": rows})
    assert sorted(mem0.list(user_id="alice")) == ["I like tea", "my size is L"]


def test_delete_means_forget(mem0: Mem0, api: Caller) -> None:
    added = mem0.add("my size is M")
    mem0("put", f"v1/memories/{added['id']}/", {"text": "my size is S"})
    mem0("delete", f"v1/memories/{added['id']}/")
    for method, body in (("get", None), ("delete", None), ("put", {"text": "x"})):
        assert mem0(method, f"v1/memories/{added['id']}/", body, status=404)["error"] == "Memory not found!"
    assert mem0.list(user_id="alice") == []
    assert api.get("/v1/users/alice/facts").json()["results"] == []
    assert api.get("/v1/users/alice/messages").json()["results"] == []


def test_an_id_that_is_none_and_one_that_is_nobodys(mem0: Mem0) -> None:
    assert mem0("get", "v1/memories/not-an-id/", status=400)["code"] == "invalid_request"
    assert mem0("get", f"v1/memories/{uuid.uuid4()}/", status=404)["code"] == "not_found"
    assert "detail" in mem0("post", "v1/summary/", {"filters": {}}, status=404)


def test_filters_narrow_and_what_is_not_understood_is_refused(mem0: Mem0) -> None:
    mem0.add("red apple", metadata={"color": "red", "n": 1}, agent_id="a")
    mem0.add("green apple", metadata={"color": "green", "n": 2})
    mem0.add("a car", user_id="bob", metadata={"color": "red"})
    assert mem0.list(AND=[{"user_id": "alice"}, {"metadata": {"color": "red"}}]) == ["red apple"]
    assert sorted(mem0.list(OR=[{"user_id": "alice"}, {"user_id": "bob"}])) == ["a car", "green apple", "red apple"]
    assert sorted(mem0.list(user_id="*", metadata={"color": "red"})) == ["a car", "red apple"]
    assert mem0.list(user_id="alice", NOT=[{"agent_id": "*"}]) == ["green apple"]
    assert mem0.list(userId="alice", metadata={"n": {"gte": 2}}) == ["green apple"]
    assert mem0.list(user_id={"in": ["bob"]}) == ["a car"]
    assert mem0.list(agent_id="a") == ["red apple"]
    for wrong in ({"user_id": {"regex": ".*"}}, {"users": "alice"}):
        assert mem0("post", "v3/memories/", {"filters": wrong}, status=400)["code"] == "invalid_request"


def test_pages_and_entities(mem0: Mem0) -> None:
    for number in range(3):
        mem0.add(f"memory {number}")
    mem0.add("of an agent", user_id=None, agent_id="stylist")
    page = mem0("post", "v3/memories/?page=2&page_size=2", {"filters": {"user_id": "alice"}})
    assert (page["count"], len(page["results"]), page["next"]) == (3, 1, None)
    entities = [(one["type"], one["name"], one["total_memories"]) for one in mem0("get", "v1/entities/")["results"]]
    assert entities == [("agent", "stylist", 1), ("user", "alice", 3)]  # the latest changed first
    mem0("delete", "v2/entities/user/alice/")
    assert mem0.list(user_id="alice") == []
    mem0.add("back again")
    assert mem0.list(user_id="alice") == ["back again"]
    mem0("delete", "v1/memories/?user_id=*&agent_id=*&app_id=*&run_id=*")
    assert mem0("get", "v1/entities/")["results"] == []
    mem0("delete", "v1/memories/", status=400)


def test_a_delete_takes_the_same_filters_and_never_more_than_they_say(mem0: Mem0) -> None:
    def fill() -> None:
        mem0.add("red apple", metadata={"color": "red"}, agent_id="a")
        mem0.add("green apple", metadata={"color": "green"})
        mem0.add("a car", user_id="bob", metadata={"color": "red"})

    fill()
    mem0("delete", "v1/memories/", {"user_id": "alice", "filters": {"metadata": {"color": "red"}}})
    assert sorted(mem0.list(user_id="*")) == ["a car", "green apple"]
    either = '{"OR":[{"user_id":"bob"},{"agent_id":"*"}]}'
    mem0("delete", f"v1/memories/?filters={quote(either)}")
    assert mem0.list(user_id="*") == ["green apple"]
    fill()
    mem0("delete", "v1/memories/?user_id=*&metadata=" + quote('{"color":"red"}'))
    assert mem0.list(user_id="*") == ["green apple", "green apple"]
    for lost in ("filters=[object Object]", 'filters={"AND":[]}', 'filters={"OR":[{}]}', "filters=[]", "metadata=1"):
        mem0("delete", f"v1/memories/?{quote(lost, safe='=')}", status=400)
    for of_all in ({"user_id": {}}, {"user_id": None}, {"metadata": {"color": "green"}}, {"NOT": [{"user_id": "bob"}]}):
        mem0("delete", "v1/memories/", {"filters": of_all}, status=400)
    mem0("delete", "v1/memories/?user_id=alice&filters=x", status=400)
    assert len(mem0.list(user_id="alice")) == 2


def test_webhooks_of_a_project_are_webhooks_of_this_service(mem0: Mem0, api: Caller) -> None:
    path, url = "api/v1/webhooks/projects/p/", "https://93.184.215.14/hook"
    api.put("/v1/webhooks/crm", {"url": url, "events": ["*"]})
    made = mem0("post", path, {"name": "mine", "url": url, "event_types": ["memory_add", "memory_update"]})
    assert made["secret"].startswith("whsec_")
    [row] = mem0("get", path)
    assert (row["webhook_id"], row["name"], row["url"]) == (made["webhook_id"], "mine", url)
    assert (row["event_types"], row["is_active"]) == (["memory_add", "memory_update"], True)
    one = f"api/v1/webhooks/{made['webhook_id']}/"
    assert "message" in mem0("put", one, {"name": "other", "url": url + "s", "event_types": ["memory_delete"]})
    mem0("put", one, {"name": "newer"})
    [row] = mem0("get", path)
    assert (row["name"], row["url"], row["event_types"]) == ("newer", url + "s", ["memory_delete"])
    kept = api.get("/v1/webhooks").json()["results"]
    assert [hook["events"] for hook in kept if hook["id"] == row["webhook_id"]] == [
        ["fact.deactivated", "messages.forgotten"]
    ]
    assert "message" in mem0("delete", one)
    assert mem0("get", path) == []
    mem0("put", "api/v1/webhooks/crm/", {"name": "mine now"}, status=404)
    mem0("delete", one, status=404)
    good = {"name": "mine", "url": url, "event_types": ["memory_add"]}
    for name, wrong in (
        ("name", ""),
        ("url", None),
        ("url", "http://10.0.0.1/x"),
        ("event_types", []),
        ("event_types", ["memory_categorize"]),
    ):
        assert name in mem0("post", path, {**good, name: wrong}, status=400)["detail"]
    assert Mem0(api.post("/v1/users/bob/keys", {}).json()["key"])("get", path, status=403)["code"]


def test_one_user_does_not_reach_another(mem0: Mem0, api: Caller) -> None:
    added = mem0.add("my size is M")
    key = api.post("/v1/users/bob/keys", {}).json()["key"]
    for bobs in (Mem0(key), Mem0(get_key(api), **{"X-UNDE-User": "bob"})):
        bobs("get", f"v1/memories/{added['id']}/", status=404)
        bobs("delete", f"v1/memories/{added['id']}/", status=404)
        body = {"messages": "hi", "user_id": "alice"}
        assert bobs("post", "v3/memories/add/", body, status=403)["code"] == "other_user"
        assert bobs("post", "v3/memories/", {"filters": {"user_id": "alice"}}, status=403)["code"] == "other_user"
        assert bobs.list(user_id="*") == []
    assert mem0.list(user_id="alice") == ["my size is M"]


def test_who_names_nobody_finds_nobodys_memories(mem0: Mem0, api: Caller) -> None:
    mem0.add("my size is M")
    since = {"created_at": {"gte": "2020-01-01"}}
    for filters in ({}, since, {"NOT": [{"user_id": "bob"}]}, {"OR": [{"user_id": "alice"}, since]}):
        for path in ("v3/memories/", "v3/memories/search/", "v1/memories/search/", "search"):
            answer = mem0("post", path, {"query": "size", "filters": filters}, status=400)
            assert answer["detail"].startswith("At least one of the filters is required")
    mem0("get", "v1/memories/", status=400)
    assert mem0.list(user_id="*") == mem0.list(AND=[{"user_id": "alice"}, since]) == ["my size is M"]
    alices = Mem0(api.post("/v1/users/alice/keys", {}).json()["key"])
    assert alices.list() == ["my size is M"]
    assert len(alices("post", "search", {"query": "size"})["results"]) == 1


def test_more_users_than_one_request_may_be_about_are_refused_and_not_half_of_them_taken(
    mem0: Mem0, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "MAX_USERS", 1)
    mem0.add("my size is M")
    assert mem0.list(user_id="*") == ["my size is M"]
    mem0.add("my size is L", user_id="bob")
    for method, path in (("delete", "v1/memories/?user_id=*"), ("get", "v1/memories/?user_id=*")):
        assert "more than 1 users" in mem0(method, path, status=400)["detail"]
    assert mem0.list(user_id="alice") == ["my size is M"]


def test_what_a_project_keeps_beside_memories(mem0: Mem0) -> None:
    path = "api/v1/orgs/organizations/o/projects/p/"
    assert mem0("get", f"{path}?fields=custom_instructions")["custom_instructions"] is None
    mem0("patch", path, {"custom_instructions": "be brief"})
    assert mem0("get", path)["custom_instructions"] == "be brief"
    added = mem0.add("my size is M")
    assert mem0("post", "v1/feedback/", {"memory_id": added["id"], "feedback": "POSITIVE"})["id"] == added["id"]
    export = mem0("post", "v1/exports/", {"filters": {"user_id": "alice"}, "schema": {}}, status=201)
    found = mem0("post", "v1/exports/get/", {"memory_export_id": export["id"]})
    assert [row["memory"] for row in found["memories"]] == ["my size is M"]
    for path in ("v1/exports/", "v1/exports/get/"):
        mem0("post", path, {"filters": {"user_id": None}, "schema": {}}, status=400)


def test_the_dialect_of_the_self_hosted_server(api: Caller, tenant: TenantRef) -> None:
    key = get_key(make_caller(tenant))
    hosted = Mem0(key)
    del hosted.client.defaults["HTTP_AUTHORIZATION"]
    hosted.client.defaults["HTTP_X_API_KEY"] = key
    hosted("post", "memories", {"messages": [{"role": "user", "content": "hi"}]}, status=400)
    body = {"messages": [{"role": "user", "content": "my size is M"}], "user_id": "alice"}
    added = hosted("post", "memories", body)["results"][0]
    assert hosted("get", "memories?user_id=alice")["results"][0]["id"] == added["id"]
    assert hosted("get", f"memories/{added['id']}")["memory"] == "my size is M"
    assert hosted("post", "search", {"query": "size", "user_id": "alice"})["results"][0]["id"] == added["id"]
    hosted("put", f"memories/{added['id']}", {"text": "my size is L"})
    assert len(hosted("get", f"memories/{added['id']}/history")) == 2
    hosted("delete", f"memories/{added['id']}")
    hosted("delete", "memories?user_id=alice")
    assert hosted("get", "memories?user_id=alice") == {"results": []}


def test_the_same_conversation_gives_the_same_facts_through_both_doors(mem0: Mem0, api: Caller) -> None:
    said = ["I am allergic to nickel", "my budget is 300", "no, my budget is 500"]
    for text in said:
        api.send(text, user_id="first", conversation_id="mem0")
    body = {"messages": [{"role": "user", "content": text} for text in said], "user_id": "second"}
    mem0("post", "v3/memories/add/", body)
    names = ("knowledge_type", "knowledge_key", "value", "confidence", "provenance")
    first, second = (
        [tuple(fact[name] for name in names) for fact in api.get(f"/v1/users/{user}/facts").json()["results"]]
        for user in ("first", "second")
    )
    assert first == second and len(first) == 2
