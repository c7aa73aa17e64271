"""Sessions are cut when they are over, and cut anew when what they hold changes; nothing else moves (D-44)."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from memory.episodes.anchoring import close_sessions, set_anchor
from memory.episodes.claims import claim_conversations
from memory.episodes.models import Episode, EpisodeMessage
from memory.episodes.tasks import cut_pending
from memory.rebuild.running import compare_user, rebuild_user
from memory.services.exports import export_user
from memory.services.forgets import forget_messages, restore_forget
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter
from tests.db.memory.episodes.conftest import cut, list_of, tell
from tests.db.memory.erasure.helpers import ask, carry_out
from tests.unit.memory.episodes.talks import DRESS, TRIP

pytestmark = pytest.mark.django_db


def list_drift(person: Chatter) -> list[tuple[str, str]]:
    found = compare_user(tenant=person.tenant, user=person.ref).derived_differences
    return [(each.table, each.problem) for each in found]


def list_words(person: Chatter) -> str:
    """Everything that episodes say, opened."""
    return "\n".join(str(episode.contents) for episode in list_of(person))


def test_a_session_that_is_over_gives_an_episode_for_each_topic(told: Chatter) -> None:
    assert cut(told) == 2
    trip, dress = list_of(told)
    assert [len(each.message_ids) for each in (trip, dress)] == [4, 4]
    assert trip.contents.headline.text == TRIP[0][3:]
    assert dress.layer == "hot"
    assert not dress.is_anchor
    assert cut(told) == 0


def test_a_running_session_is_left_alone_until_it_is_over_or_closed(alice: Chatter) -> None:
    alice.clock = timezone.now() - timedelta(minutes=20)
    tell(alice, *TRIP)
    assert cut(alice) == 0
    assert cut(alice, now=timezone.now() + timedelta(minutes=40)) == 1
    tell(alice, *DRESS)
    assert close_sessions(user=alice.ref, conversation_id=None, actor="key:test", now=alice.clock) == 2
    tell(alice, "u: and the shoes for the dress?", "a: Navy shoes.")
    cut(alice, now=timezone.now() + timedelta(hours=2))
    assert [len(each.message_ids) for each in list_of(alice)] == [4, 4, 2]


def test_an_edit_cuts_its_session_anew_and_no_other(told: Chatter) -> None:
    cut(told)
    told.clock = timezone.now() - timedelta(minutes=50)
    tell(told, "u: What is the weather in Oslo?", "a: It snows in Oslo.")
    cut(told)
    before = {each.id: each.contents for each in list_of(told)}
    told.say("I need a hotel in Porto for three nights in May", replaces_id=told.said[0].message_id,
             created_at=told.clock - timedelta(hours=3))  # fmt: skip
    cut(told)
    after = {each.id: each.contents for each in list_of(told)}
    assert "Lisbon for three" not in list_words(told)
    assert list(before)[-1] in after
    assert list_drift(told) == []


def test_late_imports_join_the_session_in_which_they_were_said(told: Chatter) -> None:
    cut(told)
    first = list_of(told)[0]
    told.say("the hotel should be near the river", created_at=first.started_at + timedelta(seconds=30))
    cut(told)
    assert sum(len(each.message_ids) for each in list_of(told)) == 9
    assert "near the river" in list_words(told)
    assert list_drift(told) == []


def test_forgetting_a_message_takes_its_words_out_before_the_answer_and_undoing_brings_them_back(told: Chatter) -> None:
    cut(told)
    before = list_words(told)
    done = forget_messages(user=told.ref, message_ids=[told.said[6].message_id], actor="key:test", now=timezone.now())
    assert done.derived["episodes_cut_anew"] > 0
    assert "decided to take the navy" in before
    assert "decided to take the navy" not in list_words(told)
    assert list_drift(told) == []
    restore_forget(user=told.ref, batch_id=done.batch_id, actor="key:test", now=timezone.now())
    assert list_words(told) == before


def test_a_wholly_forgotten_episode_is_gone_and_comes_back_with_its_messages(told: Chatter) -> None:
    cut(told)
    ids = [said.message_id for said in told.said]
    done = forget_messages(user=told.ref, message_ids=ids, actor="key:test", now=timezone.now())
    assert list_of(told) == []
    restore_forget(user=told.ref, batch_id=done.batch_id, actor="key:test", now=timezone.now())
    assert len(list_of(told)) == 2


def test_an_erased_message_leaves_no_word_in_any_episode(told: Chatter) -> None:
    cut(told)
    erasure = ask(told, scope="messages", message_ids=(told.said[0].message_id,))
    assert "Lisbon for three" not in list_words(told)
    assert carry_out(told, erasure).status == "completed"
    assert "Lisbon for three" not in list_words(told)
    assert list_drift(told) == []


def test_a_whole_user_takes_all_episodes_along(told: Chatter) -> None:
    cut(told)
    assert carry_out(told, ask(told)).status == "completed"
    with tenant_scope(told.tenant.id):
        assert (Episode.objects.count(), EpisodeMessage.objects.count()) == (0, 0)


def test_a_rebuild_gives_the_same_episodes_and_leaves_layers_alone(told: Chatter) -> None:
    cut(told)
    with tenant_scope(told.tenant.id):
        Episode.objects.filter(user_id=told.ref.id).update(layer="warm", access_count=3)
    before = list_of(told)
    assert rebuild_user(tenant=told.tenant, user=told.ref, now=timezone.now()).derived["episodes"] == 2
    assert list_of(told) == before
    assert list_drift(told) == []


def test_a_spoiled_episode_is_named_as_drift(told: Chatter) -> None:
    cut(told)
    with tenant_scope(told.tenant.id):
        Episode.objects.filter(id=list_of(told)[0].id).delete()
        Episode.objects.filter(user_id=told.ref.id).update(is_kept=True)
    assert sorted(list_drift(told)) == [("episode", "different"), ("episode", "missing")]


def test_words_are_sealed_and_the_export_has_them_open(told: Chatter) -> None:
    cut(told)
    with tenant_scope(told.tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(e::text, ' ') FROM episode e WHERE e.user_id = %s", [told.ref.id])
        stored = cursor.fetchone()[0]
    assert b"Lisbon".hex() not in stored
    assert "Lisbon" not in stored
    lines = [json.loads(line) for line in export_user(user=told.ref, now=timezone.now())]
    exported = [line for line in lines if line["kind"] == "episode"]
    assert {line["contents"]["headline"]["text"] for line in exported} == {TRIP[0][3:], DRESS[0][3:]}


@pytest.mark.parametrize(
    "words", ["remember this forever: my blood group is B", "запомни это навсегда: группа крови B",
              "تذكر هذا للابد: فصيلة دمي B", "tethakkar hatha dayman: fasilat dami B"],
)  # fmt: skip
def test_what_is_to_be_remembered_for_ever_is_an_anchor_in_four_languages(alice: Chatter, words: str) -> None:
    alice.clock = timezone.now() - timedelta(hours=2)
    tell(alice, f"u: {words}", "a: ok")
    cut(alice)
    assert list_of(alice)[0].anchored_by == ("kept",)


def test_an_anchor_that_was_asked_for_holds_over_a_rebuild_until_it_is_taken_back(told: Chatter) -> None:
    cut(told)
    first = list_of(told)[0]
    ask_for = {"user": told.ref, "episode_id": first.id, "actor": "key:test", "now": timezone.now()}
    assert set_anchor(**ask_for, is_anchor=True).is_anchor
    rebuild_user(tenant=told.tenant, user=told.ref, now=timezone.now())
    assert [each.is_anchor for each in list_of(told)] == [True, False]
    assert not set_anchor(**ask_for, is_anchor=False).is_anchor
    assert list_drift(told) == []


@pytest.mark.django_db(transaction=True)
def test_workers_cut_what_is_due_in_all_tenants_and_nobody_else_may_ask(
    told: Chatter, as_role: Callable[[str], None]
) -> None:
    as_role("worker")
    assert cut_pending() >= 1
    assert len(list_of(told)) == 2
    assert all(claim.user.id != told.ref.id for claim in claim_conversations(now=timezone.now(), limit=100))


def test_bob_has_none_of_it(told: Chatter, bob: Chatter) -> None:
    cut(told)
    bob.say("hello")
    assert list_of(bob) == []
