"""No door lets a caller that stands for one user reach another's memory, whatever it fills in (D-40).

The calls are drawn at random from a fixed seed: every tool, path and argument that names something, with ids, names and
odd values of the other user in it.
"""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from config.mcp.tools import TOOLS
from memory.services.exports import export_user
from memory.types import TenantRef
from tests.caller import Caller
from tests.cast import Chatter

pytestmark = pytest.mark.django_db
MARKER = "quetzalmarker"
CALLS = 250
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
Call = tuple[str, str, Any]


@pytest.fixture
def names(bob: Chatter, api: Caller) -> list[Any]:
    """What could lead to Bob: his name, ids of everything of his, and values that a filter may take for him."""
    first = api.send(f"my size is M, {MARKER}", user_id="bob").json()
    pack = api.post("/v1/context", {"user_id": "bob", "conversation_id": "c-1", "query": MARKER}).json()
    plan = api.post("/v1/users/bob/forget", {"query": MARKER, "dry_run": True}).json()
    item = {"namespace": ["bob"], "key": "k", "value": {"text": MARKER}}
    api.client.put("/v1/store/items", item, content_type="application/json", headers={"X-UNDE-User": "bob"})
    ids = [first["id"], first["facts"][0]["id"], pack["receipt_id"], plan["plan_id"]]
    wild = ["bob", "*", "user:bob", "../bob", "alice,bob", "BOB", "", MARKER, "c-1", "k", {"in": ["bob", "alice"]}]
    return [*ids, *wild, ["bob"], {"eq": "bob"}, {"ne": "alice"}, None, 0, True, [ids[0]]]


def draw_tools(draw: random.Random, names: list[Any]) -> Call:
    tool = draw.choice(TOOLS)
    arguments = {name: draw.choice(names) for name in tool.arguments if draw.random() < 0.8}
    if draw.random() < 0.3:
        arguments[draw.choice(["user_id", "user", "userId", "tenant", "X-UNDE-User"])] = "bob"
    params = {"name": tool.name, "arguments": arguments, **({"_meta": {"user": "bob"}} if draw.random() < 0.2 else {})}
    return "post", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def draw_mem0(draw: random.Random, names: list[Any]) -> Call:
    one, other = str(draw.choice(names)), draw.choice(names)
    field = draw.choice(["user_id", "userId", "agent_id", "run_id", "app_id", "filters"])
    wanted = draw.choice(
        [{"user_id": other}, {"OR": [{"user_id": "alice"}, {"user_id": other}]}, {"NOT": [{"id": "x"}]}]
    )
    said = {"messages": [{"role": "user", "content": "my size is XL"}], field: other}
    return draw.choice(
        [
            ("get", f"/mem0/v1/memories/{one}/", None),
            ("get", f"/mem0/v1/memories/{one}/history/", None),
            ("delete", f"/mem0/v1/memories/{one}/", None),
            ("put", f"/mem0/v1/memories/{one}/", {"text": "my size is XL", field: other}),
            ("post", "/mem0/v3/memories/", {"filters": wanted}),
            ("post", "/mem0/v3/memories/search/", {"query": MARKER, "filters": wanted, field: other}),
            ("post", "/mem0/v3/memories/add/", said),
            ("get", f"/mem0/v1/memories/?{field}=bob", None),
            ("delete", f"/mem0/v1/memories/?{field}=bob", None),
            ("delete", f"/mem0/v2/entities/user/{one}/", None),
            ("put", "/mem0/v1/batch/", {"memories": [{"memory_id": one, "text": "my size is XL"}]}),
            ("delete", "/mem0/v1/batch/", {"memories": [{"memory_id": one}]}),
            ("get", "/mem0/v1/entities/", None),
            ("post", "/mem0/search", {"query": MARKER, field: other}),
            ("post", "/mem0/memories", said),
        ]
    )


def draw_store(draw: random.Random, names: list[Any]) -> Call:
    one, other = draw.choice(names), draw.choice(names)
    namespace = draw.choice([["bob"], [str(one)], ["notes", "bob"], other])
    item = {"namespace": namespace, "key": str(one) or "k"}
    return draw.choice(
        [
            ("put", "/v1/store/items", {**item, "value": {"text": "mine"}}),
            ("delete", "/v1/store/items", item),
            ("get", f"/v1/store/items?namespace=bob&key={one}", None),
            ("post", "/v1/store/items/search", {"namespace_prefix": namespace, "query": MARKER}),
            ("post", "/v1/store/namespaces", {"prefix": namespace}),
            ("post", "/v1/store/batch", {"operations": [{"op": "get", **item}, {"op": "put", **item, "value": {}}]}),
        ]
    )


def draw_rest(draw: random.Random, names: list[Any]) -> Call:
    one, other, user = draw.choice(names), draw.choice(names), draw.choice(["bob", "alice"])
    message = {"user_id": user, "conversation_id": "c-1", "role": "user", "content": "my size is XL"}
    asked = {"user_id": user, "conversation_id": "c-1", "query": MARKER}
    return draw.choice(
        [
            ("get", f"/v1/messages/{one}", None),
            ("get", f"/v1/messages/{one}/history", None),
            ("patch", f"/v1/messages/{one}", {"content": "my size is XL"}),
            ("delete", f"/v1/messages/{one}", None),
            ("get", f"/v1/facts/{one}", None),
            ("post", f"/v1/facts/{one}/retract", {"message_id": other}),
            ("patch", f"/v1/facts/{one}", {"value": "XL"}),
            ("delete", f"/v1/facts/{one}", None),
            ("get", f"/v1/operations/{one}", None),
            ("post", f"/v1/users/{user}/import?format=jsonl", {**message, "timestamp": 1767225600, "user_id": other}),
            ("get", f"/v1/receipts/{one}", None),
            ("post", "/v1/messages", {**message, "replaces_id": other}),
            ("post", "/v1/messages", {**message, "role": "assistant", "receipt_id": other}),
            ("post", "/v1/messages/batch", {"messages": [message, {**message, "reply_to_id": other}]}),
            ("post", "/v1/search", {**asked, "filters": {"metadata": {"user_id": "bob"}}}),
            ("post", "/v1/context", asked),
            ("post", f"/v1/users/{user}/forget", draw.choice([{"plan_id": other}, {"message_ids": [other]}])),
            ("post", "/v1/feedback", {"receipt_id": other, "items": [{"message_id": one, "signal": "used"}]}),
            ("get", f"/v1/users/{user}/export", None),
        ]
    )


DOORS: dict[str, Callable[[random.Random, list[Any]], Call]] = {
    "mcp": draw_tools,
    "mem0": draw_mem0,
    "store": draw_store,
    "rest": draw_rest,
}


def make_clients(api: Caller, *, has_header: bool) -> Client:
    """A client that stands for Alice: by a key for her, or by the header of the app beside a key of the tenant."""
    if has_header:
        key = str(api.client.defaults["HTTP_AUTHORIZATION"]).removeprefix("Bearer ")
        return Client(
            headers={"Authorization": f"Bearer {key}", "X-UNDE-User": "alice", **HEADERS}, raise_request_exception=False
        )
    made = api.post("/v1/users/alice/keys", {"scopes": list_scopes()}).json()
    return Client(headers={"Authorization": f"Bearer {made['key']}", **HEADERS}, raise_request_exception=False)


def list_scopes() -> list[str]:
    return ["read", "write", "facts", "forget", "erase", "export", "feedback", "store:read", "store:write"]


def export(person: Chatter) -> list[bytes]:
    """All that is held of a person, without the line that says when; reading leaves a receipt of one's own alone."""
    return list(export_user(user=person.ref, now=timezone.now()))[1:]


def list_answers(client: Client, door: str, names: list[Any]) -> Iterator[tuple[Call, int, bytes]]:
    draw = random.Random(f"{door}-40")
    for _ in range(CALLS):
        method, path, body = call = DOORS[door](draw, names)
        sent = "" if body is None else json.dumps(body)
        answer = client.generic(method.upper(), path, sent, content_type="application/json")
        yield call, answer.status_code, b"".join(answer.streaming_content) if answer.streaming else answer.content


@pytest.mark.parametrize("door", DOORS)
def test_a_key_for_one_user_reaches_nobody_else(
    door: str, api: Caller, names: list[Any], alice: Chatter, bob: Chatter, tenant: TenantRef
) -> None:
    alice.say("I like tea")
    client, before = make_clients(api, has_header=False), export(bob)
    done = 0
    for call, status, content in list_answers(client, door, names):
        assert status < 500, call
        sent = json.dumps(call)
        if MARKER not in sent:  # what was sent may come back
            assert MARKER.encode() not in content, call
        assert f"my size is M, {MARKER}".encode() not in content, call
        done += status < 300
    assert done > CALLS // 20  # what is Alice's own goes through: the door is not merely shut
    assert export(bob) == before


@pytest.mark.parametrize("door", ["mcp", "mem0", "store"])
def test_the_user_that_the_app_names_is_the_only_one_that_a_model_reaches(
    door: str, api: Caller, names: list[Any], alice: Chatter, bob: Chatter, tenant: TenantRef
) -> None:
    alice.say("I like tea")
    client, before = make_clients(api, has_header=True), export(bob)
    for call, status, content in list_answers(client, door, names):
        assert status < 500, call
        assert f"my size is M, {MARKER}".encode() not in content, call
    assert export(bob) == before
