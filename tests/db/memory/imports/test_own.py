"""Our own export comes back as the same memory elsewhere, and twice is once (SPEC M-7)."""

from typing import Any

import pytest
from django.utils import timezone

from memory.imports.own import IdTaken
from memory.imports.running import import_memory
from memory.imports.types import ImportOutcome
from memory.ingest.types import TenantRef
from memory.rebuild.running import compare_user
from memory.selectors.users import get_user
from memory.services.exports import export_user
from memory.services.facts import dispute_fact, retract_fact
from memory.services.forgets import forget_messages
from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from tests.caller import make_caller
from tests.cast import Chatter
from tests.db.memory.rebuild.test_rebuild import act, list_all_facts, run_demo

pytestmark = pytest.mark.django_db


def export(tenant: TenantRef, user: UserRef) -> bytes:
    return b"".join(export_user(user=user, now=timezone.now()))


def bring_in(tenant: TenantRef, data: bytes, *, name: str = "alice", file_format: str = "unde") -> ImportOutcome:
    return import_memory(
        tenant=tenant, user_external_id=name, data=data, file_format=file_format, actor="key:test", now=timezone.now()
    )


def list_facts_of(tenant: TenantRef, name: str) -> list[tuple[Any, ...]]:
    with tenant_scope(tenant.id):
        facts = list_all_facts(user=get_user(tenant_id=tenant.id, external_id=name))
    return [
        (f.slot, f.value, f.version, f.is_active, f.is_disputed, f.valid_at, f.invalid_at, f.expires_at, f.confidence)
        for f in facts
    ]


def search(tenant: TenantRef, name: str, query: str) -> list[tuple[Any, ...]]:
    answer = make_caller(tenant).post("/v1/search", {"user_id": name, "query": query}).json()
    return [(hit["message_id"], round(hit["score"], 6)) for hit in answer["results"]]


def test_the_demo_is_the_same_memory_at_another_tenant(alice: Chatter, other_tenant: TenantRef) -> None:
    users = run_demo(alice)
    layla = next(user for user in users if user.external_id.startswith("layla"))
    outcome = bring_in(other_tenant, export(alice.tenant, layla), name="layla")
    assert (outcome.failed, outcome.differing_facts) == (0, 0)
    assert list_facts_of(other_tenant, "layla") == list_facts_of(alice.tenant, layla.external_id)
    for query in ("emerald dress", "свадьба", "silk", "meeting"):
        assert search(other_tenant, "layla", query) == search(alice.tenant, layla.external_id, query)


def test_what_people_did_is_taken_over(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("my size is M, I am allergic to nickel")
    act(alice, dispute_fact, ("body_params", "size"))
    act(alice, retract_fact, ("allergy", "nickel"))
    forgotten = alice.say("my budget is 500 aed")
    forget_messages(user=alice.ref, message_ids=[forgotten.message_id], actor="key:test", now=timezone.now())
    bring_in(other_tenant, export(alice.tenant, alice.ref))
    assert list_facts_of(other_tenant, "alice") == list_facts_of(alice.tenant, "alice")
    with tenant_scope(other_tenant.id):
        there = get_user(tenant_id=other_tenant.id, external_id="alice")
    assert [each for each in compare_user(tenant=other_tenant, user=there).differences if each.reason == "drift"] == []


def test_an_import_twice_stores_once(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("my size is M")
    data = export(alice.tenant, alice.ref)
    first, second = bring_in(other_tenant, data), bring_in(other_tenant, data)
    assert (first.messages, first.actions, second.messages, second.actions) == (1, 1, 0, 0)
    assert second.repeated == 2
    assert len(list_facts_of(other_tenant, "alice")) == 1


def test_an_export_that_grew_adds_what_is_new(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("my size is M")
    bring_in(other_tenant, export(alice.tenant, alice.ref))
    alice.say("my size is S")
    outcome = bring_in(other_tenant, export(alice.tenant, alice.ref))
    assert outcome.messages == 1
    assert list_facts_of(other_tenant, "alice") == list_facts_of(alice.tenant, "alice")


def test_an_export_joins_a_memory_that_is_there_already(alice: Chatter, other_tenant: TenantRef) -> None:
    there = Chatter(other_tenant, "alice")
    there.say("I am allergic to nickel")
    alice.say("my size is M")
    bring_in(other_tenant, export(alice.tenant, alice.ref))
    assert there.list_facts() == {("allergy", "nickel"): "nickel", ("body_params", "size"): "M"}


def test_the_same_ids_are_never_given_to_two_users_of_a_tenant(alice: Chatter) -> None:
    alice.say("my size is M")
    with pytest.raises(IdTaken):
        bring_in(alice.tenant, export(alice.tenant, alice.ref), name="alice-two")


def test_a_bad_line_is_named_and_the_others_are_taken(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("my size is M")
    data = b"no json\n" + export(alice.tenant, alice.ref) + b'{"kind": "message", "id": "x"}\n{"kind": "action"}\n'
    outcome = bring_in(other_tenant, data)
    assert (outcome.messages, outcome.failed) == (1, 3)
    assert (outcome.errors[0].line, outcome.errors[0].code) == (1, "invalid_json")


def test_a_fact_line_alone_is_no_fact(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("hello there")
    line = (
        b'{"kind":"fact","id":"01934a3e-0000-7000-8000-000000000000","knowledge_type":"allergy","knowledge_key":"wool",'
        b'"value":"wool","confidence":1.0,"extracted_from":"explicit","provenance":"confirmed_by_user",'
        b'"valid_at":"2026-01-01T00:00:00Z","last_validated_at":"2026-01-01T00:00:00Z","log_position":1}\n'
    )
    bring_in(other_tenant, export(alice.tenant, alice.ref) + line)
    assert list_facts_of(other_tenant, "alice") == []
