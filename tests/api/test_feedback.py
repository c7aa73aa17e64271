"""Feedback over HTTP: signals about what a pack carried, each counted once (SPEC C-4)."""

from typing import Any

from memory.tenants.scope import tenant_scope
from retrieval.models import Feedback
from tests.caller import Caller, get_error


def get_pack(api: Caller) -> dict[str, Any]:
    api.send("не ношу мех")
    return api.post("/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": "пальто на зиму"}).json()


def count(tenant: Any) -> int:
    with tenant_scope(tenant.id):
        return Feedback.objects.count()


def test_signals_about_a_pack_are_stored_once(api: Caller, tenant: Any):
    pack = get_pack(api)
    body = {
        "receipt_id": pack["receipt_id"],
        "items": [
            {"fact_id": pack["facts"][0]["id"], "signal": "used"},
            {"message_id": pack["recent_messages"][0]["message_id"], "signal": "unused"},
        ],
    }
    first, again = api.post("/v1/feedback", body), api.post("/v1/feedback", body)
    assert (first.status_code, first.content, again.status_code) == (204, b"", 204)
    assert count(tenant) == 2


def test_what_the_pack_did_not_carry_is_named_and_nothing_is_stored(api: Caller, tenant: Any):
    pack = get_pack(api)
    other = api.send("later words").json()["id"]
    items = [
        {"fact_id": pack["facts"][0]["id"], "signal": "used"},
        {"message_id": other, "signal": "used"},
        {"signal": "used"},
    ]
    fields = get_error(
        api.post("/v1/feedback", {"receipt_id": pack["receipt_id"], "items": items}), 400, "invalid_request"
    )
    assert set(fields) == {"items[1]", "items[2]"}
    assert count(tenant) == 0


def test_a_receipt_of_another_tenant_is_unknown(api: Caller, other_api: Caller):
    pack = get_pack(api)
    body = {"receipt_id": pack["receipt_id"], "items": [{"fact_id": pack["facts"][0]["id"], "signal": "used"}]}
    get_error(other_api.post("/v1/feedback", body), 404, "receipt_not_found")


def test_a_signal_that_is_not_known_is_refused(api: Caller):
    pack = get_pack(api)
    body = {"receipt_id": pack["receipt_id"], "items": [{"fact_id": pack["facts"][0]["id"], "signal": "loved"}]}
    assert "items[0].signal" in get_error(api.post("/v1/feedback", body), 400, "invalid_request")
