"""Forgetting over HTTP: hidden from every read at once, with the cascade, and back within the grace period (K15)."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from memory.erasure.worker import run_erasure
from memory.models import ErasureRequest, ForgetBatch, Message
from memory.services.forgotten import finish_forget
from memory.tenants.scope import tenant_scope
from tests.api.conftest import Caller, get_error


def see_everything(api: Caller, query: str) -> str:
    """All that reads show of Alice, as one text."""
    shown = [
        api.get("/v1/users/alice/messages"),
        api.get("/v1/users/alice/facts", include="inactive"),
        api.post("/v1/search", {"user_id": "alice", "query": query, "top_k": 50}),
        api.post("/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": query}),
    ]
    return "".join(response.content.decode() for response in shown)


def test_k15_a_forgotten_message_is_gone_from_every_read_and_its_facts_with_it(api: Caller):
    api.send("hello there")
    taught = api.send("у меня аллергия на шерсть, zebramarker").json()
    api.send("Noted.", role="assistant", response_description="zebramarker described")
    assert "zebramarker" in see_everything(api, "шерсть аллергия")
    forgotten = api.post(f"/v1/messages/{taught['id']}/forget", {"reason": "asked in chat"}).json()
    assert forgotten["facts_deactivated"] == [taught["facts"][0]["id"]]
    assert len(forgotten["descriptions_cleared"]) == 1
    assert "zebramarker" not in see_everything(api, "шерсть аллергия")
    assert api.get("/v1/users/alice/facts").json()["results"] == []


def test_onboarding_facts_survive_a_forget(api: Caller):
    api.put("/v1/users/alice/facts", {"facts": [{"knowledge_type": "budget", "value": 5, "source": "onboarding"}]})
    message_id = api.send("бюджет 5 дирхам").json()["id"]
    api.post(f"/v1/messages/{message_id}/forget")
    assert [f["value"] for f in api.get("/v1/users/alice/facts").json()["results"]] == [5]


def test_a_forget_can_be_undone(api: Caller):
    taught = api.send("у меня аллергия на шерсть, zebramarker").json()
    api.send("Noted.", role="assistant", response_description="zebramarker described")
    before = see_everything(api, "шерсть аллергия").count("zebramarker")
    batch = api.post(f"/v1/messages/{taught['id']}/forget").json()["batch_id"]
    back = api.post(f"/v1/forgets/{batch}/restore").json()
    assert back["facts_restored"] == [taught["facts"][0]["id"]]
    assert see_everything(api, "шерсть аллергия").count("zebramarker") == before
    get_error(api.post(f"/v1/forgets/{batch}/restore"), 409, "forget_over")


def test_restoring_one_message_leaves_the_rest_of_its_batch_hidden(api: Caller):
    ids = [api.send(f"secret number {i}").json()["id"] for i in range(3)]
    batch = api.post("/v1/users/alice/forget", {"message_ids": ids}).json()["batch_id"]
    api.post(f"/v1/messages/{ids[1]}/restore")
    assert [m["id"] for m in api.get("/v1/users/alice/messages").json()["results"]] == [ids[1]]
    api.post(f"/v1/forgets/{batch}/restore")
    assert [m["id"] for m in api.get("/v1/users/alice/messages").json()["results"]] == ids


def test_a_restore_that_meets_a_newer_fact_says_so_and_stays_inactive(api: Caller):
    first = api.send("мой размер S").json()
    batch = api.post(f"/v1/messages/{first['id']}/forget").json()["batch_id"]
    api.send("мой размер M")
    back = api.post(f"/v1/forgets/{batch}/restore").json()
    assert (back["facts_restored"], back["facts_left_inactive"]) == ([], [first["facts"][0]["id"]])
    assert [f["value"] for f in api.get("/v1/users/alice/facts").json()["results"]] == ["M"]


def test_forgetting_never_revives_an_older_value(api: Caller):
    api.send("мой размер S")
    newer = api.send("мой размер M").json()
    api.post(f"/v1/messages/{newer['id']}/forget")
    assert api.get("/v1/users/alice/facts").json()["results"] == []


def test_a_query_needs_a_dry_run_and_the_run_takes_exactly_its_ids(api: Caller):
    kept = api.send("I bought lemons").json()["id"]
    gone = api.send("my ex Rashid called again").json()["id"]
    assert "dry_run" in get_error(api.post("/v1/users/alice/forget", {"query": "Rashid"}), 400, "invalid_request")
    plan = api.post("/v1/users/alice/forget", {"query": "Rashid", "dry_run": True}).json()
    assert gone in plan["message_ids"]
    assert plan["batch_id"] is None
    late = api.send("Rashid once more").json()["id"]
    done = api.post("/v1/users/alice/forget", {"plan_id": plan["plan_id"], "reason": "asked"}).json()
    assert done["message_ids"] == plan["message_ids"]
    left = [m["id"] for m in api.get("/v1/users/alice/messages").json()["results"]]
    assert late in left
    assert gone not in left
    assert (kept in left) == (kept not in plan["message_ids"])
    get_error(api.post("/v1/users/alice/forget", {"plan_id": plan["plan_id"]}), 409, "plan_used")


def test_a_dry_run_changes_nothing(api: Caller):
    message_id = api.send("у меня аллергия на шерсть").json()["id"]
    plan = api.post("/v1/users/alice/forget", {"message_ids": [message_id], "dry_run": True}).json()
    assert len(plan["facts_deactivated"]) == 1
    assert len(api.get("/v1/users/alice/facts").json()["results"]) == 1
    assert len(api.get("/v1/users/alice/messages").json()["results"]) == 1


def test_ids_that_are_not_there_are_refused_and_nothing_is_forgotten(api: Caller, other_api: Caller):
    mine = api.send("one").json()["id"]
    theirs = other_api.send("two").json()["id"]
    get_error(api.post("/v1/users/alice/forget", {"message_ids": [mine, theirs]}), 404, "not_found")
    get_error(api.post(f"/v1/messages/{theirs}/forget"), 404, "not_found")
    get_error(api.post(f"/v1/messages/{mine}/restore"), 404, "not_found")
    assert len(api.get("/v1/users/alice/messages").json()["results"]) == 1
    assert len(other_api.get("/v1/users/alice/messages").json()["results"]) == 1


def test_after_the_grace_period_a_forget_is_an_erasure(api: Caller, tenant: Any):
    taught = api.send("у меня аллергия на шерсть").json()
    batch = api.post(f"/v1/messages/{taught['id']}/forget").json()["batch_id"]
    from memory.selectors.users import get_user

    with tenant_scope(tenant.id):
        user = get_user(tenant_id=tenant.id, external_id="alice")
    assert finish_forget(user=user, batch_id=batch, now=timezone.now()) == 0
    later = timezone.now() + timedelta(days=31)
    assert finish_forget(user=user, batch_id=batch, now=later) == 1
    assert finish_forget(user=user, batch_id=batch, now=later) == 0
    with tenant_scope(tenant.id):
        erasure_id = ErasureRequest.objects.get(user_id=user.id, reason="forget_grace_over").id
    assert run_erasure(user=user, erasure_id=erasure_id, clock=timezone.now) == "completed"
    with tenant_scope(tenant.id):
        assert not Message.objects.filter(user_id=user.id).exists()
        assert ForgetBatch.objects.get(user_id=user.id, id=batch).status == "finished"
    get_error(api.post(f"/v1/forgets/{batch}/restore"), 409, "forget_over")
    assert api.get("/v1/users/alice/facts", include="inactive").json()["results"] == []


def test_export_holds_everything_and_nothing_forgotten(api: Caller):
    api.send("мой размер M")
    secret = api.send("zebramarker").json()["id"]
    api.post(f"/v1/messages/{secret}/forget", {"reason": "private"})
    lines = b"".join(api.get("/v1/users/alice/export").streaming_content).decode().splitlines()
    import json

    kinds = [json.loads(line)["kind"] for line in lines]
    assert kinds[:2] == ["export", "user"]
    assert {"conversation", "message", "fact", "action"} <= set(kinds)
    assert "zebramarker" not in "".join(lines)
