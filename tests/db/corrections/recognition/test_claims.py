"""Claims that no stored fact bears: denied ones are logged and apologised for, right ones raise use (C-1, C-2, C-4, P-10)."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.utils import timezone

from corrections.models import CorrectionLog
from corrections.selectors.log import CorrectionFilter, list_corrections, list_user_corrections
from memory.ids import new_id
from memory.models import Action
from memory.rebuild.running import compare_user, rebuild_user
from memory.registries import erasers
from memory.services.drafts import make_draft
from memory.services.forgets import forget_messages
from memory.storing.messages import store_messages
from memory.storing.types import Recorded
from memory.tenants.scope import tenant_scope
from memory.types import ErasureScope
from retrieval.models import Feedback
from tests.cast import Chatter
from tests.db.retrieval.conftest import build_pack

pytestmark = pytest.mark.django_db(transaction=True)


def list_log(person: Chatter) -> list[CorrectionLog]:
    return person.read(list_user_corrections, limit=50)


def describe(recorded: Recorded) -> list[tuple[str, Any, str]]:
    return [(each.correction_type, each.fact_id, each.action) for each in recorded.corrections]


def list_signals(person: Chatter) -> set[tuple[Any, str, bool]]:
    with tenant_scope(person.tenant.id):
        rows = Feedback.objects.filter(user_id=person.ref.id)
        return {(row.message_id or row.fact_id, row.signal, row.is_computed) for row in rows}


@pytest.mark.parametrize(
    ("turn", "reply", "kind"),
    [
        ("Since you like green, here are green dresses.", "I never said I like green", "user_denied"),
        ("Ты любишь зелёный, вот платья.", "с чего ты взял, что я люблю зелёный?", "ambiguous"),
        ("You are a fan of flats.", "you are mixing me up with someone", "wrong_subject"),
        ("ذوقك كلاسيكي وتحبين الأخضر", "من وين جبتي هالكلام؟", "ambiguous"),
        ("t7ebeen el akhthar", "ma gilt inni a7ib el akhthar", "user_denied"),
        ("You like green, so I kept to it.", "no, I don't like green", "user_denied"),
    ],
)
def test_a_denial_of_what_is_no_fact_is_logged_with_the_message_it_denies(
    alice: Chatter, turn: str, reply: str, kind: str
) -> None:
    heard = alice.hear(turn)
    denied = alice.say(reply)
    assert describe(denied) == [(kind, None, "logged")]
    assert denied.changes == []
    (row,) = list_log(alice)
    assert (row.trigger_message_id, row.corrected_message_id) == (denied.message_id, heard.message_id)
    assert (row.deactivated_knowledge_id, row.disputed_knowledge_id, row.set_knowledge_id) == (None, None, None)


def test_the_facts_of_who_has_some_stay_as_they_are(alice: Chatter) -> None:
    alice.say("My size is M")
    alice.hear("You wear M and you like green.")
    denied = alice.say("I never said I like green")
    assert describe(denied) == [("user_denied", None, "logged")]
    assert alice.list_facts() == {("body_params", "size"): "M"}
    alice.hear("Since you like green, here are green dresses.")
    assert describe(alice.say("where did you get that?")) == [("ambiguous", None, "logged")]


@pytest.mark.parametrize(
    "reply", ["how much is it?", "no thanks", "not really", "I don't want green shoes today", "show me red ones"]
)
def test_other_replies_deny_no_claim(alice: Chatter, reply: str) -> None:
    alice.hear("You like green. Shall I show more?")
    assert alice.say(reply).corrections == []
    assert list_log(alice) == []


def test_doubts_about_the_world_are_no_corrections(alice: Chatter) -> None:
    alice.hear("This dress is real silk.")
    assert alice.say("are you sure about that?").corrections == []


def test_a_denied_claim_waits_for_a_reviewer_as_a_golden_case(alice: Chatter) -> None:
    alice.hear("You like green.")
    alice.say("I never said that")
    with tenant_scope(alice.tenant.id):
        wanted = CorrectionFilter(golden_status="candidate")
        rows = list_corrections(tenant_id=alice.tenant.id, wanted=wanted, limit=10)
    assert [row.correction_type for row in rows] == ["user_denied"]


def test_the_next_pack_asks_for_an_apology_until_the_denial_is_forgotten(alice: Chatter) -> None:
    alice.hear("You like green.")
    denied = alice.say("I never said I like green")
    pack = build_pack(alice, "so what now?")
    assert pack.directives[0].name == "apology"
    forget_messages(user=alice.ref, message_ids=[denied.message_id], actor="key:test", now=timezone.now())
    assert build_pack(alice, "so what now?").directives[0].name != "apology"


def test_the_same_client_id_again_answers_the_same_denial(alice: Chatter) -> None:
    alice.hear("You like green.")
    first = alice.say("I never said that", client_id="again", created_at=alice.clock + timedelta(minutes=1))
    again = alice.say("I never said that", client_id="again", created_at=first and alice.clock)
    assert (again.is_new, again.corrections) == (False, first.corrections)
    assert len(list_log(alice)) == 1


def test_in_a_batch_a_denial_is_seen_as_it_is_alone(alice: Chatter) -> None:
    now = timezone.now()
    said = (("assistant", "You like green."), ("user", "I never said I like green"), ("user", "thanks"))
    drafts = [make_draft(user_id="alice", conversation_id="b", role=role, content=text, now=now) for role, text in said]
    recorded = store_messages(tenant=alice.tenant, drafts=drafts, actor="key:test", now=now)
    assert [len(each.corrections) for each in recorded] == [0, 1, 0]


def test_a_rebuild_finds_no_drift_and_makes_a_lost_row_again(
    alice: Chatter, owner_connection: psycopg.Connection
) -> None:
    alice.say("My size is M")
    alice.hear("You like green.")
    denied = alice.say("I never said that")
    before = list_log(alice)
    outcome = compare_user(tenant=alice.tenant, user=alice.ref)
    assert (outcome.differences, list(outcome.derived_differences)) == ([], [])
    owner_connection.execute("DELETE FROM memory_correction_log WHERE user_id = %s", [alice.ref.id])
    found = compare_user(tenant=alice.tenant, user=alice.ref).derived_differences
    assert [(each.table, each.message_id, each.problem) for each in found] == [
        ("memory_correction_log", denied.message_id, "missing")
    ]
    assert rebuild_user(tenant=alice.tenant, user=alice.ref, now=timezone.now()).derived["corrections"] == 1
    assert [(row.id, row.corrected_message_id) for row in list_log(alice)] == [
        (row.id, row.corrected_message_id) for row in before
    ]


def test_the_row_goes_with_the_user(alice: Chatter) -> None:
    alice.hear("You like green.")
    alice.say("I never said that")
    eraser = next(each for name, each in erasers.items() if name == "corrections")
    with tenant_scope(alice.tenant.id):
        scope = ErasureScope(user=alice.ref, erasure_id=new_id(), is_whole=True)
        assert (eraser.count_left(scope), eraser.erase_batch(scope, limit=100), eraser.count_left(scope)) == (1, 1, 0)


def test_yes_exactly_confirms_what_the_pack_brought_and_makes_no_fact(alice: Chatter) -> None:
    alice.say("My size is M")
    alice.say("the emerald dress from the harbour shop is my favourite", conversation_id="old")
    pack = build_pack(alice, "which emerald dress did I like?")
    cards = {card.message_id for card in pack.episode_cards}
    assert cards
    alice.hear("You wear M, and the emerald dress is your favourite.", receipt_id=pack.receipt_id)
    facts = alice.list_facts()
    said = alice.say("yes, exactly!")
    assert (said.changes, said.corrections, alice.list_facts()) == ([], [], facts)
    confirmed = {
        item for item, signal, is_computed in list_signals(alice) if (signal, is_computed) == ("confirmed", False)
    }
    assert confirmed == cards | {fact.id for fact in pack.facts}
    with tenant_scope(alice.tenant.id):
        assert not Action.objects.filter(user_id=alice.ref.id, message_id=said.message_id).exists()


@pytest.mark.parametrize(
    "reply", ["ok", "yes", "exactly my style, show more", "no", "thanks", "is that exactly right?"]
)
def test_lesser_replies_confirm_nothing(alice: Chatter, reply: str) -> None:
    alice.say("the emerald dress from the harbour shop is my favourite", conversation_id="old")
    pack = build_pack(alice, "which emerald dress did I like?")
    alice.hear("The emerald dress is your favourite.", receipt_id=pack.receipt_id)
    alice.say(reply)
    assert [signal for _, signal, is_computed in list_signals(alice) if not is_computed] == []


def test_without_a_receipt_or_after_an_offer_exactly_confirms_nothing(alice: Chatter) -> None:
    alice.say("the emerald dress from the harbour shop is my favourite", conversation_id="old")
    pack = build_pack(alice, "which emerald dress did I like?")
    alice.hear("The emerald dress is your favourite.")
    alice.say("exactly")
    alice.hear("Your favourite is emerald. Shall I show more?", receipt_id=pack.receipt_id)
    alice.say("exactly")
    assert [signal for _, signal, is_computed in list_signals(alice) if not is_computed] == []
