"""Who told us is in sight by client, and all that one client told goes at once and can come back (D-39)."""

import json
from typing import Any

import pytest
from django.test import Client

from tests.caller import Caller, get_error

pytestmark = pytest.mark.django_db
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


def make_assistant(api: Caller, name: str) -> tuple[str, Client]:
    made = api.post("/v1/users/alice/keys", {"name": name}).json()
    return made["id"], Client(headers={"Authorization": f"Bearer {made['key']}", **MCP})


def note(client: Client, text: str) -> str:
    params = {"name": "add_memory", "arguments": {"text": text}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = client.post("/mcp", body, content_type="application/json").json()
    return str(answer["result"]["structuredContent"]["id"])


def import_lines(api: Caller, lines: list[Any], file_format: str) -> None:
    data = "\n".join(map(json.dumps, lines))
    sent = api.client.post(f"/v1/users/alice/import?format={file_format}", data, content_type="application/jsonl")
    assert sent.json()["messages"] == len(lines), sent.content


def count(api: Caller) -> dict[tuple[str, str], int]:
    rows = api.get("/v1/users/alice/sources").json()["results"]
    return {(row["via"], row["client"]): row["messages"] for row in rows}


def test_each_client_is_counted_by_itself(api: Caller) -> None:
    api.send("my size is M")
    api.send("noted", role="assistant", metadata={"source": "mcp"})  # an app's own words for its own things
    first, one = make_assistant(api, "phone")
    second, other = make_assistant(api, "desk")
    note(one, "likes tea")
    note(one, "likes coffee")
    note(other, "likes cocoa")
    line = {"role": "user", "content": "I am allergic to nickel", "timestamp": "2026-01-05T10:00:00Z"}
    import_lines(api, [line], "jsonl")
    import_lines(api, [{"id": "z-1", "memory": "Likes hiking", "created_at": "2026-01-05T10:00:00Z"}], "mem0")
    assert count(api) == {
        ("app", ""): 2,
        ("mcp", first): 2,
        ("mcp", second): 1,
        ("import", "jsonl"): 1,
        ("import", "mem0"): 1,
    }
    rows = api.get("/v1/users/alice/sources").json()["results"]
    assert {row["name"] for row in rows if row["via"] == "mcp"} == {"phone", "desk"}


def test_all_of_one_client_goes_at_once_and_comes_back(
    api: Caller, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(settings.UNDE_TUNING, "MAX_FORGET_MESSAGES", 2)
    client_id, assistant = make_assistant(api, "phone")
    ids = [note(assistant, f"likes tea number {n}") for n in range(5)]
    api.send("likes of mine are many")
    path, body = "/v1/users/alice/sources/remove", {"via": "mcp", "client": client_id}
    planned = api.post(path, {**body, "dry_run": True}).json()
    assert (planned["message_ids"], planned["batch_ids"]) == (ids, [])
    assert count(api)["mcp", client_id] == 5
    done = api.post(path, {**body, "reason": "it made things up"}).json()
    assert (done["message_ids"], len(done["batch_ids"])) == (ids, 3)
    assert count(api) == {("app", ""): 1}
    found = api.post("/v1/search", {"user_id": "alice", "query": "likes tea"}).json()["results"]
    assert not set(ids) & {hit["message_id"] for hit in found}
    assert get_error(api.post(path, body), 404, "not_found") == {"client": "unknown"}
    for batch_id in done["batch_ids"]:
        api.post(f"/v1/forgets/{batch_id}/restore")
    assert count(api)["mcp", client_id] == 5


def test_facts_of_an_import_go_with_it(api: Caller) -> None:
    line = {"role": "user", "content": "I am allergic to nickel", "timestamp": "2026-01-05T10:00:00Z"}
    import_lines(api, [line], "jsonl")
    assert len(api.get("/v1/users/alice/facts").json()["results"]) == 1
    done = api.post("/v1/users/alice/sources/remove", {"via": "import", "client": "jsonl"}).json()
    assert len(done["facts_deactivated"]) == 1
    assert api.get("/v1/users/alice/facts").json()["results"] == []
    get_error(api.get("/v1/users/nobody/sources"), 404, "user_not_found")
    get_error(api.post("/v1/users/alice/sources/remove", {"via": "rumour"}), 400, "invalid_request")
