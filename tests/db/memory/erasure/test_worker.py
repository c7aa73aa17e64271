"""Carrying an erasure out: what goes, what stays, and that a death anywhere costs nothing."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.utils import timezone

from memory.erasure import worker
from memory.erasure.erasers import TableEraser
from memory.errors import UserErased
from memory.models import (
    Action,
    Conversation,
    ErasureRequest,
    FactRow,
    ForgetBatch,
    ForgetItem,
    Message,
    User,
)
from memory.registries import erasers, kept_models
from memory.sealing.keystore import get_key_store
from memory.services.fact_inputs import FactInput
from memory.services.facts import put_facts
from memory.services.forgets import forget_messages
from memory.tenants.scope import tenant_scope
from memory.types import ErasureScope, UserRef
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out, learn, look_at

pytestmark = pytest.mark.django_db

ROOMS = ("memory", "tenants", "privacy", "retrieval", "corrections", "patterns", "config")


class Killed(BaseException):
    """Stands for the end of the process: no handler of the worker sees it."""


def fill(person: Chatter) -> None:
    """A little of every kind of record that this room keeps."""
    first = person.say("my size is M", client_id="m-1")
    person.hear("noted", response_description="the user's size")
    second = person.say("allergic to nickel", client_id="m-2", conversation_id="other")
    learn(person, "M", evidence=[first.message_id], reason="said so")
    learn(person, "nickel", evidence=[second.message_id], knowledge_type="allergy", knowledge_key="nickel")
    put_facts(
        tenant=person.tenant,
        user_external_id=person.name,
        facts=[FactInput(knowledge_type="budget", value=300, source="onboarding")],
        actor="key:test",
        now=timezone.now(),
    )
    forget_messages(user=person.ref, message_ids=[first.message_id], actor="key:test", now=timezone.now(), reason="why")


def count_rows(person: Chatter, user_id: UUID) -> dict[str, int]:
    """Rows of every model that any eraser answers for."""
    found = {}
    with tenant_scope(person.tenant.id):
        for eraser in erasers:
            for label in eraser.models:
                model = apps.get_model(label)
                rows = model.objects.filter(id=user_id) if model is User else model.objects.filter(user_id=user_id)
                found[label] = rows.count()
    return found


def test_every_table_with_a_user_has_an_eraser_or_a_reason() -> None:
    answered = {label for eraser in erasers for label in eraser.models}
    owned = {
        model._meta.label
        for model in apps.get_models()
        if model._meta.app_label in ROOMS and any(field.column == "user_id" for field in model._meta.concrete_fields)
    }
    assert owned - answered == set(kept_models)
    assert "memory.User" in answered
    assert not answered & set(kept_models)


def test_every_table_of_the_database_with_a_user_belongs_to_such_a_model(
    superuser_connection: psycopg.Connection,
) -> None:
    known = {label for eraser in erasers for label in eraser.models} | set(kept_models)
    tables = {apps.get_model(label)._meta.db_table for label in known}
    rows = superuser_connection.execute(
        "SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id'"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
        " AND a.atttypid = 'uuid'::regtype"
    ).fetchall()
    assert {name for (name,) in rows} == tables - {"memory_user"}


def test_a_part_and_then_the_whole_are_both_carried_out(charlie: Chatter) -> None:
    fill(charlie)
    part = ask(charlie, scope="conversation", conversation_external_id="other")
    whole = carry_out(charlie, ask(charlie))
    assert (whole.status, carry_out(charlie, part).status) == ("completed", "completed")


def test_a_whole_user_is_gone_with_key_and_all_and_another_keeps_everything(charlie: Chatter, bob: Chatter) -> None:
    fill(charlie)
    fill(bob)
    kept = count_rows(bob, bob.ref.id)
    erasure = carry_out(charlie, ask(charlie))
    assert erasure.status == "completed"
    assert not any(count_rows(charlie, erasure.user_id).values())
    assert get_key_store().is_destroyed(erasure.user_id)
    assert count_rows(bob, bob.ref.id) == kept
    assert bob.list_facts()


def test_a_completed_erasure_says_what_there_was_and_that_nothing_is_left(charlie: Chatter) -> None:
    fill(charlie)
    erasure = carry_out(charlie, ask(charlie))
    assert erasure.counts["before"]["messages"] == 3
    assert erasure.counts["before"]["facts"] == 3
    assert not any(erasure.counts["after"].values())
    assert [event.status for event in erasure.history][-2:] == ["processing", "completed"]
    assert len(erasure.certificates) == 1


def test_asked_again_when_it_is_done_the_answer_is_the_same_erasure(charlie: Chatter) -> None:
    fill(charlie)
    erasure = carry_out(charlie, ask(charlie))
    again = ask(charlie)
    assert (again.id, again.status) == (erasure.id, "completed")


def test_a_returning_customer_is_a_new_user_and_the_old_words_stay_out(charlie: Chatter) -> None:
    from memory.fence.tombstones import ErasedPeriod

    fill(charlie)
    erasure = carry_out(charlie, ask(charlie))
    with pytest.raises(ErasedPeriod):
        charlie.say("my size is M", created_at=charlie.clock - timedelta(days=1))
    with tenant_scope(charlie.tenant.id):
        assert not User.objects.exists()
    assert charlie.say("good to be back", created_at=timezone.now()).is_new
    assert charlie.ref.id != erasure.user_id
    with pytest.raises(ErasedPeriod):
        charlie.say("my size is M", created_at=charlie.clock - timedelta(days=1))
    assert ask(charlie).id != erasure.id


def list_steps(person: Chatter, erasure: Any) -> list[str]:
    """The names of all steps of an erasure, without letting it do anything twice."""
    steps: list[str] = []
    carry_out(person, erasure, after_step=steps.append)
    return steps


@pytest.mark.parametrize("scope", ["all", "messages"])
def test_a_worker_killed_between_any_two_steps_loses_nothing(tenant: Any, scope: str) -> None:
    def plan(person: Chatter) -> Any:
        if scope == "all":
            return ask(person)
        message_ids = tuple(said.message_id for said in person.said if said.client_id)
        return ask(person, scope="messages", message_ids=message_ids)

    whole = Chatter(tenant, "whole")
    fill(whole)
    steps = list_steps(whole, plan(whole))
    assert len(steps) > 8
    for death in range(len(steps)):
        person = Chatter(tenant, f"{scope}-{death}")
        fill(person)
        erasure = plan(person)
        seen: list[str] = []

        def die(step: str, at: int = death, seen: list[str] = seen) -> None:
            seen.append(step)
            if len(seen) == at + 1:
                raise Killed

        with pytest.raises(Killed):
            carry_out(person, erasure, after_step=die)
        assert look_at(person, erasure).status == "processing"
        if scope == "all" and "user" not in seen:
            with pytest.raises(UserErased):
                person.say("may I?", created_at=timezone.now())
        done = carry_out(person, erasure)
        assert done.status == "completed", steps[death]
        assert not any(done.counts["after"].values())
        assert len(done.certificates) == 1


def test_a_failing_eraser_is_tried_again_later_and_then_a_person_is_told(
    charlie: Chatter, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(charlie)
    erasure = ask(charlie)

    class Broken(TableEraser):
        def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
            raise RuntimeError("quotes what a user wrote")

    broken = Broken(name="broken", models=(), table="memory_message")
    monkeypatch.setattr(worker, "list_erasers", lambda: [broken])
    failed = carry_out(charlie, erasure)
    assert failed.status == "retry_pending"
    assert [(event.status, event.code) for event in failed.history][-2:] == [
        ("failed", "runtimeerror"),
        ("retry_pending", ""),
    ]
    with tenant_scope(charlie.tenant.id):
        row = ErasureRequest.objects.get()
        assert row.available_at > timezone.now()
        ErasureRequest.objects.update(attempts=settings.UNDE_TUNING.ERASURE_MAX_ATTEMPTS)
    escalated = carry_out(charlie, erasure)
    assert (escalated.status, escalated.history[-1].code) == ("escalated", "too_many_attempts")
    monkeypatch.undo()
    assert carry_out(charlie, erasure).status == "completed"


def test_rows_that_no_eraser_takes_are_never_certified(charlie: Chatter, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(charlie)
    erasure = ask(charlie)

    class Lazy(TableEraser):
        def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
            return 0

    monkeypatch.setattr(
        worker, "list_erasers", lambda: [Lazy(name="lazy", models=("memory.Message",), table="memory_message")]
    )
    failed = carry_out(charlie, erasure)
    assert (failed.status, failed.history[-2].code) == ("retry_pending", "rows_left")
    assert not failed.certificates


@pytest.mark.parametrize(("attempts", "minutes"), [(1, 1), (2, 2), (5, 16), (30, 360)])
def test_the_wait_doubles_up_to_six_hours(attempts: int, minutes: int) -> None:
    assert worker.find_delay(attempts) == timedelta(minutes=minutes)


# --- parts ------------------------------------------------------------------------------------------------------------


def test_a_fact_loses_erased_evidence_and_falls_with_the_last_of_it(alice: Chatter) -> None:
    first, second, third = (alice.say(f"hello {i}").message_id for i in range(3))
    both = learn(alice, "M", evidence=[first, second])
    alone = learn(alice, "nickel", evidence=[first], knowledge_type="allergy", knowledge_key="nickel")
    other = learn(alice, "leather", evidence=[third], knowledge_type="hard_ban", knowledge_key="leather")
    carry_out(alice, ask(alice, scope="messages", message_ids=(first,)))
    with tenant_scope(alice.tenant.id):
        assert FactRow.objects.get(id=both).evidence_message_ids == [second]
        assert FactRow.objects.get(id=both).is_active
        assert not FactRow.objects.filter(id=alone).exists()
        assert FactRow.objects.get(id=other).evidence_message_ids == [third]


def test_what_a_person_stated_outright_stays_without_the_erased_evidence(alice: Chatter) -> None:
    first = alice.say("hello").message_id
    stated = learn(alice, "M", evidence=[first], extracted_from="explicit")
    carry_out(alice, ask(alice, scope="messages", message_ids=(first,)))
    with tenant_scope(alice.tenant.id):
        row = FactRow.objects.get(id=stated)
        assert (row.evidence_message_ids, row.is_active) == ([], True)


def test_a_soft_fact_with_one_evidence_left_is_no_fact(alice: Chatter) -> None:
    first, second = (alice.say(f"hello {i}").message_id for i in range(2))
    soft = learn(
        alice,
        "zara",
        evidence=[first, second],
        knowledge_type="brand_preference",
        knowledge_key="zara",
        extracted_from="batch",
    )
    erasure = ask(alice, scope="messages", message_ids=(first,))
    assert not alice.list_facts()
    carry_out(alice, erasure)
    with tenant_scope(alice.tenant.id):
        assert not FactRow.objects.filter(id=soft).exists()


def test_a_closed_version_that_rested_on_the_erased_goes_and_never_comes_back(alice: Chatter) -> None:
    first, second = (alice.say(f"hello {i}").message_id for i in range(2))
    old = learn(alice, "S", evidence=[first])
    new = learn(alice, "M", evidence=[second])
    carry_out(alice, ask(alice, scope="messages", message_ids=(second,)))
    with tenant_scope(alice.tenant.id):
        assert not FactRow.objects.filter(id=new).exists()
        row = FactRow.objects.get(id=old)
        assert (row.is_active, row.superseded_by) == (False, None)
    assert not alice.list_facts()


def test_words_of_an_action_go_with_its_message_also_where_a_fact_hangs_on_it(alice: Chatter) -> None:
    first, second = (alice.say(f"hello {i}").message_id for i in range(2))
    learn(alice, "M", evidence=[first, second], reason="the words of the user")
    alone = learn(alice, "nickel", evidence=[first], knowledge_type="allergy", knowledge_key="nickel")
    with tenant_scope(alice.tenant.id):
        gone = FactRow.objects.get(id=alone).action_id
    carry_out(alice, ask(alice, scope="messages", message_ids=(first,)))
    with tenant_scope(alice.tenant.id):
        kept = Action.objects.get(message_id=first)
        assert kept.sealed is None
        assert not Action.objects.filter(id=gone).exists()


def test_a_conversation_goes_whole_and_its_neighbour_counts_on(alice: Chatter) -> None:
    alice.say("one", conversation_id="private")
    alice.say("two", conversation_id="public")
    alice.say("three", conversation_id="public")
    carry_out(alice, ask(alice, scope="conversation", conversation_external_id="private"))
    with tenant_scope(alice.tenant.id):
        assert list(Conversation.objects.values_list("external_id", "pending_count")) == [("public", 2)]
        assert Message.objects.count() == 2
    alice.say("four", conversation_id="private", created_at=timezone.now())
    with tenant_scope(alice.tenant.id):
        assert Conversation.objects.get(external_id="private").last_seq == 1


def test_counters_of_a_conversation_follow_what_is_left(alice: Chatter) -> None:
    said = [alice.say(f"hello {i}") for i in range(3)]
    left_at = alice.clock - timedelta(minutes=1)
    carry_out(alice, ask(alice, scope="messages", message_ids=(said[2].message_id,)))
    with tenant_scope(alice.tenant.id):
        row = Conversation.objects.get()
        assert (row.pending_count, row.last_seq, row.last_message_at) == (2, 3, left_at)


def test_a_forget_of_erased_messages_goes_with_the_descriptions_it_kept(alice: Chatter) -> None:
    asked = alice.say("a secret")
    alice.hear("noted", response_description="a secret of the user", reply_to_id=asked.message_id)
    forget_messages(user=alice.ref, message_ids=[asked.message_id], actor="key:test", now=timezone.now())
    carry_out(alice, ask(alice, scope="messages", message_ids=(asked.message_id,)))
    with tenant_scope(alice.tenant.id):
        assert not ForgetItem.objects.exists()


def test_the_answer_to_an_erased_message_stays_without_its_description(alice: Chatter) -> None:
    asked = alice.say("a secret")
    alice.say("and a second thing")
    answer = alice.hear("noted", response_description="a secret of the user")
    ask(alice, scope="messages", message_ids=(asked.message_id,))
    with tenant_scope(alice.tenant.id):
        row = Message.objects.get(id=answer.message_id)
        assert (row.content, row.response_description) == ("noted", None)


def test_a_range_takes_what_was_said_in_it_and_nothing_else(alice: Chatter) -> None:
    start = timezone.now() - timedelta(days=10)
    for hours in (-1, 0, 23, 24):
        alice.say(f"at {hours}", created_at=start + timedelta(hours=hours))
    carry_out(alice, ask(alice, scope="range", said_from=start, said_to=start + timedelta(days=1)))
    with tenant_scope(alice.tenant.id):
        assert sorted(Message.objects.values_list("content", flat=True)) == ["at -1", "at 24"]


def test_what_came_after_the_request_is_safe_from_it(alice: Chatter) -> None:
    alice.say("a secret", conversation_id="private")
    erasure = ask(alice, scope="conversation", conversation_external_id="private")
    alice.say("a new start", conversation_id="private", created_at=timezone.now())
    carry_out(alice, erasure)
    with tenant_scope(alice.tenant.id):
        assert list(Message.objects.values_list("content", flat=True)) == ["a new start"]


def test_a_forgotten_message_becomes_an_erasure_when_its_grace_is_over(alice: Chatter) -> None:
    from memory.services.forgotten import finish_forget

    said = alice.say("a secret")
    now = timezone.now()
    batch_id = forget_messages(user=alice.ref, message_ids=[said.message_id], actor="key:test", now=now).batch_id
    assert finish_forget(user=alice.ref, batch_id=batch_id, now=now + timedelta(days=29)) == 0
    later = now + timedelta(days=31)
    assert finish_forget(user=alice.ref, batch_id=batch_id, now=later) == 1
    assert finish_forget(user=alice.ref, batch_id=batch_id, now=later) == 0
    with tenant_scope(alice.tenant.id):
        row = ErasureRequest.objects.get()
        assert (row.scope, row.reason) == ("messages", "forget_grace_over")
    worker.run_erasure(user=UserRef(row.user_id, row.tenant_id), erasure_id=row.id, clock=timezone.now)
    with tenant_scope(alice.tenant.id):
        assert not Message.objects.exists()
        assert ForgetBatch.objects.get().status == "finished"
