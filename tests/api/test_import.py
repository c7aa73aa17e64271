"""Import over the API: what an app exported here comes back there (SPEC M-7)."""

import json
from typing import Any

from config.api.endpoints import imports
from memory.tenants.types import Scope
from tests.api.conftest import Caller, get_error


def bring_in(api: Caller, data: bytes, *, user: str = "alice", **query: str) -> Any:
    path = f"/v1/users/{user}/import"
    return api.client.post(path, data, content_type="application/jsonl", query_params=query)


def test_an_export_comes_back_as_the_same_facts(api: Caller, other_api: Caller) -> None:
    api.send("my size is M, I am allergic to nickel")
    api.client.put(
        "/v1/users/alice/facts",
        {"facts": [{"knowledge_type": "budget", "value": 500, "source": "onboarding"}]},
        content_type="application/json",
    )
    exported = b"".join(api.get("/v1/users/alice/export").streaming_content)
    answer = bring_in(other_api, exported)
    assert answer.status_code == 200
    assert answer.json() == {
        "messages": 1,
        "repeated": 0,
        "actions": 2,
        "accounts": 0,
        "facts": 3,
        "differing_facts": 0,
        "ignored": 5,  # the user, and three events
        "failed": 0,
        "errors": [],
    }
    assert (
        other_api.get("/v1/users/alice/facts").json()["results"] == api.get("/v1/users/alice/facts").json()["results"]
    )


def test_plain_lines_are_taken_and_bad_ones_are_named(api: Caller) -> None:
    good = json.dumps({"role": "user", "content": "my size is M", "timestamp": "2025-01-01T10:00:00Z"})
    answer = bring_in(api, f"{good}\nno json\n".encode(), format="jsonl").json()
    assert (answer["messages"], answer["failed"]) == (1, 1)
    assert answer["errors"] == [{"line": 2, "code": "invalid_json", "fields": {}}]


def test_an_unknown_format_is_refused(api: Caller) -> None:
    assert "format" in get_error(bring_in(api, b"{}", format="diary"), 400, "invalid_request")


def test_an_import_needs_the_write_scope(make_api: Any) -> None:
    get_error(bring_in(make_api(Scope.READ), b"{}"), 403, "missing_scope")


def test_a_file_over_the_limit_is_refused(api: Caller, monkeypatch: Any) -> None:
    monkeypatch.setattr(imports, "IMPORT_BODY_LIMIT", 10)
    get_error(bring_in(api, b"x" * 11), 413, "body_too_large")


def test_logs_that_contradict_each_other_store_nothing(api: Caller) -> None:
    statement = {
        "knowledge_type": "life_event",
        "knowledge_key": "move",
        "value": "move",
        "confidence": 1.0,
        "extracted_from": "explicit",
        "said_at": "2026-01-01T00:00:00Z",
    }
    line = {
        "kind": "action",
        "id": "01934a3e-0000-7000-8000-000000000000",
        "position": 1,
        "action": "explicit",
        "said_at": "2026-01-01T00:00:00Z",
        "recorded_at": "2026-01-01T00:00:00Z",
        "words": {"statement": statement},
    }
    get_error(bring_in(api, json.dumps(line).encode()), 400, "import_inconsistent")
    assert api.get("/v1/users/alice/facts").status_code == 404
