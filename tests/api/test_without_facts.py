"""Facts that cannot be read: no pack that hides allergies, unless the caller asks for one that says so (D-38)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from prometheus_client import REGISTRY

from memory.models import User
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from retrieval.configuration import get_pipeline
from retrieval.explaining.replay import replay_pack
from retrieval.models import RetrievalReceipt
from tests.api.console.conftest import make_staff
from tests.caller import Caller, get_error

QUESTION = "which dress fits me?"
BODY = {"user_id": "alice", "conversation_id": "c-1", "query": QUESTION}


@pytest.fixture
def told(api: Caller) -> Caller:
    """A caller whose Alice has an allergy and a size."""
    api.send("I'm allergic to nickel")
    api.send("my size is M")
    return api


@pytest.fixture
def unreadable_keys(told: Caller, tmp_path: Path, settings: Any) -> Caller:
    """The same where the key store names a folder that is a file: what an unmounted or broken disk looks like."""
    broken = tmp_path / "keys"
    broken.write_text("no folder")
    settings.UNDE_KEY_DIR = broken
    return told


@contextmanager
def locked(table: str) -> Iterator[None]:
    """Another connection holds the table, as maintenance does, so that every statement on it is late."""
    values = connection.get_connection_params()
    where = {name: values[name] for name in ("host", "port", "dbname", "user", "password") if values.get(name)}
    with psycopg.connect(**where, options="-c lock_timeout=5000") as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield
        other.rollback()


def read_count(reason: str) -> float:
    return REGISTRY.get_sample_value("unde_retrieval_degraded_total", {"kind": "context", "reason": reason}) or 0.0


def test_without_keys_no_pack_goes_out_and_the_cause_is_named_and_counted(unreadable_keys: Caller):
    before = read_count("facts_key_store_unavailable")
    answer = unreadable_keys.post("/v1/context", BODY)
    assert get_error(answer, 503, "facts_unavailable") == {"facts": "key_store_unavailable"}
    assert answer.headers["Retry-After"] == "5"
    assert read_count("facts_key_store_unavailable") == before + 1


def test_a_lost_key_is_no_empty_memory(told: Caller, tmp_path: Path, settings: Any):
    settings.UNDE_KEY_DIR = tmp_path / "another"
    assert get_error(told.post("/v1/context", BODY), 503, "facts_unavailable") == {"facts": "user_key_lost"}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (QUESTION, "sizes, allergies and bans could not be read"),
        ("какое платье мне подойдёт?", "Размеры, аллергии и запреты этого человека сейчас прочитать не удалось"),
        ("أي فستان يناسبني؟", "تعذّرت الآن قراءة مقاسات هذا المستخدم وحساسيته وممنوعاته"),
    ],
)
def test_who_asks_for_a_pack_without_facts_gets_one_that_tells_the_model_first(
    unreadable_keys: Caller, question: str, words: str
):
    answer = unreadable_keys.post("/v1/context", {**BODY, "query": question, "allow_without_facts": True})
    assert answer.status_code == 200
    pack = answer.json()
    assert pack["degraded_reasons"] == ["facts_unavailable"]
    assert pack["facts"] == pack["unverified"] == pack["adaptive_items"] == []
    assert pack["directives"][0]["name"] == "facts_unknown"
    assert words in pack["directives"][0]["text"]
    assert pack["rendered"]["messages"][0]["content"].startswith(pack["directives"][0]["text"])
    assert [message["content"] for message in pack["recent_messages"]] == ["I'm allergic to nickel", "my size is M"]


def test_the_receipt_of_such_a_pack_says_which_facts_it_lacked(unreadable_keys: Caller):
    pack = unreadable_keys.post("/v1/context", {**BODY, "allow_without_facts": True}).json()
    receipt = unreadable_keys.get(f"/v1/receipts/{pack['receipt_id']}").json()
    assert receipt["facts"] == []
    assert [one["decision_reason"] for one in receipt["left_out_facts"]] == ["facts_unavailable"] * 2


def test_with_facts_that_can_be_read_the_switch_changes_nothing(told: Caller):
    with_it, without = (
        told.post("/v1/context", {**BODY, "allow_without_facts": allowed}).json() for allowed in (True, False)
    )
    assert with_it["rendered"] == without["rendered"]
    assert [fact["value"] for fact in with_it["facts"]] == ["nickel", "M"]


def test_a_pack_that_went_without_facts_is_made_again_without_them(
    told: Caller, tenant: TenantRef, tmp_path: Path, settings: Any
):
    keys = settings.UNDE_KEY_DIR
    (tmp_path / "keys").write_text("no folder")
    settings.UNDE_KEY_DIR = tmp_path / "keys"
    pack = told.post("/v1/context", {**BODY, "allow_without_facts": True}).json()
    settings.UNDE_KEY_DIR = keys
    with tenant_scope(tenant.id):
        receipt = RetrievalReceipt.objects.get(id=pack["receipt_id"])
        replay = replay_pack(receipt, question=QUESTION, pipeline=get_pipeline())
    assert list(replay.parts.assembly.rendered) == pack["rendered"]["messages"]
    assert replay.is_same_rendering is None  # without a key no hash was kept (D-52)


def test_the_explorer_draws_such_a_pack_and_says_so(unreadable_keys: Caller, tenant: TenantRef, client: Client):
    client.force_login(make_staff("olga", tenant=tenant, role=Role.OPERATOR))
    with tenant_scope(tenant.id):
        user_id = User.objects.get().id
    page = client.post(reverse("console:explore_pack", args=[user_id]), {"query": QUESTION})
    assert page.status_code == 200
    assert "facts_unavailable" in page.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_statement_that_fails_is_not_taken_for_no_facts(told: Caller, settings: Any):
    settings.UNDE_SEARCH_DEADLINE_MS = 200
    settings.UNDE_TUNING.STATEMENT_TIMEOUT_MS, usual = 300, settings.UNDE_TUNING.STATEMENT_TIMEOUT_MS
    try:
        with locked("user_knowledge"):
            refused = told.post("/v1/context", BODY)
            allowed = told.post("/v1/context", {**BODY, "allow_without_facts": True})
    finally:
        settings.UNDE_TUNING.STATEMENT_TIMEOUT_MS = usual
    assert get_error(refused, 503, "facts_unavailable") == {"facts": "statement_failed"}
    assert allowed.status_code == 200
    assert allowed.json()["directives"][0]["name"] == "facts_unknown"
    assert [fact["value"] for fact in told.post("/v1/context", BODY).json()["facts"]] == ["nickel", "M"]
