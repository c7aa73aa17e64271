"""Erasure over HTTP: accepted, invisible at once, refused while it runs, proved when it is done (SPEC G-2, API.md)."""

from typing import Any

import pytest
from django.utils import timezone

from memory.erasure.worker import run_erasure
from memory.models import ErasureRequest
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import UserRef
from tests.api.conftest import Caller, get_error

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """How often a worker was woken; none runs here."""
    calls: list[bool] = []
    monkeypatch.setattr("config.api.endpoints.erasures.wake_worker", lambda: calls.append(True))
    return calls


def erase(api: Caller, user_id: str = "alice", **body: Any) -> dict[str, Any]:
    """Ask for an erasure and take the answer apart."""
    response = api.post(f"/v1/users/{user_id}/erasure", body)
    assert response.status_code == 202, response.content
    answer: dict[str, Any] = response.json()
    return answer


def work(tenant: Any) -> None:
    """Let the worker do everything that is open in the tenant."""
    with tenant_scope(tenant.id):
        rows = list(ErasureRequest.objects.exclude(status="completed"))
    for row in rows:
        run_erasure(user=UserRef(row.user_id, row.tenant_id), erasure_id=row.id, clock=timezone.now)


def test_an_erasure_is_accepted_and_the_user_is_gone_from_every_read(api: Caller, woken: list[bool]) -> None:
    message_id = api.send("my size is M").json()["id"]
    receipt_id = api.post("/v1/search", {"user_id": "alice", "query": "size"}).json()["receipt_id"]
    answer = erase(api)
    assert set(answer) == {"erasure_id", "status", "deadline"}
    assert answer["status"] == "queued"
    assert woken
    for path in ("messages", "facts", "conversations", "export"):
        get_error(api.get(f"/v1/users/alice/{path}"), 404, "user_not_found")
    get_error(api.post(f"/v1/messages/{message_id}/forget"), 404, "not_found")
    get_error(api.get(f"/v1/receipts/{receipt_id}"), 404, "receipt_not_found")
    assert api.get("/v1/users").json()["results"] == []


def test_while_it_runs_nothing_is_taken_in_for_that_user(api: Caller) -> None:
    api.send("my size is M")
    erase(api)
    get_error(api.send("hello again"), 409, "user_erased")
    get_error(
        api.put("/v1/users/alice/facts", {"facts": [{"knowledge_type": "budget", "value": 5, "source": "explicit"}]}),
        409,
        "user_erased",
    )
    batch = {
        "messages": [
            {"user_id": name, "conversation_id": "c", "role": "user", "content": "hi"} for name in ("alice", "bob")
        ]
    }
    refused, stored = api.post("/v1/messages/batch", batch).json()["results"]
    assert refused["error"]["code"] == "user_erased"
    assert stored["id"]


def test_asked_twice_it_is_one_erasure(api: Caller) -> None:
    api.send("hello")
    assert erase(api)["erasure_id"] == erase(api)["erasure_id"]


def test_when_it_is_done_the_answer_holds_history_counts_and_certificate(api: Caller, tenant: Any) -> None:
    api.send("my size is M")
    erasure_id = erase(api, reason="account_closed")["erasure_id"]
    before = api.get(f"/v1/erasures/{erasure_id}").json()
    assert before["certificate"] is None
    work(tenant)
    answer = api.get(f"/v1/erasures/{erasure_id}").json()
    assert (answer["status"], answer["reason"], answer["scope"]) == ("completed", "account_closed", "all")
    assert [event["status"] for event in answer["history"]] == [
        "requested",
        "verified",
        "tombstoned",
        "queued",
        "processing",
        "completed",
    ]
    assert answer["counts"]["before"]["messages"] == 1
    assert not any(answer["counts"]["after"].values())
    assert answer["certificate"]["user_key"] == "destroyed"
    assert len(answer["certificate"]["signature"]) == 64


def test_after_it_old_messages_are_refused_and_new_ones_make_a_new_user(api: Caller, tenant: Any) -> None:
    api.send("my size is M", created_at="2026-01-02T10:00:00+04:00")
    erase(api)
    work(tenant)
    fields = get_error(api.send("my size is M", created_at="2026-01-02T10:00:00+04:00"), 409, "erased_period")
    assert set(fields) == {"created_at"}
    assert api.send("hello").status_code == 201
    assert len(api.get("/v1/users/alice/messages").json()["results"]) == 1


def test_a_conversation_a_message_and_a_range_can_be_erased_alone(api: Caller, tenant: Any) -> None:
    kept = api.send("stays", created_at="2026-01-01T10:00:00Z").json()["id"]
    api.send("one", conversation_id="c-2", created_at="2026-01-02T10:00:00Z")
    single = api.send("two", created_at="2026-01-03T10:00:00Z").json()["id"]
    api.send("three", created_at="2026-01-04T10:00:00Z")
    erase(api, scope="conversation", conversation_id="c-2")
    erase(api, scope="messages", message_ids=[single])
    erase(api, scope="range", **{"from": "2026-01-04T00:00:00Z", "to": "2026-01-05T00:00:00Z"})
    assert [row["id"] for row in api.get("/v1/users/alice/messages").json()["results"]] == [kept]
    work(tenant)
    assert [row["id"] for row in api.get("/v1/users/alice/messages").json()["results"]] == [kept]
    assert [c["conversation_id"] for c in api.get("/v1/users/alice/conversations").json()["results"]] == ["c-1"]


def test_a_key_without_the_scope_erases_nothing(api: Caller, make_api: Any) -> None:
    api.send("hello")
    get_error(make_api(Scope.WRITE, Scope.FORGET).post("/v1/users/alice/erasure"), 403, "missing_scope")
    assert api.get("/v1/users/alice/messages").status_code == 200


def test_another_tenant_sees_no_erasure_of_this_one(api: Caller, other_api: Caller) -> None:
    api.send("hello")
    erasure_id = erase(api)["erasure_id"]
    get_error(other_api.get(f"/v1/erasures/{erasure_id}"), 404, "not_found")
    get_error(other_api.post("/v1/users/alice/erasure"), 404, "user_not_found")


def test_a_user_who_never_was_is_not_found(api: Caller) -> None:
    get_error(api.post("/v1/users/nobody/erasure"), 404, "user_not_found")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"scope": "everything"}, "scope"),
        ({"scope": "conversation"}, "conversation_id"),
        ({"scope": "range", "from": "2026-01-05T00:00:00Z", "to": "2026-01-04T00:00:00Z"}, "to"),
        ({"scope": "range", "from": "yesterday"}, "from"),
        ({"reason": "she told me why"}, "reason"),
        ({"reason": "code_with_a_line_end\n"}, "reason"),
        ({"because": "x"}, "because"),
    ],
)
def test_a_wrong_request_is_told_which_field(api: Caller, body: dict[str, Any], field: str) -> None:
    api.send("hello")
    assert set(get_error(api.post("/v1/users/alice/erasure", body), 400, "invalid_request")) == {field}


def test_readiness_counts_what_is_open(api: Caller) -> None:
    api.send("hello")
    erase(api)
    assert api.get("/readyz", verbose="1").json()["queues"]["erasure_pending"] == 1
