"""Kept items over HTTP: what is put is found, by its user alone, and goes with its user."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.erasure.requests import request_erasure
from memory.erasure.types import ErasureTarget
from memory.erasure.worker import run_erasure
from memory.kept.models import KeptItem
from memory.kept.tasks import drop_kept_items
from memory.models import ErasureRequest
from memory.tenants.models import ApiKey
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import TenantRef, UserRef
from tests.caller import Caller, get_error, make_caller

pytestmark = pytest.mark.django_db


def of(api: Caller, user: str) -> Caller:
    """The same key, in the name of a user."""
    api.client.defaults["HTTP_X_UNDE_USER"] = user
    return api


@pytest.fixture
def store(tenant: TenantRef) -> Caller:
    return of(make_caller(tenant), "alice")


@pytest.fixture
def bobs_store(tenant: TenantRef) -> Caller:
    return of(make_caller(tenant), "bob")


def put(store: Caller, key: str, value: dict[str, Any], namespace: str = "notes", **more: Any) -> Any:
    body = {"namespace": namespace.split("."), "key": key, "value": value, **more}
    answer = store.put("/v1/store/items", body)
    assert answer.status_code == 204, answer.content
    return answer


def get(store: Caller, key: str, namespace: str = "notes", **more: Any) -> Any:
    return store.get("/v1/store/items", namespace=namespace, key=key, **more).json()


def find(store: Caller, **body: Any) -> list[str]:
    return [item["key"] for item in store.post("/v1/store/items/search", body).json()["items"]]


def test_a_user_whose_id_is_not_ascii_is_named_percent_encoded(tenant: TenantRef) -> None:
    store = of(make_caller(tenant), "UTF-8''%D9%84%D9%8A%D9%84%D9%89%2F1")
    put(store, "k", {"n": 1})
    assert get(of(make_caller(tenant), "ليلى/1".encode().decode("latin-1")), "k")["value"] == {"n": 1}
    assert get(of(make_caller(tenant), "utf-8'ar'%D9%84%D9%8A%D9%84%D9%89%2F1"), "k")["value"] == {"n": 1}
    for wrong in ("UTF-8''%D9", "UTF-8''", "", "UTF-8''%00", f"UTF-8''{'%D9%84' * 129}"):
        refused = of(make_caller(tenant), wrong).get("/v1/store/items", namespace="notes", key="k")
        assert list(get_error(refused, 400, "invalid_request")) == ["X-UNDE-User"]


def test_what_was_put_is_read_and_the_other_user_sees_none_of_it(store: Caller, bobs_store: Caller) -> None:
    put(store, "k", {"text": "boots", "n": 1})
    item = get(store, "k")
    assert (item["value"], item["namespace"], item["version"]) == ({"text": "boots", "n": 1}, ["notes"], 1)
    assert get(bobs_store, "k") is None
    assert find(bobs_store, namespace_prefix=[]) == []
    assert bobs_store.post("/v1/store/namespaces").json() == {"namespaces": []}
    store.delete("/v1/store/items", {"namespace": ["notes"], "key": "k"})
    assert get(store, "k") is None


def test_a_put_makes_a_version_and_the_older_ones_stay_for_a_while(store: Caller) -> None:
    for number in range(12):
        put(store, "k", {"n": number})
    item = get(store, "k")
    assert (item["version"], item["value"]) == (12, {"n": 11})
    assert get(store, "k", version=3)["value"] == {"n": 2}
    assert get(store, "k", version=2) is None
    late = store.put("/v1/store/items", {"namespace": ["notes"], "key": "k", "value": {}, "if_version": 11})
    get_error(late, 409, "version_conflict")
    put(store, "k", {"n": 12}, if_version=12)
    get_error(
        store.put("/v1/store/items", {"namespace": ["notes"], "key": "k", "value": {}, "if_version": 0}),
        409,
        "version_conflict",
    )


def test_a_question_finds_items_in_order_and_filters_narrow_them(store: Caller) -> None:
    put(store, "1", {"text": "red apple", "color": "red", "score": 4.5})
    put(store, "2", {"text": "red car", "color": "red", "score": 3.0})
    put(store, "3", {"text": "green apple", "color": "green", "score": 4.0}, namespace="notes.deep")
    put(store, "4", {"text": "blue car", "color": "blue", "score": 3.5}, namespace="other")
    put(store, "5", {"text": "apple apple"}, index=False)
    assert find(store, namespace_prefix=[], query="apple", filter={"color": "red"}) == ["1", "2"]
    assert find(store, namespace_prefix=["notes"], query="car")[0] == "2"
    assert find(store, namespace_prefix=["notes"], filter={"score": {"$gte": 4}}) == ["3", "1"]
    assert set(find(store, namespace_prefix=["notes", "deep"])) == {"3"}
    assert find(store, namespace_prefix=[], query="яблоки apple", limit=1, offset=1, filter={"score": {"$gt": 3.9}})
    assert "5" in find(store, namespace_prefix=[])
    assert "5" not in find(store, namespace_prefix=[], query="apple")
    refused = store.post("/v1/store/items/search", {"filter": {"color": {"$regex": "r"}}})
    assert "filter.color" in get_error(refused, 400, "invalid_request")


def test_a_better_answer_has_a_greater_score(store: Caller) -> None:
    put(store, "1", {"text": "zany zebra Xerxes"})
    put(store, "2", {"text": "something about dogs"})
    query = {"namespace_prefix": ["notes"], "query": "Zany Xerxes"}
    before = {item["key"]: item["score"] for item in store.post("/v1/store/items/search", query).json()["items"]}
    assert 1 >= before["1"] > before["2"] >= 0
    put(store, "1", {"text": "new text about dogs"})
    after = {item["key"]: item["score"] for item in store.post("/v1/store/items/search", query).json()["items"]}
    assert after["1"] < before["1"]


@pytest.mark.django_db(transaction=True)
def test_an_item_ends_by_itself_and_reading_lets_it_begin_again(
    store: Caller, tenant: TenantRef, as_role: Callable[..., None]
) -> None:
    put(store, "short", {"n": 1}, ttl=1)
    put(store, "read", {"n": 1}, ttl=1)
    put(store, "long", {"n": 1})
    with tenant_scope(tenant.id):
        KeptItem.objects.filter(ttl_seconds=60).update(expires_at=timezone.now() + timedelta(seconds=5))
    assert get(store, "short", refresh_ttl="false")["key"] == "short"
    get(store, "read")
    with tenant_scope(tenant.id):
        soon = KeptItem.objects.filter(expires_at__lt=timezone.now() + timedelta(seconds=30))
        assert soon.count() == 1
        soon.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert get(store, "short") is None
    assert set(find(store, namespace_prefix=[])) == {"read", "long"}
    as_role("worker")
    assert drop_kept_items() == 1
    with tenant_scope(tenant.id):
        assert KeptItem.objects.count() == 2


def test_a_batch_goes_in_order_and_writes_together_are_all_or_none(store: Caller) -> None:
    steps = [
        {"op": "put", "namespace": ["a"], "key": "1", "value": {"n": 1}},
        {"op": "get", "namespace": ["a"], "key": "1"},
        {"op": "delete", "namespace": ["a"], "key": "1"},
        {"op": "put", "namespace": ["a", "b"], "key": "2", "value": {"n": 2}},
        {"op": "search", "namespace_prefix": ["a"]},
        {"op": "namespaces", "suffix": ["b"]},
    ]
    results = store.post("/v1/store/batch", {"operations": steps}).json()["results"]
    assert (results[0], results[1]["value"], results[2], results[3]) == (None, {"n": 1}, None, None)
    assert ([item["key"] for item in results[4]], results[5]) == (["2"], [["a", "b"]])
    refused = store.post(
        "/v1/store/batch",
        {
            "operations": [
                {"op": "put", "namespace": ["a"], "key": "3", "value": {}},
                {"op": "put", "namespace": ["a"], "key": "2", "value": {}, "if_version": 9},
            ]
        },
    )
    get_error(refused, 409, "version_conflict")
    assert get(store, "3", namespace="a") is None
    assert "operations[0].op" in get_error(
        store.post("/v1/store/batch", {"operations": [{"op": "drop"}]}), 400, "invalid_request"
    )
    assert "operations[0].key" in get_error(
        store.post("/v1/store/batch", {"operations": [{"op": "get", "namespace": ["a"]}]}), 400, "invalid_request"
    )


def test_nothing_of_an_item_stands_in_the_table_in_the_clear(store: Caller, tenant: TenantRef) -> None:
    put(store, "zanzibarkey", {"text": "zanzibarmarker"}, namespace="zanzibarplace")
    with tenant_scope(tenant.id):
        row = KeptItem.objects.values().get()
    assert b"zanzibar" not in b"".join(
        bytes(part)
        for value in row.values()
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, bytes | memoryview)
    )


def test_items_are_no_evidence_and_go_with_their_user(store: Caller, bobs_store: Caller, tenant: TenantRef) -> None:
    put(store, "k", {"text": "I am allergic to nickel"})
    put(bobs_store, "k", {"text": "mine"})
    assert store.get("/v1/users/alice/facts").json()["results"] == []
    lines = b"".join(store.get("/v1/users/alice/export").streaming_content).splitlines()
    kept = [line for line in map(json.loads, lines) if line["kind"] == "kept_item"]
    assert [(line["key"], line["namespace"]) for line in kept] == [("k", ["notes"])]
    erasure = request_erasure(
        tenant=tenant,
        user_external_id="alice",
        target=ErasureTarget(),
        reason="user_request",
        actor="key:test",
        now=timezone.now(),
    )
    assert get(store, "k") is None
    with tenant_scope(tenant.id):
        user_id = ErasureRequest.objects.get(id=erasure.id).user_id
    user = UserRef(id=user_id, tenant_id=tenant.id)
    assert run_erasure(user=user, erasure_id=erasure.id, clock=timezone.now) == "completed"
    counts = store.get(f"/v1/erasures/{erasure.id}").json()["counts"]
    assert (counts["before"]["kept_items"], counts["after"]["kept_items"]) == (1, 0)
    assert get(bobs_store, "k")["value"] == {"text": "mine"}


def test_an_export_brings_items_back_with_their_versions_and_their_search(
    store: Caller, other_tenant: TenantRef
) -> None:
    put(store, "k", {"text": "brown boots"}, index=["text"])
    put(store, "k", {"text": "black boots", "note": "secret"}, index=["text"])
    exported = b"".join(store.get("/v1/users/alice/export").streaming_content)
    there = of(make_caller(other_tenant), "alice")
    for _ in range(2):
        taken = there.client.post("/v1/users/alice/import", exported, content_type="application/jsonl").json()
        assert (taken["failed"], taken["errors"]) == (0, [])
    assert get(there, "k")["value"] == {"text": "black boots", "note": "secret"}
    assert get(there, "k", version=1)["value"] == {"text": "brown boots"}
    assert find(there, namespace_prefix=["notes"], query="boots") == ["k"]


def test_whose_item_it_is_must_be_said(api: Caller) -> None:
    get_error(api.put("/v1/store/items", {"namespace": ["a"], "key": "k", "value": {}}), 400, "user_required")
    get_error(api.post("/v1/store/items/search", {}), 400, "user_required")


def test_a_key_may_find_the_user_in_the_namespace(api: Caller, tenant: TenantRef) -> None:
    with tenant_scope(tenant.id):
        ApiKey.objects.update(user_position=1)
    put(api, "k", {"n": 1}, namespace="users.alice.notes")
    put(api, "k", {"n": 2}, namespace="users.bob.notes")
    assert find(api, namespace_prefix=["users", "alice"]) == ["k"]
    assert get(api, "k", namespace="users.bob.notes")["value"] == {"n": 2}
    for prefix in ([], ["users"], ["users", "*"]):
        get_error(api.post("/v1/store/items/search", {"namespace_prefix": prefix}), 400, "user_required")
    get_error(api.post("/v1/store/namespaces", {"suffix": ["notes"]}), 400, "user_required")
    named = of(api, "bob")
    get_error(named.post("/v1/store/items/search", {"namespace_prefix": ["users", "alice"]}), 403, "other_user")


def test_reading_and_writing_are_scopes_of_their_own(tenant: TenantRef) -> None:
    reader = of(make_caller(tenant, Scope.STORE_READ), "alice")
    put_step = {"op": "put", "namespace": ["a"], "key": "k", "value": {}}
    get_error(reader.put("/v1/store/items", {"namespace": ["a"], "key": "k", "value": {}}), 403, "missing_scope")
    get_error(reader.post("/v1/store/batch", {"operations": [put_step]}), 403, "missing_scope")
    assert find(reader, namespace_prefix=[]) == []


def test_a_user_keeps_a_limited_number_of_items(store: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.UNDE_TUNING, "KEPT_ITEMS_OF_A_USER", 2)
    put(store, "1", {"n": 1})
    put(store, "2", {"n": 1})
    body = {"namespace": ["notes"], "key": "3", "value": {"n": 1}}
    get_error(store.put("/v1/store/items", body), 422, "kept_quota_reached")
    put(store, "2", {"n": 2})
    large = {"namespace": ["notes"], "key": "2", "value": {"text": "x" * 300_000}}
    assert "value" in get_error(store.put("/v1/store/items", large), 400, "invalid_request")


def test_a_key_in_the_header_of_other_products_is_a_key(store: Caller) -> None:
    bearer = store.client.defaults.pop("HTTP_AUTHORIZATION")
    store.client.defaults["HTTP_X_API_KEY"] = bearer.removeprefix("Bearer ")
    put(store, "k", {"n": 1})
    assert get(store, "k")["value"] == {"n": 1}
