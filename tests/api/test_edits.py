"""One message by its id: an edit keeps the id, deleting means forgetting, and what it said is in its history (A-3)."""

import uuid
from typing import Any

import pytest

from tests.caller import Caller, get_error, make_caller
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


def list_values(api: Caller) -> dict[str, Any]:
    return {row["knowledge_key"]: row["value"] for row in api.get("/v1/users/alice/facts").json()["results"]}


def test_a_message_is_read_by_its_id(api: Caller) -> None:
    stored = api.send("my size is M", metadata={"channel": "app"}).json()
    message = api.get(f"/v1/messages/{stored['id']}").json()
    assert (message["content"], message["conversation_id"], message["metadata"]) == (
        "my size is M",
        "c-1",
        {"channel": "app"},
    )
    assert (message["id"], message["version_id"], message["versions"]) == (stored["id"], stored["id"], 1)


def test_an_edit_keeps_the_id_and_teaches_anew(api: Caller) -> None:
    first = api.send("my size is M", metadata={"a": 1}, mood="calm").json()["id"]
    edited = api.patch(f"/v1/messages/{first}", {"content": "my size is S"}).json()
    assert edited["id"] == first and edited["version_id"] != first
    assert [fact["value"] for fact in edited["facts"] if fact["action"] != "deactivated"] == ["S"]
    assert list_values(api) == {"size": "S"}
    for name in (first, edited["version_id"]):
        message = api.get(f"/v1/messages/{name}").json()
        assert (message["id"], message["version_id"], message["versions"]) == (first, edited["version_id"], 2)
        assert (message["content"], message["metadata"], message["mood"]) == ("my size is S", {"a": 1}, "calm")
    again = api.patch(f"/v1/messages/{edited['version_id']}", {"metadata": {"b": 2}}).json()
    assert again["id"] == first
    message = api.get(f"/v1/messages/{first}").json()
    assert (message["content"], message["metadata"], message["versions"]) == ("my size is S", {"b": 2}, 3)
    assert list_values(api) == {"size": "S"}
    found = api.post("/v1/search", {"user_id": "alice", "query": "what is my size"}).json()["results"]
    assert [hit["message_id"] for hit in found] == [again["version_id"]]


def test_the_history_says_what_each_version_said(api: Caller) -> None:
    first = api.send("I like tea").json()["id"]
    api.patch(f"/v1/messages/{first}", {"content": "I like coffee"})
    history = api.get(f"/v1/messages/{first}/history").json()
    assert history["id"] == first and history["next"] is None
    assert [(row["event"], row["content"]) for row in history["results"]] == [
        ("added", "I like tea"),
        ("edited", "I like coffee"),
    ]


def test_deleting_forgets_every_version_and_can_be_undone(api: Caller) -> None:
    first = api.send("my size is M").json()["id"]
    second = api.patch(f"/v1/messages/{first}", {"content": "my size is S"}).json()["version_id"]
    gone = api.delete(f"/v1/messages/{second}").json()
    assert sorted(gone["message_ids"]) == sorted([first, second])
    assert len(gone["facts_deactivated"]) == 1 and list_values(api) == {}
    for method, path, body in (
        ("get", "", None),
        ("get", "/history", None),
        ("delete", "", None),
        ("patch", "", {"content": "x"}),
    ):
        send = getattr(api, method)
        answer = send(f"/v1/messages/{first}{path}", *([body] if body else []))
        assert get_error(answer, 404, "not_found") == {"message_id": "unknown"}
    assert api.get("/v1/users/alice/messages").json()["results"] == []
    api.post(f"/v1/forgets/{gone['batch_id']}/restore")
    assert api.get(f"/v1/messages/{first}").json()["content"] == "my size is S"
    assert list_values(api) == {"size": "S"}


def test_an_edit_under_a_key_is_done_once(api: Caller) -> None:
    first = api.send("I like tea").json()["id"]
    for _ in range(2):
        answer = api.client.patch(
            f"/v1/messages/{first}",
            {"content": "I like coffee"},
            content_type="application/json",
            headers={"Idempotency-Key": "k-1"},
        )
        assert answer.status_code == 200
    assert api.get(f"/v1/messages/{first}").json()["versions"] == 2


def test_what_cannot_be_an_edit_is_refused(api: Caller) -> None:
    first = api.send("I like tea").json()["id"]
    assert get_error(api.patch(f"/v1/messages/{first}", {}), 400, "invalid_request") == {
        "body": "names nothing to change"
    }
    assert "content" in get_error(api.patch(f"/v1/messages/{first}", {"content": " "}), 400, "invalid_request")
    wrong = api.patch(f"/v1/messages/{first}", {"response_description": "of tea"})
    assert "response_description" in get_error(wrong, 400, "invalid_request")
    assert "role" in get_error(api.patch(f"/v1/messages/{first}", {"role": "system"}), 400, "invalid_request")
    get_error(api.patch(f"/v1/messages/{uuid.uuid4()}", {"content": "x"}), 404, "not_found")
    assert api.get(f"/v1/messages/{first}").json()["versions"] == 1


def test_blocks_stay_where_only_the_mood_is_new(api: Caller) -> None:
    blocks = [
        {"type": "text", "text": "look"},
        {"type": "image", "media_id": "i-1", "text_fallback": "a red dress", "security_status": "safe"},
    ]
    first = api.send(blocks).json()["id"]
    api.patch(f"/v1/messages/{first}", {"mood": "glad"})
    message = api.get(f"/v1/messages/{first}").json()
    assert (message["blocks"], message["mood"]) == (blocks, "glad")
    api.patch(f"/v1/messages/{first}", {"content": "a blue dress"})
    assert api.get(f"/v1/messages/{first}").json()["blocks"] is None


def test_a_reply_keeps_its_receipt(api: Caller, alice: Chatter) -> None:
    alice.say("my size is M")
    pack = api.post("/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": "what size"}).json()
    reply = api.send("An M, then.", role="assistant", receipt_id=pack["receipt_id"]).json()["id"]
    api.patch(f"/v1/messages/{reply}", {"content": "A medium, then."})
    assert api.get(f"/v1/messages/{reply}").json()["receipt_id"] == pack["receipt_id"]


def test_a_key_for_one_user_sees_its_own_messages_alone(api: Caller, tenant: Any) -> None:
    own, foreign = api.send("mine").json()["id"], api.send("not mine", user_id="bob").json()["id"]
    secret = api.post("/v1/users/alice/keys").json()["key"]
    api.client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    assert api.get(f"/v1/messages/{own}").status_code == 200
    for answer in (
        api.get(f"/v1/messages/{foreign}"),
        api.get(f"/v1/messages/{foreign}/history"),
        api.patch(f"/v1/messages/{foreign}", {"content": "x"}),
        api.delete(f"/v1/messages/{foreign}"),
    ):
        get_error(answer, 404, "not_found")
    assert make_caller(tenant).get(f"/v1/messages/{foreign}").json()["content"] == "not mine"


def test_a_fact_is_read_by_its_id_after_it_was_closed_too(api: Caller) -> None:
    fact_id = api.send("my size is M").json()["facts"][0]["id"]
    fact = api.get(f"/v1/facts/{fact_id}").json()
    assert (fact["value"], fact["is_active"], fact["excerpts"][0]["text"]) == ("M", True, "my size is M")
    api.send("my size is S")
    fact = api.get(f"/v1/facts/{fact_id}").json()
    assert (fact["value"], fact["is_active"]) == ("M", False) and fact["superseded_by"]
    get_error(api.get(f"/v1/facts/{uuid.uuid4()}"), 404, "not_found")
