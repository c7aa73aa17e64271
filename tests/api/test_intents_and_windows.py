"""What kind of reply is wanted, what the model can read, and where its users live bound a pack (SPEC P-2)."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from retrieval.pack.budget import INTENT_DEPTHS, find_margin
from tests.api.console.conftest import make_staff
from tests.caller import Caller, get_error

BODY = {"user_id": "alice", "conversation_id": "c-1", "query": "which tea was good?"}


@pytest.fixture
def talkative(api: Caller) -> Caller:
    """A caller whose Alice has told more than a small model reads."""
    for n in range(12):
        api.send(f"tea number {n} " + "was good and this is a long story about it " * 60)
    return api


def ask(caller: Caller, **more: Any) -> Any:
    answer = caller.post("/v1/context", BODY | more)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def count_used(pack: Any) -> int:
    return sum(slot["used"] for slot in pack["budget"].values() if isinstance(slot, dict) and "used" in slot)


@pytest.mark.parametrize("intent", ["weather", "Complaint", "question ", "\u202ecomplaint"])
def test_an_unknown_intent_is_refused_with_the_list(api: Caller, intent: str):
    fields = get_error(api.post("/v1/context", BODY | {"intent": intent}), 400, "invalid_request")
    assert all(name in fields["intent"] for name in INTENT_DEPTHS)


@pytest.mark.parametrize("intent", ["", *INTENT_DEPTHS])
def test_every_intent_of_the_list_is_taken(api: Caller, intent: str):
    assert api.post("/v1/context", BODY | {"intent": intent}).status_code == 200


def test_the_document_lists_the_intents(api: Caller):
    properties = api.get("/v1/schema", format="json").json()["components"]["schemas"]["ContextBody"]["properties"]
    assert properties["intent"]["enum"] == ["", *INTENT_DEPTHS]


def test_a_small_model_gets_a_pack_that_fits_and_the_answer_names_its_window(talkative: Caller):
    pack = ask(talkative, model="openai/GPT-4-0613")
    assert pack["budget"]["context_window"] == {"tokens": 8_192, "pattern": "gpt-4*", "source": "installation"}
    generation = pack["budget"]["generation"]["allotted"]
    assert count_used(pack) + generation + find_margin(8_192) <= 8_192
    assert generation == 8_192 // 4
    assert count_used(pack) < count_used(ask(talkative))


def test_what_the_caller_asks_for_never_passes_what_the_model_reads(talkative: Caller):
    assert count_used(ask(talkative, model="llama2", max_tokens=50_000)) <= 4_096 * 3 // 4


def test_a_model_that_nothing_knows_has_no_bound(talkative: Caller):
    unknown, unnamed = ask(talkative, model="house-model-7"), ask(talkative)
    assert unknown["budget"]["context_window"] is unnamed["budget"]["context_window"] is None
    assert unknown["rendered"] == unnamed["rendered"]


def test_a_tenant_sets_windows_of_its_own(talkative: Caller, tenant: TenantRef, client: Client):
    client.force_login(make_staff("olga", tenant=tenant, role=Role.OPERATOR))
    form = {"reviewers_per_item": 1, "legal_profile": "default", "model_windows": "house-* = 6000\nGPT-4o*=7000\n"}
    client.post(reverse("console:settings"), form)
    assert ask(talkative, model="house-model-7")["budget"]["context_window"] == {
        "tokens": 6_000, "pattern": "house-*", "source": "tenant",
    }  # fmt: skip
    pack = ask(talkative, model="gpt-4o")
    assert pack["budget"]["context_window"]["tokens"] == 7_000
    receipt = talkative.get(f"/v1/receipts/{pack['receipt_id']}").json()
    assert receipt["context_window"] == 7_000
    page = client.get(reverse("console:settings")).content.decode()
    assert "house-* = 6000" in page


@pytest.mark.parametrize("lines", ["house-*", "= 6000", "house = many", "house = 999", f"house = {'9' * 4400}"])
def test_a_line_that_is_no_window_is_refused(tenant: TenantRef, client: Client, lines: str):
    client.force_login(make_staff("olga", tenant=tenant, role=Role.OPERATOR))
    form = {"reviewers_per_item": 1, "legal_profile": "default", "model_windows": lines}
    page = client.post(reverse("console:settings"), form)
    assert "Write one per line: a pattern of model names" in page.content.decode()
    with tenant_scope(tenant.id):
        assert "model_windows" not in Tenant.objects.get(id=tenant.id).settings


def test_the_days_that_a_model_reads_are_those_of_the_tenants_zone(api: Caller, tenant: TenantRef):
    """Half past one at night in Dubai is still the day before in UTC; the model is told what the user calls it."""
    api.send("my size is M", conversation_id="before", created_at="2026-03-02T21:30:00Z")
    pack = ask(api, query="which size is mine?")
    assert set(re.findall(r'valid_since="([^"]+)"', str(pack["rendered"]))) == {"2026-03-03"}
