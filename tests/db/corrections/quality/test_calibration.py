"""Nights move confidence by what people said of packs, each adjustment an action that a rebuild repeats (SPEC P-9)."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from corrections.models import CalibrationNight, CorrectionLog
from corrections.quality.calibration.deciding import DecisionOver, decide, list_waiting
from corrections.quality.calibration.night import run_night
from corrections.quality.tasks import calibrate_memory
from memory.errors import NotFound
from memory.facts.reading import get_fact, list_active_facts
from memory.ids import new_id
from memory.models import Action, FactRow
from memory.profile.facts import list_adjustments
from memory.rebuild.running import compare_user, rebuild_user
from memory.services.facts import FactAct, confirm_fact
from memory.tenants.models import AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.types import Fact, TenantRef
from retrieval.models import Feedback
from tests.cast import Chatter
from tests.db.memory.imports.test_own import bring_in, export
from tests.db.retrieval.conftest import build_pack

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def know(person: Chatter, words: str = "I wear size M") -> Fact:
    person.say(words)
    facts: list[Fact] = person.read(list_active_facts)
    return facts[-1]


def judge(person: Chatter, fact: Fact, *signals: str, is_computed: bool = False, in_days: int = 0) -> None:
    """What somebody said of as many packs, each with this fact."""
    with tenant_scope(person.tenant.id):
        Feedback.objects.bulk_create(
            Feedback(
                id=new_id(),
                tenant_id=person.tenant.id,
                user_id=person.ref.id,
                receipt_id=uuid4(),
                fact_id=fact.id,
                signal=signal,
                is_computed=is_computed,
                created_at=timezone.now() + in_days * DAY,
            )
            for signal in signals
        )


def calibrate(tenant: TenantRef, *, in_days: int = 0) -> CalibrationNight:
    night = run_night(tenant_id=tenant.id, now=timezone.now() + in_days * DAY)
    assert night is not None and night.finished_at is not None
    return night


def look(person: Chatter, fact: Fact) -> Fact:
    found: Fact = person.read(get_fact, fact_id=fact.id)
    return found


def test_a_night_moves_confidence_once_and_says_why(alice: Chatter) -> None:
    fact = know(alice)
    judge(alice, fact, *["used"] * 6, *["confirmed"] * 4)
    judge(alice, fact, *["used"] * 30, is_computed=True)
    night = calibrate(alice.tenant)
    assert (night.users, night.raised, night.lowered, night.to_remove) == (1, 1, 0, 0)
    assert look(alice, fact).confidence == 1.0
    with tenant_scope(alice.tenant.id):
        action = Action.objects.get(user_id=alice.ref.id, kind="calibrate")
    assert action.actor == "system:calibration"
    assert action.detail == {
        "fact_id": str(fact.id),
        "night": night.night.isoformat(),
        "rule": "positive_uses",
        "uses": 10,
        "positive": 10,
        "corrected": 0,
        "before": 0.95,
        "after": 1.0,
    }
    judge(alice, fact, *["unused"] * 5)
    assert calibrate(alice.tenant).raised == 1, "the night is over: nobody has a second turn"
    assert look(alice, fact).confidence == 1.0
    # The next night counts what came since, not the ten of before.
    assert calibrate(alice.tenant, in_days=1).lowered == 1
    assert look(alice, fact).confidence == 0.8
    assert calibrate(alice.tenant, in_days=2).users == 1
    assert look(alice, fact).confidence == 0.8


def test_what_nobody_judged_or_was_said_of_older_words_moves_nothing(alice: Chatter) -> None:
    fact = know(alice)
    judge(alice, fact, *["used"] * 30, is_computed=True)
    judge(alice, fact, *["corrected"] * 2, *["unused"] * 3)
    # She says it again: what was said against the fact before that is settled.
    alice.say("I wear size M", created_at=timezone.now() + timedelta(seconds=1))
    ban = know(alice, "I am allergic to nickel")
    judge(alice, ban, *["unused"] * 9)
    assert calibrate(alice.tenant).lowered == 0
    assert (look(alice, fact).confidence, look(alice, ban).confidence) == (0.95, 0.95)


def test_a_doubt_in_a_reply_is_a_correction_and_a_pack_counts_once(alice: Chatter) -> None:
    fact = know(alice)
    judge(alice, fact, *["used"] * 3)
    with tenant_scope(alice.tenant.id):
        for judged in Feedback.objects.filter(user_id=alice.ref.id):
            Feedback.objects.create(
                id=new_id(),
                tenant_id=judged.tenant_id,
                user_id=judged.user_id,
                receipt_id=judged.receipt_id,
                fact_id=fact.id,
                signal="unused",
                created_at=timezone.now(),
            )
    for _ in range(2):
        alice.hear("You wear size M, so this fits.")
        alice.say("where did you get that?")
    with tenant_scope(alice.tenant.id):
        assert CorrectionLog.objects.filter(disputed_knowledge_id=fact.id).count() >= 1
        CorrectionLog.objects.filter(user_id=alice.ref.id).update(disputed_knowledge_id=fact.id)
    calibrate(alice.tenant)
    with tenant_scope(alice.tenant.id):
        detail = Action.objects.get(user_id=alice.ref.id, kind="calibrate").detail
    assert (detail["rule"], detail["uses"], detail["positive"], detail["corrected"]) == ("corrected_uses", 5, 3, 2)
    assert look(alice, fact).confidence == pytest.approx(0.8)


def sink(person: Chatter) -> Fact:
    """A fact that four nights of complaints have left hardly believed."""
    fact = know(person)
    for night in range(5):
        judge(person, fact, *["unused"] * 5, in_days=night)
        calibrate(person.tenant, in_days=night)
    return fact


def test_a_rebuild_gives_the_same_and_a_person_removes_keeps_and_takes_it_back(alice: Chatter) -> None:
    fact = sink(alice)
    assert look(alice, fact).confidence == pytest.approx(0.1)
    user, later = alice.ref, timezone.now() + 6 * DAY

    def list_ids() -> list[UUID]:
        with tenant_scope(user.tenant_id):
            return [fact_id for _, fact_id in list_waiting(tenant_id=user.tenant_id, limit=5)]

    def act(verb: str) -> None:
        decide(user=user, fact_id=fact.id, verb=verb, actor="staff:7", now=later)

    assert list_ids() == [fact.id]
    act("keep")
    assert list_ids() == []
    with pytest.raises(NotFound):
        act("remove")
    act("undo")
    assert list_ids() == [fact.id]
    act("remove")
    assert list_ids() == [] and alice.list_facts() == {}
    act("undo")
    assert list_ids() == [fact.id] and alice.list_facts() == {fact.slot: "M"}
    with pytest.raises(DecisionOver):
        act("undo")
    assert compare_user(tenant=alice.tenant, user=user).differences == []
    with tenant_scope(user.tenant_id):
        FactRow.objects.filter(user_id=user.id).update(confidence=0.9)
        said = AuditEvent.objects.filter(tenant_id=user.tenant_id, action__startswith="calibration.")
        assert sorted(said.values_list("action", flat=True)) == [
            "calibration.keep",
            "calibration.remove",
            "calibration.undo",
            "calibration.undo",
        ]
    rebuild_user(tenant=alice.tenant, user=user, now=timezone.now())
    assert look(alice, fact).confidence == pytest.approx(0.1)
    confirm_fact(FactAct(user=user, fact_id=fact.id, actor="key:test", now=later + DAY))
    assert look(alice, fact).confidence == 0.8 and list_ids() == []
    assert compare_user(tenant=alice.tenant, user=user).differences == []


def test_an_export_carries_the_steps_to_another_tenant(alice: Chatter, other_tenant: TenantRef) -> None:
    fact = sink(alice)
    outcome = bring_in(other_tenant, export(alice.tenant, alice.ref), name="alice")
    assert (outcome.failed, outcome.differing_facts) == (0, 0)
    there = Chatter(other_tenant, "alice")
    (moved,) = there.read(list_active_facts)
    assert (moved.value, moved.confidence) == (fact.value, pytest.approx(0.1))
    steps = there.read(list_adjustments, fact_ids=[moved.id])[moved.id]
    assert [step.after for step in steps] == pytest.approx([0.75, 0.55, 0.35, 0.15, 0.1])


def test_a_tenant_may_switch_it_off_and_others_are_left_alone(
    alice: Chatter, other_tenant: TenantRef, tenant: TenantRef
) -> None:
    fact = know(alice)
    judge(alice, fact, *["unused"] * 5)
    with tenant_scope(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(settings={"is_calibration_on": False})
    assert run_night(tenant_id=tenant.id, now=timezone.now()) is None
    assert calibrate(other_tenant).users == 0
    assert look(alice, fact).confidence == 0.95


def test_a_night_that_was_cut_short_goes_on_and_counts_nobody_twice(alice: Chatter, bob: Chatter) -> None:
    for person in (alice, bob):
        judge(person, know(person), *["unused"] * 5)
    turns = iter([True, False])
    cut = run_night(tenant_id=alice.tenant.id, now=timezone.now(), may_go_on=lambda: next(turns))
    assert cut is not None and cut.finished_at is None and (cut.users, cut.lowered) == (1, 1)
    night = calibrate(alice.tenant)
    assert (night.users, night.lowered, night.left_out) == (2, 2, 0)
    with tenant_scope(alice.tenant.id):
        assert Action.objects.filter(kind="calibrate").count() == 2


def test_the_database_takes_one_adjustment_of_a_fact_a_night(alice: Chatter) -> None:
    judge(alice, know(alice), *["unused"] * 5)
    calibrate(alice.tenant)
    with tenant_scope(alice.tenant.id):
        row = Action.objects.get(user_id=alice.ref.id, kind="calibrate")
        row.id, row.position = new_id(), row.position + 7
        with pytest.raises(IntegrityError, match="a_fact_is_calibrated_once_a_night"), transaction.atomic():
            row.save(force_insert=True)


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_adjust_each_fact_once(alice: Chatter, bob: Chatter, as_role: Any) -> None:
    facts = {person.name: know(person) for person in (alice, bob)}
    for person in (alice, bob):
        judge(person, facts[person.name], *["unused"] * 5)
    as_role("worker")
    found: list[int] = []

    def work() -> None:
        try:
            found.append(calibrate_memory())
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert len(found) == 3
    with tenant_scope(alice.tenant.id):
        night = CalibrationNight.objects.get(tenant_id=alice.tenant.id)
        assert (night.users, night.lowered) == (2, 2) and night.finished_at is not None
    assert [look(person, facts[person.name]).confidence for person in (alice, bob)] == [0.75, 0.75]


def test_calibration_changes_what_the_next_pack_says_and_no_order_of_today(alice: Chatter) -> None:
    fact = know(alice)
    judge(alice, fact, *["unused"] * 5)
    before = build_pack(alice, "what fits me?")
    calibrate(alice.tenant)
    after = build_pack(alice, "what fits me?")
    assert [one.confidence for one in before.facts] == [0.95]
    assert [one.confidence for one in after.facts] == [0.75]
