"""A key for one user means this user in every way in (D-40)."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from config.api.endpoints.user_keys import NEVER
from memory.kept.models import KeptItem
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import TenantRef
from tests.api.test_isolation import MARKER, PATHS, Loot, fill, list_bodies, loot, snapshot, undone
from tests.caller import Caller, get_error, make_caller
from tests.cast import Chatter

__all__ = ["loot"]
pytestmark = pytest.mark.django_db


def make_user_key(api: Caller, user: str, **body: Any) -> tuple[Caller, dict[str, Any]]:
    answer = api.post(f"/v1/users/{user}/keys", body)
    assert answer.status_code == 201, answer.content
    key = answer.json()
    client = Client(headers={"Authorization": f"Bearer {key['key']}"}, raise_request_exception=False)
    return Caller(client), key


def test_a_key_of_a_user_works_for_that_user_and_is_refused_for_another(api: Caller) -> None:
    api.send("my size is M")
    bobs, key = make_user_key(api, "bob", name="phone")
    assert (key["name"], key["key"].startswith("unde_")) == ("phone", True)
    assert bobs.send("my size is S", user_id="bob").status_code == 201
    assert bobs.post("/v1/search", {"user_id": "bob", "query": "size"}).json()["results"]
    for answer in (
        bobs.send("hello"),
        bobs.post("/v1/search", {"user_id": "alice", "query": "size"}),
        bobs.post("/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": "size"}),
        bobs.get("/v1/users/alice/facts"),
        bobs.get("/v1/users/alice/messages"),
    ):
        assert "user_id" in get_error(answer, 403, "other_user")
    get_error(bobs.get("/v1/users"), 403, "tenant_key_needed")
    message = {"conversation_id": "c-1", "role": "user", "content": "hi"}
    batch = {"messages": [{**message, "user_id": "bob"}, {**message, "user_id": "alice"}]}
    results = bobs.post("/v1/messages/batch", batch).json()["results"]
    assert ("id" in results[0], results[1]["error"]["code"]) == (True, "other_user")


def test_a_name_is_taken_within_a_user_and_free_for_another(api: Caller) -> None:
    body = {"name": "phone"}
    first = api.post("/v1/users/bob/keys", body).json()
    assert api.post("/v1/users/alice/keys", body).status_code == 201
    assert get_error(api.post("/v1/users/bob/keys", body), 409, "key_exists") == {"name": "is taken by a working key"}
    api.delete(f"/v1/users/bob/keys/{first['id']}")
    assert api.post("/v1/users/bob/keys", body).status_code == 201


def test_keys_are_listed_without_secrets_and_stop_when_they_are_revoked(api: Caller) -> None:
    bobs, key = make_user_key(api, "bob")
    listed = api.get("/v1/users/bob/keys").json()["results"]
    assert [row["id"] for row in listed] == [key["id"]] and "key" not in listed[0]
    assert bobs.get("/v1/users/bob/facts").status_code == 200
    assert api.delete(f"/v1/users/bob/keys/{key['id']}").status_code == 204
    get_error(bobs.get("/v1/users/bob/facts"), 401, "invalid_key")
    assert api.get("/v1/users/bob/keys").json()["results"] == []
    api.send("hi")
    get_error(api.delete(f"/v1/users/alice/keys/{key['id']}"), 404, "not_found")


def test_a_key_gives_no_more_than_the_key_that_makes_it(api: Caller, tenant: TenantRef) -> None:
    narrow = make_caller(tenant, Scope.KEYS, Scope.READ)
    _, key = make_user_key(narrow, "bob")
    assert key["scopes"] == ["read"]
    get_error(narrow.post("/v1/users/bob/keys", {"scopes": ["write"]}), 403, "missing_scope")
    get_error(api.post("/v1/users/bob/keys", {"scopes": ["keys"]}), 400, "invalid_request")
    get_error(api.post("/v1/users/bob/keys", {"scopes": ["everything"]}), 400, "invalid_request")
    bobs, _ = make_user_key(api, "bob", scopes=["read"])
    get_error(bobs.post("/v1/users/bob/keys", {}), 403, "missing_scope")


def test_a_key_ends_with_its_user(api: Caller) -> None:
    bobs, _ = make_user_key(api, "bob")
    bobs.send("hi", user_id="bob")
    assert api.post("/v1/users/bob/erasure", {"reason": "user_request"}).status_code == 202
    get_error(bobs.send("hi", user_id="bob"), 401, "invalid_key")


def test_the_store_of_a_key_is_its_users(api: Caller, tenant: TenantRef) -> None:
    bobs, _ = make_user_key(api, "bob")
    assert bobs.put("/v1/store/items", {"namespace": ["a"], "key": "k", "value": {"n": 1}}).status_code == 204
    bobs.client.defaults["HTTP_X_UNDE_USER"] = "alice"
    get_error(bobs.put("/v1/store/items", {"namespace": ["a"], "key": "k", "value": {}}), 403, "other_user")
    with tenant_scope(tenant.id):
        assert KeptItem.objects.count() == 1


def test_a_key_for_another_user_opens_nothing_and_changes_nothing(
    loot: Loot, alice: Chatter, tenant: TenantRef, api: Caller, subtests: pytest.Subtests
) -> None:
    mallory, _ = make_user_key(api, "mallory", scopes=[scope.value for scope in Scope if scope not in NEVER])
    before = snapshot(tenant, alice)
    for route in PATHS:
        with subtests.test(route=route), undone():
            for answer in list_all_answers(mallory, fill(route, loot.ids), loot):
                content = b"".join(answer.streaming_content) if answer.streaming else answer.content
                assert answer.status_code < 500, route
                # What the tenant knows is everybody's; what Alice said is hers.
                if answer.status_code < 300 and "corpora" not in route:
                    assert [text for text in (*loot.texts, MARKER) if text.encode() in content] == [], route
            assert snapshot(tenant, alice) == before


def list_all_answers(caller: Caller, path: str, loot: Loot) -> Iterator[Any]:
    """The answers to every method, with all that an outsider may send."""
    yield from (caller.client.get(path), caller.client.delete(path))
    for body in list_bodies(loot):
        yield caller.client.post(path, body, content_type="application/json")
        yield caller.client.put(path, body, content_type="application/json")


def test_a_key_of_a_user_reaches_that_users_own_projects_and_nothing_else(api: Caller) -> None:
    bobs, _ = make_user_key(api, "bob", scopes=["projects:read", "projects:write"])
    assert (
        bobs.post("/v1/projects", {"id": "mine", "name": "Mine", "mission": "m", "user_id": "bob"}).status_code == 201
    )
    for id, owner in (("shared", None), ("alices", "alice")):
        body = {"id": id, "name": id, "mission": MARKER, **({"user_id": owner} if owner else {})}
        api.send("hello", user_id=owner or "carol")
        assert api.post("/v1/projects", body).status_code == 201
        get_error(bobs.get(f"/v1/projects/{id}"), 404, "not_found")
        get_error(bobs.post(f"/v1/projects/{id}/context", {"user_id": "bob", "query": "x"}), 404, "not_found")
    assert [each["id"] for each in bobs.get("/v1/projects").json()["results"]] == ["mine"]
    get_error(bobs.get("/v1/projects", user_id="alice"), 403, "other_user")
    get_error(bobs.post("/v1/projects", {"id": "x", "name": "x", "mission": "m"}), 403, "tenant_key_needed")
    get_error(bobs.post("/v1/projects/normalise", {"query": "x", "user_id": "bob"}), 403, "tenant_key_needed")
    source = {"type": "document", "ref": "minutes"}
    for caller, project in ((bobs, "mine"), (api, "shared")):
        decision = {"id": "d-1", "title": f"Use tea in {project}", "source": source}
        assert caller.post(f"/v1/projects/{project}/decisions", decision).status_code == 201
        only = {"id": f"d-{project}", "title": f"Use milk in {project}", "source": source}
        assert caller.post(f"/v1/projects/{project}/decisions", only).status_code == 201
    # The id is of two projects; the key's own is the one that is meant, and no name of a project leads elsewhere.
    assert bobs.post("/v1/decisions/d-1/state", {"state": "implemented"}).status_code == 200
    named = {"state": "implemented", "project_id": "shared"}
    get_error(bobs.post("/v1/decisions/d-1/state", named), 404, "not_found")
    get_error(bobs.post("/v1/decisions/d-shared/state", {"state": "rejected"}), 404, "not_found")
    states = {each["id"]: each["state"] for each in api.get("/v1/projects/shared/decisions").json()["results"]}
    assert states == {"d-1": "accepted", "d-shared": "accepted"}
    wanted = {"user_id": "bob", "query": "tea"}
    own = bobs.post("/v1/projects/mine/snapshots", wanted).json()
    other = api.post("/v1/projects/shared/snapshots", wanted).json()
    assert [each["id"] for each in own["decisions"]] == ["d-1", "d-mine"]
    assert bobs.get(f"/v1/snapshots/{own['id']}").json() == own
    get_error(bobs.get(f"/v1/snapshots/{other['id']}"), 404, "not_found")
    get_error(bobs.get(f"/v1/snapshots/{own['id']}/diff/{other['id']}"), 404, "not_found")
    get_error(bobs.post("/v1/projects/mine/snapshots", {**wanted, "user_id": "alice"}), 403, "other_user")
    alices = api.send(f"the word is {MARKER}").json()["id"]
    fact = {"subject": "word", "value": "x", "source": {"type": "message", "ref": alices, "quote": MARKER}}
    assert bobs.post("/v1/projects/mine/facts", {"facts": [fact]}).status_code >= 400
    get_error(bobs.put("/v1/projects/mine/threads/c-1", {"user_id": "alice"}), 403, "other_user")
