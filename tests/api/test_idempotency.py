"""A write under an Idempotency-Key is done once, whoever repeats it and whenever (SPEC A-1)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from memory.erasure.worker import run_erasure
from memory.models import AnsweredRequest, ErasureRequest, Message
from memory.tasks import drop_answers
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import UserRef
from tests.caller import Caller, get_error
from tests.contract import check_exchange

pytestmark = pytest.mark.django_db
HELLO = {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": "I am allergic to wool"}
WOOL = {"facts": [{"knowledge_type": "allergy", "value": "wool", "source": "explicit"}]}


def send(api: Caller, path: str, body: Any, *, key: str = "k-1", method: str = "post") -> Any:
    call = getattr(api.client, method)
    response = call(path, body, content_type="application/json", headers={"Idempotency-Key": key})
    return check_exchange(method, path, body, response)


def count_messages(tenant: Any) -> int:
    with tenant_scope(tenant.id):
        return Message.objects.count()


def test_a_message_without_an_id_is_stored_once(api: Caller, tenant: Any) -> None:
    first, again = (send(api, "/v1/messages", HELLO) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert (first.get("Idempotent-Replayed"), again["Idempotent-Replayed"]) == (None, "true")
    assert count_messages(tenant) == 1
    assert send(api, "/v1/messages", HELLO, key="k-2").json()["id"] != first.json()["id"]


def test_facts_and_what_is_done_to_them_are_written_once(api: Caller) -> None:
    first, again = (send(api, "/v1/users/alice/facts", WOOL, method="put") for _ in range(2))
    assert first.json()["facts"][0]["action"] == again.json()["facts"][0]["action"] == "added"
    fact_id = first.json()["facts"][0]["id"]
    retracted, repeated = (send(api, f"/v1/facts/{fact_id}/retract", {}, key="k-2") for _ in range(2))
    assert retracted.content == repeated.content
    get_error(api.post(f"/v1/facts/{fact_id}/retract"), 409, "fact_inactive")


def test_forgetting_and_feedback_are_done_once(api: Caller) -> None:
    message_id = api.send("I am allergic to wool").json()["id"]
    pack = api.post("/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": "wool?"}).json()
    told = {"receipt_id": pack["receipt_id"], "items": [{"message_id": message_id, "signal": "used"}]}
    assert [send(api, "/v1/feedback", told, key="k-0").status_code for _ in range(2)] == [204, 204]
    signals = [one for one in api.get(f"/v1/receipts/{pack['receipt_id']}").json()["signals"] if not one["is_computed"]]
    assert len(signals) == 1
    forgotten = [send(api, f"/v1/messages/{message_id}/forget", {}).json() for _ in range(2)]
    assert forgotten[0] == forgotten[1]
    restored = [send(api, f"/v1/forgets/{forgotten[0]['batch_id']}/restore", {}, key="k-2").json() for _ in range(2)]
    assert restored[0] == restored[1]
    plans = [
        send(api, "/v1/users/alice/forget", {"query": "wool", "dry_run": True}, key="k-3").json() for _ in range(2)
    ]
    assert plans[0]["plan_id"] == plans[1]["plan_id"]


@pytest.mark.parametrize(
    "other", [{**HELLO, "content": "I am allergic to silk"}, {**HELLO, "user_id": "bob"}, {**HELLO, "mood": "sad"}]
)
def test_another_body_under_the_same_key_is_refused(api: Caller, tenant: Any, other: dict[str, Any]) -> None:
    send(api, "/v1/messages", HELLO)
    get_error(send(api, "/v1/messages", other), 422, "idempotency_key_reused")
    get_error(send(api, "/v1/users/alice/facts", WOOL, method="put"), 422, "idempotency_key_reused")
    assert count_messages(tenant) == 1


def test_the_same_body_written_in_another_way_is_the_same_request(api: Caller, tenant: Any) -> None:
    send(api, "/v1/messages", HELLO)
    send(api, "/v1/messages", dict(reversed(HELLO.items())))
    assert count_messages(tenant) == 1


def test_a_refused_request_keeps_no_answer(api: Caller, tenant: Any) -> None:
    get_error(send(api, "/v1/messages", {**HELLO, "created_at": "2199-01-01T00:00:00Z"}), 400, "invalid_request")
    assert send(api, "/v1/messages", HELLO).status_code == 201


def test_keys_of_another_tenant_are_its_own(api: Caller, other_api: Caller) -> None:
    assert send(api, "/v1/messages", HELLO).json()["id"] != send(other_api, "/v1/messages", HELLO).json()["id"]


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256, "ключ"])
def test_a_key_that_is_none_is_refused(api: Caller, tenant: Any, key: str) -> None:
    fields = get_error(send(api, "/v1/messages", HELLO, key=key), 400, "invalid_request")
    assert fields == {"Idempotency-Key": "must have 1 to 255 printable ASCII characters without spaces"}
    assert count_messages(tenant) == 0


def test_messages_of_a_batch_need_ids_of_their_own(api: Caller, tenant: Any) -> None:
    batch = {"messages": [{**HELLO, "id": "m-1"}, HELLO]}
    fields = get_error(send(api, "/v1/messages/batch", batch), 400, "invalid_request")
    assert list(fields) == ["messages[1].id"]
    batch["messages"][1] = {**HELLO, "id": "m-2"}
    for _ in range(2):
        assert send(api, "/v1/messages/batch", batch).status_code == 200
    assert count_messages(tenant) == 2


def test_a_repeated_reply_is_judged_as_the_first_one_was(api: Caller) -> None:
    api.send("the emerald satin dress pinched at the shoulders terribly last winter", conversation_id="old")
    pack = api.post("/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": "which dress?"}).json()
    reply = {**HELLO, "role": "assistant", "receipt_id": pack["receipt_id"], "wait_for_index": True}
    reply["content"] = "You said the emerald satin dress pinched at the shoulders terribly."
    first, again = (send(api, "/v1/messages", reply).json() for _ in range(2))
    assert first == again
    assert [one["code"] for one in again["answer_guard"]] == ["quotes_memory"]
    assert again["indexed"] is True


def test_after_a_day_the_key_is_free_and_the_answer_is_gone(api: Caller, tenant: Any) -> None:
    first = send(api, "/v1/messages", HELLO).json()
    with tenant_scope(tenant.id):
        AnsweredRequest.objects.update(
            created_at=timezone.now() - timedelta(days=2), expires_at=timezone.now() - timedelta(seconds=1)
        )
    assert send(api, "/v1/messages", HELLO).json()["id"] != first["id"]


@pytest.mark.django_db(transaction=True)
def test_the_job_deletes_what_has_expired(api: Caller, tenant: Any, as_role: Callable[..., None]) -> None:
    send(api, "/v1/messages", HELLO)
    send(api, "/v1/messages", HELLO, key="k-2")
    with tenant_scope(tenant.id):
        old = AnsweredRequest.objects.order_by("id").first()
        AnsweredRequest.objects.filter(id=old.id).update(
            created_at=timezone.now() - timedelta(days=2), expires_at=timezone.now() - timedelta(seconds=1)
        )
    as_role("worker")
    assert drop_answers() == 1
    with tenant_scope(tenant.id):
        assert AnsweredRequest.objects.count() == 1


def test_an_answer_that_shows_a_forgotten_message_is_not_given_again(api: Caller, tenant: Any) -> None:
    message_id = send(api, "/v1/messages", HELLO).json()["id"]
    other = send(api, "/v1/messages", {**HELLO, "content": "my size is M"}, key="k-2").json()
    assert api.post(f"/v1/messages/{message_id}/forget").json()["derived"]["answers_cleared"] == 1
    get_error(send(api, "/v1/messages", HELLO), 409, "answer_forgotten")
    assert send(api, "/v1/messages", {**HELLO, "content": "my size is M"}, key="k-2").json() == other
    assert count_messages(tenant) == 2


def test_what_is_kept_is_sealed_exported_and_erased(api: Caller, tenant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.api.endpoints.erasures.wake_worker", lambda: None)
    first = send(api, "/v1/messages", HELLO, key="mail-of-alice").json()
    with tenant_scope(tenant.id):
        row = AnsweredRequest.objects.get()
    held = b"".join(map(bytes, (row.key_digest, row.request_digest, row.sealed)))
    assert b"wool" not in held and b"alice" not in held
    lines = b"".join(api.get("/v1/users/alice/export").streaming_content).decode().splitlines()
    assert sum('"kind": "answered_request"' in line or '"kind":"answered_request"' in line for line in lines) == 1
    api.post("/v1/users/alice/erasure")
    with tenant_scope(tenant.id):
        erasure = ErasureRequest.objects.get()
    run_erasure(user=UserRef(erasure.user_id, erasure.tenant_id), erasure_id=erasure.id, clock=timezone.now)
    with tenant_scope(tenant.id):
        assert AnsweredRequest.objects.count() == 0
    # Said after the erasure, as by a customer who comes back: nothing of the old answer is left to repeat.
    assert send(api, "/v1/messages", HELLO, key="mail-of-alice").json()["id"] != first["id"]


def test_another_tenant_sees_no_kept_answer(api: Caller, other_tenant: Any) -> None:
    send(api, "/v1/messages", HELLO)
    with tenant_scope(other_tenant.id):
        assert AnsweredRequest.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_ten_at_the_same_time_store_one(api: Caller, tenant: Any) -> None:
    def post(place: int) -> tuple[int, str]:
        try:
            response = send(api, "/v1/messages", HELLO)
            return response.status_code, response.json().get("id", "")
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(post, range(10)))
    stored = [answer for answer in answers if answer[0] == 201]
    # One that waited for over two seconds is told to try again, and stores nothing.
    assert {status for status, _ in answers} <= {201, 503}
    assert len(set(stored)) == 1
    assert count_messages(tenant) == 1


def test_a_page_link_is_made_once_and_for_the_key_that_made_it(api: Caller, make_api: Any) -> None:
    path = "/v1/users/alice/page-links"
    first, again = (send(api, path, {"permissions": ["read"]}) for _ in range(2))
    assert first.content == again.content and again["Idempotent-Replayed"] == "true"
    get_error(send(make_api(*Scope), path, {"permissions": ["read"]}), 422, "idempotency_key_reused")


def test_a_secret_is_changed_and_a_test_is_sent_once(api: Caller) -> None:
    api.put("/v1/webhooks/hook", {"url": "https://93.184.215.14/", "events": ["*"]})
    first, again = (send(api, "/v1/webhooks/hook/rotate", {}) for _ in range(2))
    assert first.content == again.content
    # Changed twice, what receivers have would sign nothing any more: another key says that it is meant.
    assert send(api, "/v1/webhooks/hook/rotate", {}, key="k-2").json()["secret"] != first.json()["secret"]
    assert api.post("/v1/webhooks/hook/rotate").json()["secret"] != first.json()["secret"]
    tests = [send(api, "/v1/webhooks/hook/test", {}, key=key).json()["delivery_id"] for key in ("k-1", "k-1", "k-2")]
    assert tests[0] == tests[1] != tests[2]
    assert len(api.get("/v1/webhooks/hook/deliveries").json()["results"]) == 2
    # Made anew it has no deliveries, while the event of the former one is still there.
    api.client.delete("/v1/webhooks/hook")
    api.put("/v1/webhooks/hook", {"url": "https://93.184.215.14/", "events": ["*"]})
    assert send(api, "/v1/webhooks/hook/test", {}, key="k-1").status_code == 202
