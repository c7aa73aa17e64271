"""Both logs fold back to exactly the stored facts, and a rebuild mends what differs (SPEC M-4)."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from demo.replay import Replay
from demo.script import load_scenes
from memory.facts.reading import list_active_facts, list_facts
from memory.facts.writing import load_ledger, save_ledger
from memory.rebuild import conversations
from memory.rebuild.comparing import compare_facts
from memory.rebuild.folding import fold_logs
from memory.rebuild.logs import load_logs
from memory.rebuild.running import compare_user, list_folding_steps, rebuild_user
from memory.services.fact_inputs import FactInput
from memory.services.facts import FactAct, confirm_fact, dispute_fact, expire_user_facts, put_facts, retract_fact
from memory.services.forgets import forget_messages, restore_forget
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import Statement, UserRef
from patterns.registry import get_rule_set, refresh_rule_sets
from patterns.services.publishing import publish_rule_version, save_rule_draft
from tests.caller import make_caller
from tests.cast import Chatter
from tests.db.patterns.conftest import load_small, make_balloon_rule
from tests.packs import bring_in

pytestmark = pytest.mark.django_db

DEMO = Path(__file__).resolve().parents[4] / "demo" / "conversation.yaml"


def compare(person: Chatter) -> list[Any]:
    return list(compare_user(tenant=person.tenant, user=person.ref).differences)


def act(person: Chatter, do: Callable[[FactAct], Any], slot: tuple[str, str]) -> None:
    fact = next(f for f in person.read(list_now) if f.slot == slot)
    do(FactAct(user=person.ref, fact_id=fact.id, actor="key:test", now=timezone.now()))


def list_now(*, user: UserRef) -> list[Any]:
    return list_active_facts(user=user)


def run_demo(person: Chatter) -> list[UserRef]:
    """Post the demo's conversation over the API; the users of it."""
    caller = make_caller(person.tenant)

    def call(method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        response = caller.client.generic(
            method, path, b"" if body is None else json.dumps(body), content_type="application/json"
        )
        return response.status_code, response.json()

    now = timezone.now()
    replay = Replay(service=SimpleNamespace(call=call), suffix="t", now=now)  # type: ignore[arg-type]
    for scene in load_scenes(DEMO, now=now):
        for step in scene.steps:
            if step.action not in ("erase", "turned_away"):
                replay.run(step)
    with tenant_scope(person.tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT id, external_id FROM memory_user")
        return [UserRef(id=row[0], tenant_id=person.tenant.id, external_id=row[1]) for row in cursor.fetchall()]


def test_the_demo_conversation_folds_back_to_exactly_the_stored_facts(alice: Chatter) -> None:
    users = run_demo(alice)
    found = {user.external_id: compare_user(tenant=alice.tenant, user=user) for user in users}
    assert sum(outcome.facts for outcome in found.values()) > 15
    assert {name: list(outcome.differences) for name, outcome in found.items() if outcome.differences} == {}


def test_what_people_did_folds_back_too(alice: Chatter) -> None:
    alice.say("my size is M, I am allergic to nickel")
    act(alice, dispute_fact, ("body_params", "size"))
    act(alice, confirm_fact, ("body_params", "size"))
    act(alice, dispute_fact, ("allergy", "nickel"))
    put_facts(
        tenant=alice.tenant,
        user_external_id=alice.name,
        facts=[FactInput("budget", 500, "onboarding"), FactInput("hard_ban", "fur", "explicit")],
        actor="key:test",
        now=timezone.now(),
    )
    alice.say("my budget is 700 aed")
    act(alice, retract_fact, ("hard_ban", "fur"))
    assert compare(alice) == []


def test_what_was_forgotten_and_restored_folds_back_too(alice: Chatter) -> None:
    size = alice.say("my size is M")
    allergy = alice.say("I am allergic to nickel")
    for said in (size, allergy):
        outcome = forget_messages(
            user=alice.ref, message_ids=[said.message_id], actor="key:test", now=timezone.now(), reason="mine"
        )
    assert compare(alice) == []
    restore_forget(user=alice.ref, batch_id=outcome.batch_id, actor="key:test", now=timezone.now())
    assert alice.list_facts() == {("allergy", "nickel"): "nickel"}
    assert compare(alice) == []


def test_edits_corrections_and_events_that_expired_fold_back_too(alice: Chatter) -> None:
    first = alice.say("my size is M")
    alice.say("my size is S", replaces_id=first.message_id)
    alice.hear("So your size is S, right?")
    alice.say("no, my size is L")
    alice.say("my sister's wedding is in two weeks")
    later = timezone.now() + timedelta(days=40)
    assert expire_user_facts(user=alice.ref, now=later) == 1
    assert compare(alice) == []


def test_an_older_history_that_comes_late_folds_back_too(alice: Chatter) -> None:
    alice.say("my size is M")
    alice.say("my size is S", created_at=timezone.now() - timedelta(days=300), conversation_id="old")
    alice.say("my size is XL", created_at=timezone.now() - timedelta(days=200), conversation_id="old")
    assert alice.list_facts() == {("body_params", "size"): "M"}
    assert compare(alice) == []


def spoil(person: Chatter, statement: str) -> None:
    with tenant_scope(person.tenant.id), connection.cursor() as cursor:
        cursor.execute(statement, [person.ref.id])


def test_a_fact_that_no_log_says_is_drift_and_a_rebuild_takes_it_away(alice: Chatter) -> None:
    alice.say("my size is M, I am allergic to nickel")
    spoil(alice, "UPDATE user_knowledge SET is_disputed = true WHERE user_id = %s AND knowledge_type = 'allergy'")
    (found,) = compare(alice)
    assert (found.knowledge_type, found.problem, found.reason, found.columns) == (
        "allergy",
        "different",
        "drift",
        ("is_disputed",),
    )
    outcome = rebuild_user(tenant=alice.tenant, user=alice.ref, now=timezone.now())
    assert outcome.has_drift and outcome.derived["message_index"] == 1
    assert compare(alice) == []


def test_facts_that_were_lost_come_back_with_their_ids_versions_and_history(alice: Chatter) -> None:
    for size in ("M", "S", "L"):
        alice.say(f"my size is {size}")
    before = alice.read(list_all_facts)
    spoil(alice, "DELETE FROM user_knowledge WHERE user_id = %s")
    assert {each.problem for each in compare(alice)} == {"missing"}
    rebuild_user(tenant=alice.tenant, user=alice.ref, now=timezone.now())
    after = alice.read(list_all_facts)
    assert [(f.value, f.version, f.is_active, f.valid_at, f.invalid_at) for f in after] == [
        (f.value, f.version, f.is_active, f.valid_at, f.invalid_at) for f in before
    ]
    assert compare(alice) == []


def list_all_facts(*, user: UserRef) -> list[Any]:
    facts = list_facts(user=user, include_inactive=True, now=timezone.now(), limit=100)
    return sorted(facts, key=lambda fact: (fact.slot, fact.version))


def find_reasons(person: Chatter, *, rule_set_version: int, engine_version: str | None = None) -> set[str]:
    """Reasons for what differs, had the rules or the engine been others when it was written."""
    with tenant_scope(person.tenant.id):
        logs = load_logs(user=person.ref)
        if engine_version:
            logs = replace(logs, actions=[replace(each, engine_version=engine_version) for each in logs.actions])
        fold = fold_logs(user=person.ref, logs=logs, zone=person.tenant.zone, steps=list_folding_steps())
    return {each.reason for each in compare_facts(logs=logs, fold=fold, rule_set_version=rule_set_version)}


def test_what_other_rules_or_another_engine_wrote_is_told_apart_from_drift(alice: Chatter) -> None:
    alice.say("my size is M")
    alice.say("I am allergic to nickel")
    now = get_rule_set(tenant_id=alice.tenant.id).version
    assert find_reasons(alice, rule_set_version=now) == set()
    spoil(alice, "DELETE FROM user_knowledge WHERE user_id = %s AND knowledge_type = 'allergy'")
    assert find_reasons(alice, rule_set_version=now) == {"drift"}
    assert find_reasons(alice, rule_set_version=now + 1) == {"rule_set_changed"}
    assert find_reasons(alice, rule_set_version=now, engine_version="0") == {"engine_changed"}


def publish_balloon_rule() -> None:
    """One more rule for all, in force in this process."""
    bring_in(load_small())
    publish_rule_version(save_rule_draft(make_balloon_rule(), tenant_id=None, changed_by="staff:1"))
    refresh_rule_sets()


def test_a_message_that_taught_nothing_before_a_rule_was_published_is_no_drift(alice: Chatter) -> None:
    alice.say("I am allergic to latex")
    alice.say("i balloon up from nickel")
    publish_balloon_rule()
    for text in ("I am allergic to wool", "hello"):
        alice.say(text)
    assert {(each.knowledge_type, each.problem, each.reason) for each in compare(alice)} == {
        ("allergy", "missing", "rule_set_changed")
    }


def test_a_user_of_whom_nothing_was_read_before_a_rule_was_published_has_no_drift(bob: Chatter) -> None:
    bob.say("i balloon up from nickel")
    publish_balloon_rule()
    assert [(each.problem, each.reason) for each in compare(bob)] == [("missing", "rule_set_changed")]


def test_what_was_read_by_the_rules_in_force_and_is_gone_is_drift(alice: Chatter) -> None:
    publish_balloon_rule()
    alice.say("i balloon up from nickel")
    assert compare(alice) == []
    spoil(alice, "DELETE FROM user_knowledge WHERE user_id = %s")
    assert [(each.problem, each.reason) for each in compare(alice)] == [("missing", "drift")]


def test_facts_of_other_rules_are_one_line_of_the_command_and_no_error(alice: Chatter, bob: Chatter) -> None:
    for person in (alice, bob):
        person.say("i balloon up from nickel")
    publish_balloon_rule()
    said = run_command(alice, "--diff")
    assert "The rules have changed: 2 facts of 2 users would be read otherwise now." in said
    assert "allergy" not in said and "differ without a reason" not in said
    assert said.count("rule_set_changed") == 1
    assert "rule_set_changed: fact" in run_command(alice, "--diff", "--verbosity", "2")


def test_what_a_model_proposed_folds_back_from_its_effects(alice: Chatter) -> None:
    first, second = alice.say("zara again, please"), alice.say("only zara fits me")
    now, ids = timezone.now(), (first.message_id, second.message_id)
    with tenant_scope(alice.tenant.id):
        ledger = load_ledger(user=alice.ref, now=now)
        for said_at in (now - timedelta(minutes=9), now - timedelta(minutes=8)):
            action = ledger.open_action(kind="extraction", said_at=said_at, message_id=ids[-1])
            action.detail = {"message_ids": [str(each) for each in ids]}
            ledger.set_fact(
                Statement(
                    knowledge_type="brand_preference",
                    knowledge_key="zara",
                    value="zara",
                    confidence=0.8,
                    provenance="analysis",
                    extracted_from="batch",
                    said_at=said_at,
                    evidence_message_ids=ids,
                ),
                action=action,
            )
        save_ledger(ledger, user=alice.ref, actor="system", now=now)
    assert compare(alice) == []
    act(alice, retract_fact, ("brand_preference", "zara"))
    assert compare(alice) == []


def test_comparing_changes_nothing(alice: Chatter) -> None:
    alice.say("my size is M")
    spoil(alice, "DELETE FROM user_knowledge WHERE user_id = %s")
    compare(alice)
    assert alice.list_facts() == {}


def run_command(person: Chatter, *options: str) -> str:
    out = StringIO()
    slug = Tenant.objects.get(id=person.tenant.id).slug
    try:
        call_command("rebuild", "--tenant", slug, *options, stdout=out, stderr=out)
    except CommandError as error:
        return f"{out.getvalue()}{error}"
    return out.getvalue()


def test_the_command_ends_with_an_error_on_drift_and_names_no_word_of_the_user(alice: Chatter, bob: Chatter) -> None:
    alice.say("I am allergic to nickel")
    bob.say("my size is M")
    assert "2 users compared: no differences" in run_command(alice, "--diff")
    spoil(alice, "DELETE FROM user_knowledge WHERE user_id = %s")
    said = run_command(alice, "--diff")
    assert "1 rows differ without a reason" in said
    assert "allergy missing" in said and "nickel" not in said
    assert "2 users rebuilt: 1 drift" in run_command(alice)
    assert "no differences" in run_command(alice, "--diff", "--user", "alice")


def test_the_outcome_counts_what_was_read(alice: Chatter) -> None:
    alice.say("my size is M")
    alice.say("hello")
    compared = compare_user(tenant=alice.tenant, user=alice.ref)
    rebuilt = rebuild_user(tenant=alice.tenant, user=alice.ref, now=timezone.now())
    assert [(each.messages, each.facts) for each in (compared, rebuilt)] == [(2, 1), (2, 1)]


def test_the_command_goes_on_after_the_last_user_that_is_done(alice: Chatter, bob: Chatter) -> None:
    alice.say("my size is M")
    bob.say("my size is S")
    said = run_command(alice, "--diff", "--after", str(alice.ref.id))
    assert str(bob.ref.id) in said and str(alice.ref.id) not in said


def test_a_long_conversation_is_read_with_little_of_it_at_hand(alice: Chatter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "KEPT", 2)
    alice.say("my size is M")
    for number in range(8):
        alice.hear(f"noted, number {number}")
    alice.hear("So your size is M?")
    alice.say("no, my size is S")
    gone = [alice.hear(f"something else {number}").message_id for number in range(3)]
    forget_messages(user=alice.ref, message_ids=gone, actor="key:test", now=timezone.now())
    alice.say("no, L")
    # Said long before all that is at hand: the table is asked for what came before it.
    alice.say("I'm allergic to wool", created_at=alice.clock - timedelta(days=3))
    assert compare(alice) == []
    assert set(alice.list_facts()) >= {("body_params", "size"), ("allergy", "wool")}
