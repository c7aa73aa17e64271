"""Consent over HTTP: what the app's backend, the person on their page and an operator do, and what each answers."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.consents.models import Consent, Purpose
from memory.models import Message
from memory.outbox.models import Event
from memory.retention.services import switch_retention
from memory.tenants.models import AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import SYSTEM
from memory.tenants.types import Scope
from memory.types import TenantRef
from tests.api.console.conftest import log_in, operator
from tests.api.me.conftest import Visitor, make_link, make_visitor
from tests.caller import Caller, get_error
from tests.cast import Chatter
from tests.db.memory.consents.purposes import put

__all__ = ["log_in", "make_visitor", "operator"]
pytestmark = pytest.mark.django_db
CONSENTS = "/v1/users/alice/consents"


def say(api: Caller, **consents: bool) -> Any:
    return api.put(CONSENTS, {"consents": consents})


def test_a_backend_asks_passes_on_and_sees_what_goes(api: Caller, tenant: TenantRef) -> None:
    put(tenant, "health", "facts.allergy", "answers", is_granted_by_default=True, kept_days=None)
    shown = api.get("/v1/purposes").json()["results"][0]
    assert (shown["key"], shown["covers"], shown["names"]["ru"]) == ("health", ["answers", "facts.allergy"], "Советы")
    get_error(api.get(CONSENTS), 404, "user_not_found")
    api.send("I'm allergic to nickel and my size is M")
    before = api.get(CONSENTS).json()
    assert before == {
        "results": [{"purpose": "health", "is_granted": True, "said_at": None, "said_by": None}],
        "withheld": [],
    }
    done = say(api, health=False).json()
    assert (done["facts_closed"], done["erasure_id"], done["withheld"]) == (1, None, ["answers", "facts.allergy"])
    assert done["results"][0]["said_by"].startswith("key:")
    asked = {"user_id": "alice", "conversation_id": "c-2", "query": "what size do I wear?"}
    pack = api.post("/v1/context", asked).json()
    assert (pack["degraded_reasons"], pack["facts"], "size is M" in str(pack)) == (["consent_missing"], [], False)
    found = api.post("/v1/search", {"user_id": "alice", "query": "size"}).json()
    assert (found["results"], found["degraded_reason"]) == ([], "consent_missing")
    answer = api.send("I'm allergic to wool").json()
    assert (answer["facts"], answer["withheld"]) == ([], ["allergy"])
    fact = {"knowledge_type": "allergy", "value": "wool", "source": "explicit"}
    fields = get_error(api.put("/v1/users/alice/facts", {"facts": [fact]}), 409, "consent_missing")
    assert fields == {"user_id": "has not agreed to facts.allergy"}
    say(api, health=True)
    assert api.post("/v1/context", asked).json()["facts"] != []
    with tenant_scope(tenant.id):
        events = Event.objects.filter(type="consent.changed").order_by("user_seq")
        assert [one.data for one in events] == [{"purpose": "health", "is_granted": said} for said in (False, True)]


def test_messages_and_items_are_refused_and_erased_with_the_right_scope(
    api: Caller, make_api: Callable[..., Caller], tenant: TenantRef
) -> None:
    put(tenant, "advice", "messages", "items", is_granted_by_default=True)
    api.send("my size is M")
    item = {"namespace": ["a"], "key": "k", "value": {"x": 1}}
    headers = {"X-UNDE-User": "alice"}
    kept = api.client.put("/v1/store/items", item, content_type="application/json", headers=headers)
    assert kept.status_code == 204
    poor = make_api(Scope.READ, Scope.WRITE)
    get_error(say(poor, advice=False), 403, "missing_scope")
    done = say(api, advice=False).json()
    assert (done["items_deleted"], api.get("/v1/users/alice/messages").json()["results"]) == (1, [])
    assert api.get(f"/v1/erasures/{done['erasure_id']}").json()["reason"] == "consent_withdrawn"
    get_error(api.send("my size is L"), 409, "consent_missing")
    body = {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": "hi"}
    mixed = api.post("/v1/messages/batch", {"messages": [body, {**body, "user_id": "bob"}]}).json()["results"]
    assert mixed[0]["error"]["code"] == "consent_missing" and "id" in mixed[1]
    again = api.client.put("/v1/store/items", item, content_type="application/json", headers=headers)
    get_error(again, 409, "consent_missing")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"consents": {}},
        {"consents": {"nothing": True}},
        {"consents": {"advice": "yes"}},
        {"consents": {"A b": True}},
    ],
)
def test_what_cannot_be_said_is_refused(api: Caller, tenant: TenantRef, body: dict[str, Any]) -> None:
    put(tenant, "advice", "messages")
    fields = get_error(api.put(CONSENTS, body), 400, "invalid_request")
    assert any(name.startswith("consents") for name in fields)
    get_error(api.get(CONSENTS), 404, "user_not_found")


# --- the person -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("locale", "name"), [("en", "Advice"), ("ru", "Советы"), ("ar", "نصائح")])
def test_the_person_reads_and_withdraws_without_javascript(
    api: Caller, make_visitor: Callable[..., Visitor], tenant: TenantRef, locale: str, name: str
) -> None:
    put(tenant, "health", "facts.allergy", is_granted_by_default=True)
    api.send("I'm allergic to nickel and my size is M")
    visitor = make_visitor(locale=locale)
    page = visitor.read("/memory/control")
    assert f'<bdi dir="auto">{name}</bdi>' in page and "To help you choose." in page
    looked = visitor.send("/memory/consents/health", says="no").content.decode()
    assert name in looked and '<input type="hidden" name="sure" value="yes">' in looked
    with tenant_scope(tenant.id):
        assert not Consent.objects.exists()
    assert visitor.send("/memory/consents/health", says="no", sure="yes").status_code == 302
    assert [one["knowledge_type"] for one in api.get("/v1/users/alice/facts").json()["results"]] == ["body_params"]
    assert api.get(CONSENTS).json()["results"][0]["said_by"].startswith("visit:")
    assert 'value="yes"' in visitor.read("/memory/control")
    assert visitor.send("/memory/consents/health", says="yes").status_code == 302
    assert api.get(CONSENTS).json()["withheld"] == []
    assert visitor.send("/memory/consents/nothing", says="no").status_code == 404
    assert visitor.client.post("/memory/consents/health", {"says": "no", "sure": "yes"}).status_code == 403


def test_the_person_changes_only_what_the_app_and_the_link_allow(
    api: Caller, make_visitor: Callable[..., Visitor], tenant: TenantRef
) -> None:
    put(tenant, "contract", "messages", is_granted_by_default=True, is_changeable=False)
    put(tenant, "health", "facts.allergy")
    api.send("hello")
    visitor = make_visitor()
    assert "/memory/consents/contract" not in visitor.read("/memory/control")
    assert visitor.send("/memory/consents/contract", says="no", sure="yes").status_code == 403
    limited = make_visitor(permissions=["read", "pause"])
    assert "/memory/consents/health" not in limited.read("/memory/control")
    made = api.post("/v1/me/session", {"link": make_link(api, permissions=["read"])}).json()
    me = Caller(Client(headers={"Authorization": f"Bearer {made['token']}"}, raise_request_exception=False))
    mine = me.get("/v1/me/consents").json()
    assert [(one["purpose"], one["is_granted"]) for one in mine["results"]] == [("contract", True), ("health", False)]
    get_error(me.put("/v1/me/consents", {"consents": {"health": True}}), 403, "missing_permission")
    made = api.post("/v1/me/session", {"link": make_link(api)}).json()
    me = Caller(Client(headers={"Authorization": f"Bearer {made['token']}"}, raise_request_exception=False))
    get_error(me.put("/v1/me/consents", {"consents": {"contract": False}}), 403, "consent_fixed")
    assert me.put("/v1/me/consents", {"consents": {"health": True}}).json()["withheld"] == []


def test_the_person_reads_how_long_messages_are_kept(
    api: Caller, make_visitor: Callable[..., Visitor], tenant: TenantRef
) -> None:
    put(tenant, "advice", "messages", is_granted_by_default=True, kept_days=30)
    api.send("hello")
    made = api.post("/v1/me/session", {"link": make_link(api)}).json()
    me = Caller(Client(headers={"Authorization": f"Bearer {made['token']}"}, raise_request_exception=False))
    visitor = make_visitor(locale="ru")
    assert me.get("/v1/me/consents").json()["kept_days"] is None and "хранятся 3" not in visitor.read("/memory/control")
    row = Tenant.objects.get(id=tenant.id)
    switch_retention(tenant=row, is_on=True, days=365, actor=SYSTEM, now=timezone.now())
    assert me.get("/v1/me/consents").json()["kept_days"] == 30
    assert "Ваши сообщения хранятся 30 дней." in visitor.read("/memory/control")


# --- operators --------------------------------------------------------------------------------------------------------


def test_an_operator_makes_narrows_and_ends_purposes(operator: Client, tenant: TenantRef) -> None:
    values = {
        "key": "advice",
        "covers": ["messages", "facts.allergy"],
        "kept_days": "30",
        "is_changeable": "on",
        "name_en": "Advice",
        "text_en": "To help.",
        "name_ar": "نصائح",
        "text_ar": "للمساعدة",
    }
    wrong = operator.post(reverse("console:new_purpose"), {**values, "key": "Bad key", "covers": ["answers"]})
    assert wrong.status_code == 200 and b"Lower-case letters" in wrong.content
    assert operator.post(reverse("console:new_purpose"), values).status_code == 302
    edit = reverse("console:edit_purpose", args=["advice"])
    assert "نصائح" in operator.get(edit).content.decode()
    grown = operator.post(edit, {**values, "kept_days": "31"})
    assert b"may not be longer" in grown.content
    assert operator.post(edit, {**values, "covers": ["messages"], "kept_days": "10"}).status_code == 302
    page = operator.get(reverse("console:purposes")).content.decode()
    assert "messages, word by word" in page and "allergy" not in page
    end = reverse("console:end_purpose", args=["advice"])
    assert b"covers nothing any more" in operator.get(end).content
    assert operator.post(end).status_code == 302
    with tenant_scope(tenant.id):
        assert Purpose.objects.get().ended_at is not None
        audited = AuditEvent.objects.filter(action__startswith="purpose.").order_by("happened_at")
        assert [one.action for one in audited] == ["purpose.create", "purpose.change", "purpose.end"]


def test_an_operator_sees_and_passes_on_what_a_user_says(operator: Client, alice: Chatter) -> None:
    put(alice.tenant, "advice", "messages", is_granted_by_default=True)
    alice.say("my size is M")
    user = alice.ref
    tab = reverse("console:user_consents", args=[user.id])
    assert b"not asked: default" in operator.get(tab).content
    change = reverse("console:change_consent", args=[user.id, "advice", "withdraw"])
    assert b"messages, word by word" in operator.get(change).content
    assert operator.post(change).status_code == 302
    page = operator.get(tab).content.decode()
    assert "Not kept of this user: messages, word by word." in page
    with tenant_scope(alice.tenant.id):
        assert not Message.objects.filter(forgotten_at=None).exists()
        audited = AuditEvent.objects.get(action="consent.withdraw")
        assert (audited.actor_type, audited.object_ids[0]) == ("staff", user.id)
    assert operator.get(reverse("console:change_consent", args=[user.id, "advice", "sing"])).status_code == 404
