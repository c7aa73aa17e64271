"""What a user has not agreed to is not kept, the answer says so, and what they withdraw goes (SPEC A-4, T-2)."""

import json
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from memory.consents.models import Consent, Purpose
from memory.consents.purposes import end_purpose, put_purpose
from memory.consents.selectors import list_consents, list_past_consents
from memory.consents.services import record_consents
from memory.consents.types import ConsentOutcome, PurposeGrows
from memory.errors import CodedError, ConsentMissing, InvalidRequest
from memory.fence.consents import list_withheld
from memory.imports.running import import_memory
from memory.kept.storing import change_items
from memory.kept.types import Put
from memory.models import ErasureRequest, Message, User
from memory.rebuild.running import compare_user, rebuild_user
from memory.services.drafts import make_draft
from memory.services.exports import export_user
from memory.services.fact_inputs import FactInput
from memory.services.facts import put_facts
from memory.storing.messages import store_messages
from memory.tenants.errors import MissingScope
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from tests.cast import Chatter
from tests.db.memory.consents.purposes import STAFF, make_wanted, put
from tests.db.memory.episodes.conftest import cut, list_of, tell
from tests.unit.memory.episodes.talks import TRIP

pytestmark = pytest.mark.django_db
Purposes = Callable[..., Any]


@pytest.fixture
def make_purpose(tenant: TenantRef) -> Purposes:
    return partial(put, tenant)


def say_to(person: Chatter, *, may_erase: bool = True, **choices: bool) -> ConsentOutcome:
    return record_consents(
        tenant=person.tenant,
        user_external_id=person.name,
        choices=choices,
        actor="key:test",
        now=timezone.now(),
        may_erase=may_erase,
    )


def count(person: Chatter, rows: Any) -> int:
    with tenant_scope(person.tenant.id):
        return int(rows.count())


def list_drift(person: Chatter) -> int:
    found = compare_user(tenant=person.tenant, user=person.ref)
    return len(found.differences) + len(found.derived_differences)


def test_a_message_is_kept_only_of_a_user_who_agreed(alice: Chatter, bob: Chatter, make_purpose: Purposes) -> None:
    make_purpose("advice", "messages")
    make_purpose("research", "messages")
    with pytest.raises(ConsentMissing):
        alice.say("my size is M")
    assert count(alice, User.objects.filter(external_id="alice")) == 0
    assert say_to(bob, research=True).withheld == ()  # one of two purposes is enough
    drafts = [
        make_draft(user_id=name, conversation_id="c", role="user", content="hi", now=timezone.now())
        for name in ("alice", "bob", "charlie")
    ]
    answers = store_messages(tenant=alice.tenant, drafts=drafts, actor="key:test", now=timezone.now())
    assert [isinstance(one, CodedError) and one.code for one in answers] == [
        "consent_missing",
        False,
        "consent_missing",
    ]
    assert count(alice, Message.objects.all()) == 1


def test_what_no_purpose_covers_or_has_ended_is_kept_as_ever(alice: Chatter, make_purpose: Purposes) -> None:
    make_purpose("sizes", "facts.body_params")
    assert alice.say("I'm allergic to nickel").changes
    end_purpose(tenant_id=alice.tenant.id, key="sizes", actor=STAFF, now=timezone.now())
    assert alice.say("my size is M").changes


def test_a_fact_type_without_consent_is_not_kept_and_the_answer_says_so(alice: Chatter, make_purpose: Purposes) -> None:
    make_purpose("health", "facts.allergy")
    first = alice.say("my size is M and I'm allergic to nickel", client_id="m-1")
    assert ([one.fact.knowledge_type for one in first.changes], first.withheld) == (["body_params"], ["allergy"])
    again = alice.say("my size is M and I'm allergic to nickel", client_id="m-1", created_at=alice.clock)
    assert (again.is_new, again.withheld) == (False, ["allergy"])
    fact = FactInput(knowledge_type="allergy", value="wool", source="explicit")
    with pytest.raises(ConsentMissing) as refusal:
        put_facts(tenant=alice.tenant, user_external_id="alice", facts=[fact], actor="key:test", now=timezone.now())
    assert refusal.value.fields == {"user_id": "has not agreed to facts.allergy"}
    # A rebuild after the yes does not read what was said before it.
    say_to(alice, health=True)
    assert list_drift(alice) == 0
    rebuild_user(tenant=alice.tenant, user=alice.ref, now=timezone.now())
    assert set(alice.list_facts()) == {("body_params", "size")}
    assert alice.say("I'm allergic to nickel").withheld == []
    assert ("allergy", "nickel") in alice.list_facts()


def test_a_correction_closes_a_value_and_keeps_no_new_one(alice: Chatter, make_purpose: Purposes) -> None:
    alice.say("my size is M")
    make_purpose("sizes", "facts.body_params")
    alice.hear("So your size is M?")
    answer = alice.say("No, that's wrong, I'm S, not M")
    assert "body_params" in answer.withheld
    assert ("body_params", "size") not in alice.list_facts() or alice.list_facts()["body_params", "size"] == "M"
    assert list_drift(alice) == 0


def test_a_withdrawal_takes_away_what_was_kept_for_it(alice: Chatter, make_purpose: Purposes) -> None:
    make_purpose("health", "facts.allergy", is_granted_by_default=True)
    make_purpose("notes", "items", "episodes", is_granted_by_default=True)
    alice.say("I'm allergic to nickel. my size is M")
    tell(alice, *TRIP)
    assert cut(alice, now=timezone.now() + timedelta(days=1)) > 0
    item = Put(namespace=("a",), key="k", value={"x": 1})
    change_items(tenant_id=alice.tenant.id, user_external_id="alice", changes=[item], now=timezone.now())
    with pytest.raises(MissingScope):
        say_to(alice, notes=False, may_erase=False)
    outcome = say_to(alice, health=False, notes=False)
    assert (outcome.facts_closed, outcome.items_deleted, outcome.withheld) == (
        1,
        1,
        ("episodes", "facts.allergy", "items"),
    )
    assert (set(alice.list_facts()), list_of(alice)) == ({("body_params", "size")}, [])
    with pytest.raises(ConsentMissing):
        change_items(tenant_id=alice.tenant.id, user_external_id="alice", changes=[item], now=timezone.now())
    assert list_drift(alice) == 0
    assert say_to(alice, health=False).facts_closed == 0  # said again: nothing happens
    assert say_to(alice, notes=True).withheld == ("facts.allergy",)
    assert list_of(alice) != []  # made anew from messages


def test_a_withdrawal_of_messages_is_an_erasure_of_all_of_them(alice: Chatter, make_purpose: Purposes) -> None:
    make_purpose("advice", "messages", is_granted_by_default=True)
    alice.say("my size is M", created_at=timezone.now() + timedelta(hours=2))
    with pytest.raises(MissingScope):
        say_to(alice, advice=False, may_erase=False)
    assert count(alice, Consent.objects.all()) == 0
    outcome = say_to(alice, advice=False)
    asked = ErasureRequest.objects.filter(id=outcome.erasure_id, scope="range", reason="consent_withdrawn")
    assert count(alice, asked) == 1
    assert (count(alice, Message.objects.filter(forgotten_at=None)), alice.list_facts()) == (0, {})
    with pytest.raises(ConsentMissing):
        alice.say("my size is L")
    say_to(alice, advice=True)
    assert alice.say("my size is L", created_at=timezone.now() + timedelta(hours=3)).is_new
    for action in ("consent.grant", "consent.withdraw"):
        assert count(alice, AuditEvent.objects.filter(action=action)) == 1


def test_what_users_agreed_to_never_grows(alice: Chatter, make_purpose: Purposes) -> None:
    make_purpose("advice", "messages", "facts.budget", kept_days=30)
    narrower = make_purpose("advice", "messages", kept_days=10, names={"en": "Help"})
    assert (narrower.covers, narrower.kept_days, narrower.name("ar")) == (("messages",), 10, "Help")
    for more in ({"kept_days": 11}, {"kept_days": None}, {"is_granted_by_default": True, "kept_days": 10}):
        with pytest.raises(PurposeGrows):
            make_purpose("advice", "messages", **more)
    with pytest.raises(PurposeGrows):
        make_purpose("advice", "messages", "items", kept_days=10)
    end_purpose(tenant_id=alice.tenant.id, key="advice", actor=STAFF, now=timezone.now())
    with pytest.raises(PurposeGrows):
        make_purpose("advice", "messages", kept_days=10)
    with pytest.raises(DatabaseError, match="does not grow"), tenant_scope(alice.tenant.id):
        Purpose.objects.filter(key="advice").update(kept_days=None)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"key": "Bad Key"}, "key"),
        ({"covers": ()}, "covers"),
        ({"covers": ("everything",)}, "covers"),
        ({"covers": ("answers",), "kept_days": 3}, "kept_days"),
        ({"kept_days": 0}, "kept_days"),
        ({"names": {"ru": "Советы"}}, "names"),
        ({"texts": {"en": "x", "fr": "y"}}, "texts"),
    ],
)
def test_a_purpose_that_cannot_be_is_refused_by_its_field(tenant: TenantRef, more: dict[str, Any], field: str) -> None:
    values = {"key": "advice", **more}
    wanted = make_wanted(values.pop("key"), *values.pop("covers", ("messages",)), **values)
    with pytest.raises(InvalidRequest) as refusal:
        put_purpose(tenant_id=tenant.id, wanted=wanted, actor=STAFF, now=timezone.now())
    assert set(refusal.value.fields) == {field}


def test_consents_are_append_only_with_one_that_holds(alice: Chatter, make_purpose: Purposes) -> None:
    make_purpose("advice", "facts.budget")
    for said in (True, False, False, True):
        say_to(alice, advice=said)
    past = alice.read(list_past_consents, before=None, limit=10)
    assert [(one.is_granted, one.is_current) for one in past] == [(True, True), (False, False), (True, False)]
    assert alice.read(list_past_consents, before=past[0].id, limit=1) == past[1:2]
    assert [view.is_granted for view in alice.read(list_consents)] == [True]
    with pytest.raises(DatabaseError, match="stays"), tenant_scope(alice.tenant.id):
        Consent.objects.filter(is_current=False).update(is_granted=False)
    with pytest.raises(InvalidRequest) as refusal:
        say_to(alice, advice=True, other=True)
    assert set(refusal.value.fields) == {"consents.other"}


def test_consents_travel_and_are_held_to_where_they_arrive(
    alice: Chatter, other_tenant: TenantRef, make_purpose: Purposes
) -> None:
    make_purpose("health", "facts.allergy", is_granted_by_default=True)
    alice.say("I'm allergic to nickel. my size is M")
    say_to(alice, health=True)
    data = b"".join(export_user(user=alice.ref, now=timezone.now()))
    assert [json.loads(line)["purpose"] for line in data.splitlines() if b'"kind": "consent"' in line] == ["health"]
    # Without the line the default of the other tenant holds: what it withholds is not kept.
    there = Chatter(other_tenant, "alice")
    put(other_tenant, "health", "facts.allergy")
    bare = b"\n".join(line for line in data.splitlines() if b'"kind": "consent"' not in line)
    with transaction.atomic():
        read_in(there, bare)
        assert set(there.list_facts()) == {("body_params", "size")}
        transaction.set_rollback(True)
    read_in(there, data)
    assert [view.is_granted for view in there.read(list_consents)] == [True]
    assert len(there.list_facts()) == 2
    read_in(there, data)
    assert count(there, Consent.objects.all()) == 1


def read_in(person: Chatter, data: bytes) -> None:
    outcome = import_memory(
        tenant=person.tenant,
        user_external_id=person.name,
        data=data,
        file_format="unde",
        actor="key:test",
        now=timezone.now(),
    )
    assert outcome.failed == 0


def test_an_import_of_somebody_who_did_not_agree_stores_nothing(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("my size is M")
    data = b"".join(export_user(user=alice.ref, now=timezone.now()))
    put(other_tenant, "advice", "messages")
    with pytest.raises(ConsentMissing):
        read_in(Chatter(other_tenant, "alice"), data)
    assert count(Chatter(other_tenant, "alice"), User.objects.all()) == 0


def test_a_consent_of_another_tenant_changes_nothing_here(
    alice: Chatter, other_tenant: TenantRef, make_purpose: Purposes
) -> None:
    put(other_tenant, "advice", "messages")
    alice.say("hello")
    with tenant_scope(alice.tenant.id):
        assert list_withheld(user=alice.ref) == frozenset()
        with connection.cursor() as cursor:
            cursor.execute("SELECT withheld_at_v1(%s, %s, now())", [alice.tenant.id, alice.ref.id])
            assert cursor.fetchone()[0] is None
