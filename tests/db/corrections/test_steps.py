"""Corrections through the front door: a message comes in, memory changes in the same transaction."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from prometheus_client import REGISTRY

from corrections.models import CorrectionLog
from corrections.selectors.log import export_corrections, list_user_corrections
from memory.ids import new_id
from memory.models import Action, FactRow
from memory.registries import erasers
from memory.storing.types import Recorded
from memory.tenants.scope import tenant_scope
from memory.types import ErasureScope
from tests.cast import Chatter

pytestmark = pytest.mark.django_db

SIZE = ("body_params", "size")


def list_log(chatter: Chatter) -> list[CorrectionLog]:
    return chatter.read(list_user_corrections, limit=50)


def list_rows(chatter: Chatter) -> list[FactRow]:
    with tenant_scope(chatter.tenant.id):
        return list(FactRow.objects.filter(user_id=chatter.ref.id).order_by("log_position", "created_at"))


def describe(recorded: Recorded) -> list[tuple[str, str]]:
    return [(outcome.correction_type, outcome.action) for outcome in recorded.corrections]


def test_k22_an_arabic_reply_to_an_english_turn_supersedes_a_size_stated_in_russian(alice: Chatter) -> None:
    alice.say("Мой размер M")
    heard = alice.hear("Here are dresses in size M for you")
    corrected = alice.say("لا غلط، مو M، أنا S")
    assert alice.list_facts() == {SIZE: "S"}
    assert describe(corrected) == [("user_denied", "superseded")]
    assert [change.action for change in corrected.changes] == ["superseded"]
    row = list_log(alice)[0]
    assert (row.trigger_message_id, row.corrected_message_id) == (corrected.message_id, heard.message_id)
    assert (row.language, row.golden_status) == ("ar", "candidate")
    old, new = list_rows(alice)
    assert (row.deactivated_knowledge_id, row.set_knowledge_id) == (old.id, new.id)
    assert (old.is_active, old.superseded_by, new.is_active) == (False, new.id, True)
    assert (new.extracted_from, new.evidence_message_ids) == ("correction", [corrected.message_id])


def test_k12_a_bare_no_to_an_asserted_fact_closes_it(alice: Chatter) -> None:
    alice.say("I'm allergic to silk")
    alice.hear("You are allergic to silk, so I left it out")
    corrected = alice.say("No!")
    assert alice.list_facts() == {}
    assert describe(corrected) == [("user_denied", "deactivated")]


def test_k12b_a_challenge_leaves_the_fact_active_and_disputed(alice: Chatter) -> None:
    alice.say("У меня аллергия на шёлк")
    heard = alice.hear("У тебя аллергия на шёлк")
    corrected = alice.say("С чего ты взял?")
    assert alice.list_facts() == {("allergy", "silk"): "silk"}
    assert describe(corrected) == [("ambiguous", "disputed")]
    assert [row.is_disputed for row in list_rows(alice)] == [True]
    assert [row.corrected_message_id for row in list_log(alice)] == [heard.message_id]


def test_a_yes_about_a_disputed_fact_restores_it_and_is_no_correction(alice: Chatter) -> None:
    alice.say("I'm allergic to silk")
    alice.hear("You are allergic to silk")
    alice.say("where did you get that")
    alice.hear("Did I get your silk allergy right?")
    confirmed = alice.say("yes, that's right")
    assert [row.is_disputed for row in list_rows(alice)] == [False]
    assert (confirmed.corrections, [change.action for change in confirmed.changes]) == ([], ["restored"])
    assert len(list_log(alice)) == 1


def test_a_denial_of_a_disputed_fact_closes_it(alice: Chatter) -> None:
    alice.say("I'm allergic to silk")
    alice.hear("You are allergic to silk")
    alice.say("where did you get that")
    alice.hear("So you are allergic to silk?")
    alice.say("no")
    assert alice.list_facts() == {}


def test_a_corrected_ban_is_not_read_again_as_a_fresh_one(alice: Chatter) -> None:
    alice.say("I never wear fur")
    alice.hear("Fur is off your list, right?")
    corrected = alice.say("no, not fur, I never wear leather")
    assert alice.list_facts() == {("hard_ban", "leather"): "leather"}
    assert [change.action for change in corrected.changes] == ["deactivated", "added"]


def test_an_event_of_another_keeps_its_date(alice: Chatter) -> None:
    alice.say("Через две недели свадьба брата")
    before = list_rows(alice)[0]
    alice.hear("Готовимся к свадьбе брата!")
    alice.say("не брата, а сестры")
    closed, new = list_rows(alice)
    assert set(alice.list_facts()) == {("life_event", "wedding_sister")}
    assert (closed.is_active, new.expires_at) == (False, before.expires_at)


def test_an_event_that_was_moved_and_a_budget_that_was_lifted_leave_nothing_behind(alice: Chatter) -> None:
    alice.say("my sister's wedding is in two weeks and my budget is 800 AED")
    alice.say("the wedding got moved, it is in four weeks now")
    assert set(alice.list_facts()) == {("life_event", "wedding_sister"), ("budget", "general")}
    lifted = alice.say("wait, forget about the budget, I don't have a limit any more")
    assert describe(lifted) == [("outdated", "deactivated")]
    assert set(alice.list_facts()) == {("life_event", "wedding_sister")}


def test_the_same_client_id_again_answers_the_same_corrections(alice: Chatter) -> None:
    alice.say("My size is M")
    alice.hear("Your size is M")
    first = alice.say("no, I'm an L", client_id="again", created_at=alice.clock + timedelta(minutes=1))
    second = alice.say("no, I'm an L", client_id="again", created_at=alice.clock)
    assert second.is_new is False
    assert second.corrections == first.corrections
    assert len(list_log(alice)) == 1


def test_a_correction_older_than_the_fact_is_only_logged(alice: Chatter) -> None:
    alice.say("My size is M")
    earlier = timezone.now() - timedelta(days=30)
    alice.hear("You are size M", conversation_id="imported", created_at=earlier)
    corrected = alice.say("no", conversation_id="imported", created_at=earlier + timedelta(minutes=1))
    assert alice.list_facts() == {SIZE: "M"}
    assert describe(corrected) == [("user_denied", "logged")]
    assert [row.deactivated_knowledge_id for row in list_log(alice)] == [None]


def test_a_no_a_day_later_answers_nothing(alice: Chatter) -> None:
    alice.say("My size is M", created_at=timezone.now() - timedelta(days=3))
    alice.hear("You are size M", created_at=timezone.now() - timedelta(days=3) + timedelta(minutes=1))
    late = alice.say("no", created_at=timezone.now() - timedelta(hours=1))
    assert (late.corrections, alice.list_facts()) == ([], {SIZE: "M"})


def test_a_no_to_the_users_own_words_answers_nothing(alice: Chatter) -> None:
    alice.say("My size is M")
    assert alice.say("no").corrections == []
    assert alice.list_facts() == {SIZE: "M"}


def test_bob_with_the_same_words_keeps_his_fact(alice: Chatter, bob: Chatter) -> None:
    for person in (alice, bob):
        person.say("My size is M")
        person.hear("You are size M")
    alice.say("no")
    assert (alice.list_facts(), bob.list_facts()) == ({}, {SIZE: "M"})
    assert list_log(bob) == []


def test_the_action_log_and_the_correction_log_hold_no_words(alice: Chatter) -> None:
    alice.say("I'm allergic to silk")
    alice.hear("You are allergic to silk")
    alice.say("no, cashmere")
    with tenant_scope(alice.tenant.id):
        details = list(Action.objects.filter(user_id=alice.ref.id).values_list("effects", "detail"))
    log = [str(vars(row)) for row in list_log(alice)]
    assert len(log) == 2
    assert not any(word in str(details) + str(log) for word in ("silk", "cashmere"))


def test_an_export_holds_the_users_corrections(alice: Chatter) -> None:
    alice.say("My size is M")
    alice.hear("You are size M")
    alice.say("no, S")
    with tenant_scope(alice.tenant.id):
        rows = list(export_corrections(alice.ref))
    assert [(row["kind"], row["correction_type"]) for row in rows] == [("correction", "user_denied")]
    assert "tenant_id" not in rows[0]


def test_another_tenant_sees_no_corrections(alice: Chatter, other_tenant) -> None:
    alice.say("My size is M")
    alice.hear("You are size M")
    alice.say("no")
    with tenant_scope(other_tenant.id):
        assert CorrectionLog.objects.count() == 0


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"correction_type": "guess"}, "a_correction_type_is_one_of_four"),
        ({"correction_type": "ambiguous"}, "an_ambiguous_correction_names_what_it_answers"),
        ({"golden_status": "maybe"}, "a_golden_status_is_candidate_accepted_or_rejected"),
        ({"trigger_message_id": new_id()}, "a_correction_is_made_by_a_message_of_its_user"),
    ],
)
def test_the_database_refuses_what_a_correction_cannot_be(alice: Chatter, changed: dict, name: str) -> None:
    from django.db import IntegrityError

    said = alice.say("hello")
    fields = {
        "id": new_id(),
        "tenant_id": alice.tenant.id,
        "user_id": alice.ref.id,
        "trigger_message_id": said.message_id,
        "correction_type": "outdated",
        "language": "en",
        "created_at": timezone.now(),
    }
    with pytest.raises(IntegrityError, match=name), tenant_scope(alice.tenant.id):
        CorrectionLog.objects.create(**{**fields, **changed})


def test_counters_rise_once_a_message_and_once_a_fact(
    alice: Chatter, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    def read(name: str, **labels: str) -> float:
        return REGISTRY.get_sample_value(name, labels) or 0.0

    names = (
        ("unde_memory_correction_total", {"type": "ambiguous", "lang": "en"}),
        ("unde_memory_correction_uk_disputed_total", {}),
        ("unde_memory_correction_uk_deactivated_total", {"lang": "en"}),
    )
    before = [read(name, **labels) for name, labels in names]
    with django_capture_on_commit_callbacks(execute=True):
        alice.say("I'm allergic to silk and wool")
        alice.hear("You are allergic to silk and wool")
        alice.say("where did you get that")
        alice.hear("So you are allergic to silk?")
        alice.say("no")
    after = [read(name, **labels) for name, labels in names]
    assert [now - then for now, then in zip(after, before, strict=True)] == [1, 2, 1]


def test_erasing_alice_takes_her_corrections(alice: Chatter, bob: Chatter) -> None:
    for person in (alice, bob):
        person.say("My size is M")
        person.hear("You are size M")
        person.say("no")
    eraser = next(each for name, each in erasers.items() if name == "corrections")
    with tenant_scope(alice.tenant.id):
        scope = ErasureScope(user=alice.ref, erasure_id=new_id(), is_whole=True)
        assert (eraser.count_left(scope), eraser.erase_batch(scope, limit=100), eraser.count_left(scope)) == (1, 1, 0)
    assert (len(list_log(alice)), len(list_log(bob))) == (0, 1)
