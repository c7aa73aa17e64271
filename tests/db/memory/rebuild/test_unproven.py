"""Candidates and adaptive items are made anew from the stored answers of the model (SPEC M-4, X-3, X-7)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from memory.extraction.unproven.candidates import dismiss_candidate, expire_user_candidates, list_open_candidates
from memory.extraction.unproven.items import dismiss_item, list_held_items
from memory.extraction.unproven.promotion import accept_candidate
from memory.models import AdaptiveItem, FactCandidate
from memory.rebuild.running import compare_user, rebuild_user
from memory.services.forgets import forget_messages, restore_forget
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter
from tests.db.memory.extraction.conftest import extract, no_instant_step
from tests.db.memory.extraction.unproven.test_items import CUTS, TITANIUM, set_policy
from tests.scripted_model import ScriptedModel, propose

__all__ = ["no_instant_step"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_instant_step")]

MakeModel = Callable[..., ScriptedModel]
ZARA = propose(knowledge_type="brand_preference", knowledge_key="zara", value="zara")


def compare(person: Chatter) -> list[tuple[str, str, tuple[str, ...], str]]:
    found = compare_user(tenant=person.tenant, user=person.ref).derived_differences
    return [(each.table, each.problem, tuple(each.columns), each.reason) for each in found]


def read_rows(person: Chatter, model: Any) -> list[dict[str, Any]]:
    with tenant_scope(person.tenant.id):
        return list(model.objects.filter(user_id=person.ref.id).order_by("id").values())


def without_seal(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "sealed"} for row in rows]


def spoil(person: Chatter, statement: str) -> None:
    with tenant_scope(person.tenant.id), connection.cursor() as cursor:
        cursor.execute(statement, [person.ref.id])


@pytest.fixture
def waiting(alice: Chatter, scripted_model: MakeModel) -> Chatter:
    """Alice has a candidate of an unknown allergen, and a taste."""
    set_policy(alice, is_on=True)
    alice.say("I am allergic to titanium")
    alice.say("I love minimalist cuts")
    cuts = CUTS | {"evidence_message_ids": ["m2"]}
    assert extract(alice, scripted_model({"operations": [TITANIUM, cuts]})).results == {"item_kept": 1, "staged": 1}
    return alice


def test_what_waits_is_what_the_answers_say(waiting: Chatter) -> None:
    assert compare(waiting) == []


def test_what_was_lost_comes_back_and_what_nobody_said_goes(waiting: Chatter) -> None:
    items = read_rows(waiting, AdaptiveItem)
    spoil(waiting, "DELETE FROM adaptive_item WHERE user_id = %s")
    spoil(waiting, "UPDATE fact_candidate SET confidence = 0.1 WHERE user_id = %s")
    assert compare(waiting) == [
        ("fact_candidate", "different", ("confidence",), "drift"),
        ("adaptive_item", "missing", (), "drift"),
    ]
    outcome = rebuild_user(tenant=waiting.tenant, user=waiting.ref, now=timezone.now())
    assert outcome.derived["candidates and items"] == 2
    assert compare(waiting) == []
    assert [item.value for item in waiting.read(list_held_items)] == ["minimalist cuts"]
    assert read_rows(waiting, AdaptiveItem)[0]["created_at"] == items[0]["created_at"]


def test_a_candidate_that_no_answer_says_is_unfounded_and_goes(waiting: Chatter) -> None:
    spoil(waiting, "UPDATE fact_candidate SET created_at = created_at - interval '1 day' WHERE user_id = %s")
    assert {problem for _, problem, _, _ in compare(waiting)} == {"unfounded", "missing"}
    rebuild_user(tenant=waiting.tenant, user=waiting.ref, now=timezone.now())
    assert len(read_rows(waiting, FactCandidate)) == 1


def test_comparing_leaves_every_row_as_it_was(waiting: Chatter) -> None:
    before = read_rows(waiting, FactCandidate), read_rows(waiting, AdaptiveItem)
    compare(waiting)
    assert (read_rows(waiting, FactCandidate), read_rows(waiting, AdaptiveItem)) == before


def test_what_people_and_jobs_did_to_them_is_done_again(waiting: Chatter, scripted_model: MakeModel) -> None:
    (candidate,), (item,) = waiting.read(list_open_candidates), waiting.read(list_held_items)
    dismiss_candidate(user=waiting.ref, candidate_id=candidate.id, actor="staff:1", now=timezone.now())
    dismiss_item(user=waiting.ref, item_id=item.id, actor="staff:1", now=timezone.now())
    waiting.say("I am allergic to titanium, really")
    assert extract(waiting, scripted_model({"operations": [TITANIUM | {"evidence_message_ids": ["m3"]}]})).staged == 1
    assert [row["status"] for row in read_rows(waiting, FactCandidate)] == ["dismissed", "open"]
    assert compare(waiting) == []
    expire_user_candidates(user=waiting.ref, now=timezone.now() + timedelta(days=400))
    assert compare(waiting) == []
    before = read_rows(waiting, FactCandidate), read_rows(waiting, AdaptiveItem)
    rebuild_user(tenant=waiting.tenant, user=waiting.ref, now=timezone.now())
    after = read_rows(waiting, FactCandidate), read_rows(waiting, AdaptiveItem)
    assert list(map(without_seal, after)) == list(map(without_seal, before))


def test_a_candidate_that_a_person_accepted_stays_accepted(waiting: Chatter) -> None:
    (candidate,) = waiting.read(list_open_candidates)
    accept_candidate(user=waiting.ref, candidate_id=candidate.id, actor="staff:1", now=timezone.now())
    assert compare(waiting) == []


def test_a_second_evidence_that_made_a_fact_closes_the_candidate_again(
    alice: Chatter, scripted_model: MakeModel
) -> None:
    alice.clock -= timedelta(days=3)
    alice.say("I love Zara")
    assert extract(alice, scripted_model({"operations": [ZARA]})).staged == 1
    alice.clock += timedelta(days=2)
    alice.say("always buy Zara, nothing else fits")
    second = ZARA | {"evidence_message_ids": ["m2"]}
    assert extract(alice, scripted_model({"operations": [second]})).applied == 1
    assert [row["status"] for row in read_rows(alice, FactCandidate)] == ["promoted"]
    assert compare(alice) == []
    spoil(alice, "UPDATE fact_candidate SET status = 'open', fact_id = NULL WHERE user_id = %s")
    assert compare(alice) == [("fact_candidate", "different", ("status", "fact_id"), "drift")]


def test_what_was_forgotten_and_restored_is_no_drift(waiting: Chatter) -> None:
    ids = [said.message_id for said in waiting.said]
    batch = forget_messages(user=waiting.ref, message_ids=ids, actor="key:test", now=timezone.now())
    assert waiting.read(list_open_candidates) == waiting.read(list_held_items) == []
    assert compare(waiting) == []
    restore_forget(user=waiting.ref, batch_id=batch.batch_id, actor="key:test", now=timezone.now())
    assert len(waiting.read(list_open_candidates)) == len(waiting.read(list_held_items)) == 1
    assert compare(waiting) == []
    rebuild_user(tenant=waiting.tenant, user=waiting.ref, now=timezone.now())
    assert len(waiting.read(list_open_candidates)) == len(waiting.read(list_held_items)) == 1


def test_an_answer_judged_by_other_rules_is_told_apart(waiting: Chatter) -> None:
    spoil(waiting, "UPDATE extraction_run SET rule_set_version = 77 WHERE user_id = %s")
    spoil(waiting, "DELETE FROM adaptive_item WHERE user_id = %s")
    assert compare(waiting) == [("adaptive_item", "missing", (), "rule_set_changed")]


def test_without_what_an_answer_was_judged_by_everything_stays(waiting: Chatter) -> None:
    spoil(waiting, "UPDATE extraction_run SET log_position = NULL WHERE user_id = %s")
    spoil(waiting, "UPDATE fact_candidate SET confidence = 0.1 WHERE user_id = %s")
    assert compare(waiting) == []
    rebuild_user(tenant=waiting.tenant, user=waiting.ref, now=timezone.now())
    assert [row["confidence"] for row in read_rows(waiting, FactCandidate)] == [0.1]
