"""Filters of `POST /v1/search`: by role, type, conversation, time, and expressions over metadata; each inside one user."""

from typing import Any

import pytest

from tests.caller import Caller, get_error

ITEMS: dict[str, dict[str, Any]] = {
    "one": {"store": "mall", "price": 100, "tags": ["red", "silk"], "day": "2026-03-01"},
    "two": {"store": "online", "price": 700, "lot": None},
    "three": {"store": "mall", "price": "100"},
    "four": {},
}


@pytest.fixture
def shop(api: Caller) -> Caller:
    for name, metadata in ITEMS.items():
        api.send(f"scarf number {name}", metadata=metadata, conversation_id=f"c-{name}")
    return api


def find(api: Caller, **body: Any) -> set[str]:
    answer = api.post("/v1/search", {"user_id": "alice", "query": "scarf", "top_k": 50, **body})
    assert answer.status_code == 200, answer.content
    return {hit["raw_excerpt"].split()[-1] for hit in answer.json()["results"]}


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"store": "mall"}, {"one", "three"}),
        ({"store": {"eq": "mall"}, "price": 100}, {"one"}),
        ({"store": {"ne": "mall"}}, {"two", "four"}),
        ({"store": {"in": ["mall", "online"]}}, {"one", "two", "three"}),
        ({"price": {"gt": 99}}, {"one", "two"}),
        ({"price": {"gte": 100, "lt": 700}}, {"one"}),
        ({"price": {"lte": "100"}}, {"three"}),
        ({"day": {"gte": "2026-02-01", "lt": "2026-04-01"}}, {"one"}),
        ({"tags": {"contains": "silk"}}, {"one"}),
        ({"store": {"contains": "mall"}}, set()),
        ({"lot": {"exists": True}}, {"two"}),
        ({"lot": None}, {"two"}),
        ({"store": {"exists": False}}, {"four"}),
        ({"NOT": {"store": "mall"}}, {"two", "four"}),
        ({"OR": [{"price": {"gt": 500}}, {"tags": {"contains": "red"}}]}, {"one", "two"}),
        ({"AND": [{"store": "mall"}, {"NOT": {"price": {"in": [100, "no"]}}}]}, {"three"}),
        ({"'; DROP TABLE memory_message; --": "%(user_id)s"}, set()),
    ],
)
def test_expressions_over_metadata_narrow_the_hits(shop: Caller, metadata: dict[str, Any], expected: set[str]):
    assert find(shop, filters={"metadata": metadata}) == expected


def test_all_kinds_of_filters_hold_together(shop: Caller):
    shop.send("scarf number five", role="assistant", metadata={"store": "mall"}, conversation_id="c-one")
    shop.send(
        "scarf number six", metadata={"store": "mall"}, memory_type="event", created_at="2025-01-01T00:00:00+00:00"
    )
    mall = {"metadata": {"store": "mall"}}
    assert find(shop, filters=mall) == {"one", "three", "five", "six"}
    assert find(shop, filters={**mall, "roles": ["assistant"]}) == {"five"}
    assert find(shop, filters={**mall, "memory_types": ["event"]}) == {"six"}
    assert find(shop, filters={**mall, "created_to": "2025-06-01T00:00:00+00:00"}) == {"six"}
    assert find(shop, filters={**mall, "created_from": "2025-06-01T00:00:00+00:00"}) == {"one", "three", "five"}
    assert find(shop, filters=mall, conversation_id="c-one") == {"one", "five"}


def test_the_metadata_of_others_is_never_looked_at(shop: Caller, other_api: Caller):
    shop.send("scarf number seven", user_id="bob", metadata={"store": "mall"})
    other_api.send("scarf number eight", metadata={"store": "mall"})
    assert find(shop, filters={"metadata": {"store": "mall"}}) == {"one", "three"}


def test_a_forgotten_message_is_not_found_by_its_metadata(shop: Caller):
    (hit,) = shop.post(
        "/v1/search", {"user_id": "alice", "query": "scarf", "filters": {"metadata": {"price": 700}}}
    ).json()["results"]
    shop.post(f"/v1/messages/{hit['message_id']}/forget", {})
    assert find(shop, filters={"metadata": {"price": 700}}) == set()


@pytest.mark.parametrize(
    ("metadata", "field"),
    [
        ({}, "filters.metadata"),
        ({"AND": []}, "filters.metadata.AND"),
        ({"OR": [{"price": {"near": 5}}]}, "filters.metadata.OR[0].price.near"),
        ({"price": {"in": list(range(101))}}, "filters.metadata.price.in"),
    ],
)
def test_what_is_no_expression_is_refused_by_its_place(shop: Caller, metadata: dict[str, Any], field: str):
    body = {"user_id": "alice", "query": "scarf", "filters": {"metadata": metadata}}
    assert set(get_error(shop.post("/v1/search", body), 400, "invalid_request")) == {field}


def test_packs_that_used_a_message_or_a_fact_are_listed_page_by_page(api: Caller, other_api: Caller):
    said = api.send("my pearls are from Bahrain", conversation_id="old").json()["id"]
    fact = api.send("my size is M", conversation_id="old").json()["facts"][0]["id"]
    ask = {"user_id": "alice", "conversation_id": "new", "query": "where are my pearls from?"}
    used = [api.post("/v1/context", ask).json()["receipt_id"] for _ in range(3)]
    unrelated = api.post("/v1/context", {**ask, "query": "quantum chromodynamics"}).json()["receipt_id"]
    first = api.get("/v1/users/alice/receipts", message_id=said, limit=2).json()
    rest = api.get("/v1/users/alice/receipts", message_id=said, limit=2, after=first["next"]).json()
    assert [row["id"] for row in first["results"] + rest["results"]] == used[::-1]
    assert rest["next"] is None
    by_fact = {row["id"] for row in api.get("/v1/users/alice/receipts", fact_id=fact).json()["results"]}
    assert by_fact == {*used, unrelated}
    assert other_api.get("/v1/users/alice/receipts").status_code == 404
