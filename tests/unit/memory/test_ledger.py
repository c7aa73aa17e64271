"""The fold: what a decision does to a user's facts (D-1, D-2, D-5, D-28)."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memory.facts.ledger import FactLedger, PendingAction
from memory.types import Fact, Statement

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def make_ledger(*facts: Fact, closed_at=None, now=NOW, max_evidence=20) -> FactLedger:
    return FactLedger(
        facts=facts,
        find_closed_at=lambda kind, key: (closed_at or {}).get((kind, key)),
        get_log_position=lambda: max((fact.log_position for fact in facts), default=0),
        now=now,
        new_id=uuid4,
        max_evidence=max_evidence,
        confirmed=0.8,
    )


def say(value, *, kind="body_params", key="size", at=NOW, expires_at=None, evidence=None, **more) -> Statement:
    return Statement(
        knowledge_type=kind,
        knowledge_key=key,
        value=value,
        confidence=0.95,
        extracted_from="instant_pattern",
        said_at=at,
        expires_at=expires_at,
        evidence_message_ids=(evidence or uuid4(),),
        **more,
    )


def act(ledger: FactLedger, at=NOW, kind="instant") -> PendingAction:
    return ledger.open_action(kind=kind, said_at=at)


def put(ledger: FactLedger, statement: Statement):
    return ledger.set_fact(statement, action=act(ledger, statement.said_at))


def test_the_first_statement_of_a_key_is_added():
    ledger = make_ledger()
    change = put(ledger, say("M"))
    assert (change.action, change.is_new_row, change.superseded_id) == ("added", True, None)
    assert ledger.find_fact("body_params", "size").value == "M"


def test_another_value_supersedes_and_names_the_row_it_replaced():
    ledger = make_ledger()
    first = put(ledger, say("S")).fact
    change = put(ledger, say("M", at=NOW + timedelta(minutes=1)))
    assert (change.action, change.superseded_id, change.fact.version) == ("superseded", first.id, 2)
    assert [fact.value for fact in ledger.list_facts()] == ["M"]


def test_keys_of_one_type_live_side_by_side():
    ledger = make_ledger()
    put(ledger, say("nickel", kind="allergy", key="nickel"))
    put(ledger, say("wool", kind="allergy", key="wool"))
    assert [fact.value for fact in ledger.list_facts()] == ["nickel", "wool"]


def test_the_same_value_again_renews_without_a_new_row_and_gathers_evidence():
    ledger = make_ledger()
    first = put(ledger, say("M")).fact
    later = NOW + timedelta(days=3)
    change = put(ledger, say("M", at=later))
    assert (change.action, change.is_new_row, change.fact.id) == ("renewed", False, first.id)
    assert change.fact.last_validated_at == later
    assert len(change.fact.evidence_message_ids) == 2


def test_renewing_keeps_the_newest_evidence_when_there_is_too_much():
    ledger = make_ledger(max_evidence=3)
    ids = [uuid4() for _ in range(5)]
    for i, message_id in enumerate(ids):
        put(ledger, say("M", at=NOW + timedelta(minutes=i), evidence=message_id))
    assert ledger.find_fact("body_params", "size").evidence_message_ids == tuple(ids[-3:])


def test_an_imported_older_statement_is_stored_inactive_and_already_superseded():
    ledger = make_ledger()
    present = put(ledger, say("M")).fact
    change = put(ledger, say("S", at=NOW - timedelta(days=400)))
    assert (change.action, change.fact.is_active, change.fact.superseded_by) == ("stored_inactive", False, present.id)
    assert ledger.find_fact("body_params", "size").value == "M"


def test_an_older_repetition_gives_evidence_but_moves_no_date():
    ledger = make_ledger()
    put(ledger, say("wedding", kind="life_event", key="wedding", expires_at=NOW + timedelta(days=20)))
    change = put(
        ledger,
        say(
            "wedding", kind="life_event", key="wedding", at=NOW - timedelta(days=9), expires_at=NOW + timedelta(days=5)
        ),
    )
    assert change.action == "renewed"
    assert change.fact.expires_at == NOW + timedelta(days=20)


def test_an_event_whose_day_has_passed_is_stored_inactive():
    change = put(make_ledger(), say("trip", kind="life_event", key="trip", expires_at=NOW - timedelta(days=1)))
    assert (change.action, change.fact.is_active) == ("stored_inactive", False)


def test_a_statement_older_than_a_denial_does_not_bring_the_fact_back():
    ledger = make_ledger()
    fact = put(ledger, say("wool", kind="allergy", key="wool")).fact
    ledger.deactivate_fact(fact, action=act(ledger, NOW + timedelta(hours=1)))
    assert (
        put(ledger, say("wool", kind="allergy", key="wool", at=NOW + timedelta(minutes=5))).action == "stored_inactive"
    )
    assert put(ledger, say("wool", kind="allergy", key="wool", at=NOW + timedelta(hours=2))).action == "added"


def test_a_denial_loaded_from_the_store_counts_the_same():
    closed = {("allergy", "wool"): NOW}
    change = put(make_ledger(closed_at=closed), say("wool", kind="allergy", key="wool", at=NOW - timedelta(days=1)))
    assert change.action == "stored_inactive"


def test_a_correction_older_than_the_fact_is_only_logged():
    ledger = make_ledger()
    fact = put(ledger, say("M")).fact
    action = act(ledger, NOW - timedelta(days=1), kind="correction")
    assert ledger.deactivate_fact(fact, action=action) is None
    assert ledger.dispute_fact(fact, action=action) is None
    assert action.changes == []
    assert ledger.find_fact("body_params", "size") is not None
    assert action in ledger.actions


def test_a_disputed_fact_is_restored_by_a_confirmation_and_by_saying_it_again():
    ledger = make_ledger()
    fact = put(ledger, say("M")).fact
    disputed = ledger.dispute_fact(fact, action=act(ledger)).fact
    assert disputed.is_disputed
    assert ledger.confirm_fact(disputed, action=act(ledger)).action == "restored"
    again = ledger.dispute_fact(ledger.find_fact("body_params", "size"), action=act(ledger)).fact
    assert again.is_disputed
    assert put(ledger, say("M", at=NOW + timedelta(minutes=1))).action == "restored"


def test_disputing_twice_changes_nothing_the_second_time():
    ledger = make_ledger()
    disputed = ledger.dispute_fact(put(ledger, say("M")).fact, action=act(ledger)).fact
    assert ledger.dispute_fact(disputed, action=act(ledger)) is None


def test_a_fact_without_evidence_is_no_fact_unless_a_person_stated_it():
    ledger = make_ledger()
    message_id = uuid4()
    instant = put(ledger, say("M", evidence=message_id)).fact
    assert ledger.withdraw_evidence(instant, {message_id}, action=act(ledger)).action == "deactivated"
    stated = put(ledger, replace(say(500, kind="budget", key="general"), extracted_from="onboarding")).fact
    change = ledger.withdraw_evidence(stated, set(stated.evidence_message_ids), action=act(ledger))
    assert (change.fact.is_active, change.fact.evidence_message_ids) == (True, ())


def test_reopening_meets_a_newer_fact_and_stays_inactive():
    ledger = make_ledger()
    old = put(ledger, say("S")).fact
    closed = ledger.deactivate_fact(old, action=act(ledger, NOW + timedelta(minutes=1))).fact
    put(ledger, say("M", at=NOW + timedelta(minutes=2)))
    assert ledger.reopen_fact(closed, action=act(ledger)).action == "stored_inactive"
    assert ledger.find_fact("body_params", "size").value == "M"


def test_reopening_an_event_that_has_passed_stays_inactive():
    ledger = make_ledger(now=NOW + timedelta(days=10))
    fact = make_ledger()
    past = put(fact, say("trip", kind="life_event", key="trip", expires_at=NOW + timedelta(days=5))).fact
    closed = fact.deactivate_fact(past, action=act(fact)).fact
    assert ledger.reopen_fact(closed, action=act(ledger)).action == "stored_inactive"


def test_every_touched_fact_is_written_once_as_it_is_in_the_end():
    stored = put(make_ledger(), say("S")).fact
    ledger = make_ledger(stored)
    minutes = [NOW + timedelta(minutes=number) for number in range(4)]
    put(ledger, say("S", at=minutes[1]))
    second = put(ledger, say("M", at=minutes[2])).fact
    third = put(ledger, say("L", at=minutes[3])).fact
    renewed = put(ledger, say("L", at=minutes[3])).fact
    old, middle, last = ledger.list_touched()
    assert (old.action_id, middle.action_id, last.action_id) == (None, ledger.actions[1].id, ledger.actions[2].id)
    assert (old.fact.id, old.fact.superseded_by, old.fact.invalid_at) == (stored.id, second.id, minutes[2])
    assert len(old.fact.evidence_message_ids) == 2  # renewed before it was closed
    assert old.successor_id is None
    assert (middle.fact.id, middle.fact.superseded_by, middle.fact.invalid_at) == (second.id, third.id, minutes[3])
    assert not old.fact.is_active and not middle.fact.is_active
    assert last.fact == renewed and last.fact.is_active


def test_a_fact_to_which_nothing_else_was_done_names_what_took_its_place():
    stored = put(make_ledger(), say("S")).fact
    ledger = make_ledger(stored)
    second = put(ledger, say("M", at=NOW + timedelta(minutes=1))).fact
    old, new = ledger.list_touched()
    assert (old.successor_id, new.successor_id) == (second.id, None)


def test_a_fact_that_is_made_and_closed_again_is_new_and_inactive():
    ledger = make_ledger()
    fact = put(ledger, say("M")).fact
    denial = act(ledger, kind="correction")
    ledger.deactivate_fact(fact, action=denial)
    (touched,) = ledger.list_touched()
    assert touched.action_id == ledger.actions[0].id
    assert (touched.fact.is_active, touched.fact.invalid_at, touched.fact.superseded_by) == (False, NOW, None)


def test_an_action_that_changes_nothing_touches_no_fact():
    ledger = make_ledger()
    act(ledger)
    assert ledger.list_touched() == []


def test_every_action_takes_the_next_position():
    ledger = make_ledger()
    assert [act(ledger).position for _ in range(3)] == [1, 2, 3]


@given(st.lists(st.tuples(st.sampled_from("SML"), st.integers(-50, 50)), min_size=1, max_size=12))
def test_whatever_the_order_of_arrival_the_latest_word_holds(words):
    """An import in any order ends where the conversation ended (D-2)."""
    ledger = make_ledger()
    for value, minutes in words:
        put(ledger, say(value, at=NOW + timedelta(minutes=minutes)))
    active = ledger.find_fact("body_params", "size")
    latest = max(minutes for _, minutes in words)
    said_last = [value for value, minutes in words if minutes == latest]
    assert active is not None
    assert active.value in said_last
    assert len(ledger.list_facts()) == 1


@pytest.mark.parametrize("kind", ["confirm", "retract", "forget"])
def test_an_action_that_changes_nothing_is_still_in_the_log(kind):
    ledger = make_ledger()
    act(ledger, kind=kind)
    assert [action.kind for action in ledger.actions] == [kind]
