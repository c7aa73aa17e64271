"""Tastes that are alike become one at night, taken back by a person, and a rebuild gives the same (SPEC X-7, M-4)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from corrections.quality.calibration.night import run_night
from memory.errors import NotFound
from memory.extraction.types import Item
from memory.extraction.unproven.items import list_held_items
from memory.extraction.unproven.merging import part_item
from memory.models import Action, AdaptiveItem
from memory.rebuild.running import rebuild_user
from memory.services.forgets import forget_messages
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out
from tests.db.memory.extraction.conftest import extract
from tests.db.memory.extraction.unproven.test_items import set_policy
from tests.db.memory.rebuild.test_unproven import compare, read_rows, spoil, without_seal
from tests.db.retrieval.conftest import build_pack
from tests.scripted_model import ScriptedModel, propose

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_instant_step")]

MakeModel = Callable[..., ScriptedModel]
VALUES = ("minimalist cuts", "minimalist cut", "cuts that are minimalist")


@pytest.fixture
def alike(alice: Chatter, scripted_model: MakeModel) -> Chatter:
    """Alice has said the same in three ways, and a thing of its own."""
    set_policy(alice, is_on=True)
    operations = []
    for number, value in enumerate((*VALUES, "loud colours"), start=1):
        alice.say(f"I love {value}")
        taste = propose(knowledge_type="preference", knowledge_key=f"style{number}", value=value)
        operations.append(taste | {"evidence_message_ids": [f"m{number}"]})
    assert extract(alice, scripted_model({"operations": operations})).results == {"item_kept": 4}
    return alice


def merge(person: Chatter, *, in_days: int = 0) -> int:
    night = run_night(tenant_id=person.tenant.id, now=timezone.now() + timedelta(days=in_days))
    assert night is not None
    return night.merged


def list_items(person: Chatter) -> list[Item]:
    found: list[Item] = person.read(list_held_items)
    return found


def find_merged(person: Chatter) -> Item:
    (one,) = [item for item in list_items(person) if item.is_merged]
    return one


def test_three_alike_are_one_with_all_their_evidence_and_a_rebuild_gives_the_same(alike: Chatter) -> None:
    assert merge(alike) == 1
    one = find_merged(alike)
    assert {item.value for item in list_items(alike)} == {one.value, "loud colours"} and one.value in VALUES
    assert set(one.evidence_message_ids) == {said.message_id for said in alike.said[:3]}
    shown = build_pack(alike, "what should I look at?").to_dict()["adaptive_items"]
    # The words that travel with it are those that say it (T-3).
    assert next(each for each in shown if each["id"] == str(one.id))["raw_excerpt"].endswith(one.value)
    with tenant_scope(alike.tenant.id):
        detail = Action.objects.get(user_id=alike.ref.id, kind="merge").detail
        assert AdaptiveItem.objects.filter(merged_into=one.id, status="merged").count() == 3
    assert (detail["rule"], len(detail["members"])) == ("alike", 3) and detail["likeness"] > 0.85
    assert not any(value in str(detail) for value in VALUES)
    assert merge(alike, in_days=1) == 0
    assert compare(alike) == []
    before = read_rows(alike, AdaptiveItem)
    spoil(alike, "DELETE FROM adaptive_item WHERE user_id = %s")
    rebuild_user(tenant=alike.tenant, user=alike.ref, now=timezone.now())
    after = read_rows(alike, AdaptiveItem)
    assert sorted(row["status"] for row in after) == ["active"] * 2 + ["merged"] * 3
    assert find_merged(alike).id == one.id
    assert sorted(row["created_at"] for row in after) == sorted(row["created_at"] for row in before)
    assert compare(alike) == []


def test_a_person_takes_it_back_for_good_and_what_was_said_since_is_kept(
    alike: Chatter, scripted_model: MakeModel
) -> None:
    merge(alike)
    one = find_merged(alike)
    again = alike.say(f"I love {one.value}").message_id
    taste = propose(knowledge_type="preference", knowledge_key=one.key, value=one.value)
    cite = {"operations": [taste | {"evidence_message_ids": ["m3"]}]}
    assert extract(alike, scripted_model(cite)).results == {"item_kept": 1}
    assert again in find_merged(alike).evidence_message_ids
    assert part_item(user=alike.ref, item_id=one.id, actor="staff:7", now=timezone.now()) == 3
    held = {item.value: item for item in list_items(alike)}
    assert set(held) == {*VALUES, "loud colours"}
    assert again in held[one.value].evidence_message_ids
    with pytest.raises(NotFound):
        part_item(user=alike.ref, item_id=one.id, actor="staff:7", now=timezone.now())
    assert merge(alike, in_days=1) == 0
    assert compare(alike) == []
    before = without_seal(read_rows(alike, AdaptiveItem))
    rebuild_user(tenant=alike.tenant, user=alike.ref, now=timezone.now())
    assert without_seal(read_rows(alike, AdaptiveItem)) == before


def test_forgetting_or_erasing_one_of_the_words_leaves_the_others(alike: Chatter) -> None:
    merge(alike)
    said = alike.said[0].message_id
    forget_messages(user=alike.ref, message_ids=[said], actor="key:test", now=timezone.now())
    assert {item.value for item in list_items(alike)} == {*VALUES[1:], "loud colours"}
    assert compare(alike) == []
    erasure = ask(alike, scope="messages", message_ids=(said,))
    assert carry_out(alike, erasure).status == "completed"
    assert {item.value for item in list_items(alike)} == {*VALUES[1:], "loud colours"}


def test_an_erasure_of_one_of_the_words_gives_the_others_back_at_night(alike: Chatter) -> None:
    merge(alike)
    erasure = ask(alike, scope="messages", message_ids=(alike.said[0].message_id,))
    assert carry_out(alike, erasure).status == "completed"
    merge(alike, in_days=1)
    assert {item.value for item in list_items(alike)} == {*VALUES[1:], "loud colours"}


def test_without_the_policy_nothing_is_merged(alike: Chatter) -> None:
    set_policy(alike, is_on=False)
    assert merge(alike) == 0


def test_the_same_night_again_merges_nothing_more(alike: Chatter) -> None:
    now: Any = timezone.now()
    for _ in range(2):
        run_night(tenant_id=alike.tenant.id, now=now)
    with tenant_scope(alike.tenant.id):
        assert Action.objects.filter(user_id=alike.ref.id, kind="merge").count() == 1
