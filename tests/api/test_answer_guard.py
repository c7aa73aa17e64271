"""Replies that name their pack are compared with it, over HTTP (SPEC P-6, D-23)."""

from typing import Any

import pytest
from django.db import OperationalError
from prometheus_client import REGISTRY

from memory.tenants.scope import tenant_scope
from retrieval.models import AnswerFinding, Feedback
from retrieval.replies import judging as answers
from tests.caller import Caller

SAID = "the emerald satin dress pinched at the shoulders terribly last winter"
QUOTE = "You said the emerald satin dress pinched at the shoulders terribly."


@pytest.fixture
def pack(api: Caller) -> dict[str, Any]:
    api.send(SAID, conversation_id="old")
    api.send("my size is M", conversation_id="old")
    api.send("which dress should I wear?")
    body = {"user_id": "alice", "conversation_id": "c-1", "query": "which dress should I wear?"}
    answer: dict[str, Any] = api.post("/v1/context", body).json()
    return answer


def reply(api: Caller, pack: dict[str, Any], content: str, **more: Any) -> dict[str, Any]:
    answer = api.send(content, role="assistant", receipt_id=pack["receipt_id"], **more)
    assert answer.status_code in (200, 201), answer.content
    body: dict[str, Any] = answer.json()
    return body


def test_a_reply_that_quotes_a_memory_is_told_so(api: Caller, pack: dict[str, Any], tenant: Any):
    card = next(card for card in pack["episode_cards"] if card["raw_excerpt"] == SAID)
    sent = reply(api, pack, QUOTE)
    expected = {"code": "quotes_memory", "message_id": card["message_id"], "fact_id": None}
    assert sent["answer_guard"] == [expected]
    receipt = api.get(f"/v1/receipts/{pack['receipt_id']}").json()
    assert receipt["answer_findings"] == [expected]
    assert {one["signal"] for one in receipt["signals"] if one["is_computed"]} >= {"used"}
    with tenant_scope(tenant.id):
        (finding,) = AnswerFinding.objects.all()
    assert (str(finding.assistant_message_id), str(finding.receipt_id)) == (sent["id"], pack["receipt_id"])


def test_a_reply_that_keeps_to_the_rules_gets_an_empty_list(api: Caller, pack: dict[str, Any]):
    assert reply(api, pack, "A jersey dress in M, with soft sleeves?")["answer_guard"] == []


def test_messages_that_name_no_receipt_have_no_such_field(api: Caller, pack: dict[str, Any]):
    assert "answer_guard" not in api.send(QUOTE, role="assistant").json()
    assert "answer_guard" not in api.send("hello").json()


def test_the_same_message_again_gets_the_same_answer_and_counts_once(api: Caller, pack: dict[str, Any], tenant: Any):
    def count() -> float:
        return REGISTRY.get_sample_value("unde_answer_guard_hits_total", {"code": "quotes_memory"}) or 0.0

    before = count()
    first, again = (reply(api, pack, QUOTE, id="r-1") for _ in range(2))
    assert first == again
    assert count() == before + 1
    with tenant_scope(tenant.id):
        assert AnswerFinding.objects.count() == 1


def test_a_batch_is_looked_at_too(api: Caller, pack: dict[str, Any]):
    item = {"user_id": "alice", "conversation_id": "c-1", "role": "assistant", "receipt_id": pack["receipt_id"]}
    items = [
        {**item, "content": QUOTE},
        {**item, "content": "A jersey dress?"},
        {**item, "role": "user", "content": "x"},
    ]
    first, second, third = api.post("/v1/messages/batch", {"messages": items}).json()["results"]
    assert [one["code"] for one in first["answer_guard"]] == ["quotes_memory"]
    assert second["answer_guard"] == []
    assert third["error"]["fields"].keys() == {"receipt_id"}


def test_what_a_reply_used_is_a_computed_signal_apart_from_feedback(api: Caller, pack: dict[str, Any], tenant: Any):
    card = next(card for card in pack["episode_cards"] if card["raw_excerpt"] == SAID)
    fact = pack["facts"][0]
    reply(api, pack, "Satin was too tight for you: how about jersey in M, not emerald?")
    explicit = {"message_id": card["message_id"], "signal": "used"}
    assert api.post("/v1/feedback", {"receipt_id": pack["receipt_id"], "items": [explicit]}).status_code == 204
    with tenant_scope(tenant.id):
        rows = {(str(row.message_id or row.fact_id), row.signal, row.is_computed) for row in Feedback.objects.all()}
    assert {
        (card["message_id"], "used", True),
        (card["message_id"], "used", False),
        (fact["id"], "used", True),
    } <= rows


def test_a_forgotten_memory_is_no_longer_compared(api: Caller, pack: dict[str, Any]):
    card = next(card for card in pack["episode_cards"] if card["raw_excerpt"] == SAID)
    api.post(f"/v1/messages/{card['message_id']}/forget", {})
    assert reply(api, pack, QUOTE)["answer_guard"] == []


def test_a_database_that_fails_loses_no_reply(api: Caller, pack: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    def fail(**_: Any) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(answers, "store_findings", fail)
    sent = reply(api, pack, QUOTE)
    assert "answer_guard" not in sent
    stored = api.get("/v1/users/alice/messages", conversation_id="c-1").json()["results"]
    assert sent["id"] in [message["id"] for message in stored]


def test_neither_findings_nor_the_log_hold_a_word_of_the_reply(
    api: Caller, pack: dict[str, Any], tenant: Any, log_stream: Any
):
    reply(api, pack, QUOTE)
    with tenant_scope(tenant.id):
        stored = str([list(row) for row in AnswerFinding.objects.values_list()])
    assert "emerald" not in stored
    assert "emerald" not in log_stream.getvalue()
