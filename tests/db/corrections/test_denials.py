"""A denial reaches tastes in the very message that says it (SPEC C-1, X-7)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from corrections.models import CorrectionLog
from memory.extraction.unproven.items import list_held_items
from memory.models import Action, AdaptiveItem
from memory.rebuild.running import rebuild_user
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter
from tests.db.memory.extraction.conftest import extract
from tests.db.memory.extraction.unproven.test_items import CUTS, set_policy
from tests.db.memory.rebuild.test_unproven import compare, read_rows, spoil
from tests.db.retrieval.conftest import build_pack
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db


@pytest.fixture
def minimalist(alice: Chatter, scripted_model: Callable[..., ScriptedModel]) -> Chatter:
    set_policy(alice, is_on=True)
    alice.say("I love minimalist cuts", conversation_id="before")
    assert extract(alice, scripted_model({"operations": [CUTS]})).results == {"item_kept": 1}
    return alice


def list_values(person: Chatter) -> list[str]:
    return [item.value for item in person.read(list_held_items)]


def test_a_denied_taste_is_gone_from_the_next_pack_and_the_answer_says_so(minimalist: Chatter) -> None:
    (item,) = minimalist.read(list_held_items)
    said = minimalist.say("I don't like minimalist cuts any more", client_id="m-1")
    (outcome,) = said.corrections
    assert (outcome.action, outcome.item_id, outcome.fact_id) == ("item_closed", item.id, None)
    assert list_values(minimalist) == [] and build_pack(minimalist, "what now?").adaptive_items == ()
    again = minimalist.say("I don't like minimalist cuts any more", client_id="m-1", created_at=minimalist.clock)
    assert again.corrections == said.corrections
    with tenant_scope(minimalist.tenant.id):
        assert AdaptiveItem.objects.get(user_id=minimalist.ref.id).status == "denied"
        log = CorrectionLog.objects.get(user_id=minimalist.ref.id)
        action = Action.objects.get(user_id=minimalist.ref.id, kind="correction")
    assert (log.trigger_message_id, log.correction_type) == (said.message_id, outcome.correction_type)
    assert "minimalist" not in str(action.detail)
    assert compare(minimalist) == []
    spoil(minimalist, "DELETE FROM adaptive_item WHERE user_id = %s")
    rebuild_user(tenant=minimalist.tenant, user=minimalist.ref, now=timezone.now())
    assert [row["status"] for row in read_rows(minimalist, AdaptiveItem)] == ["denied"]


def test_a_no_to_what_the_assistant_says_of_a_taste_closes_it_as_one_correction(minimalist: Chatter) -> None:
    heard = minimalist.hear("You love minimalist cuts, so I kept it plain.")
    said = minimalist.say("No, that's wrong")
    assert list_values(minimalist) == []
    with tenant_scope(minimalist.tenant.id):
        (action,) = Action.objects.filter(user_id=minimalist.ref.id, kind="correction")
    assert action.detail["corrected_message_id"] == str(heard.message_id)
    assert [one.action for one in said.corrections] == ["logged", "item_closed"]
    assert build_pack(minimalist, "what now?").directives[0].name == "apology"


@pytest.mark.parametrize("words", ["I love minimalist cuts", "show me something", "my sister hates minimalist cuts"])
def test_other_words_leave_a_taste_alone(minimalist: Chatter, words: str) -> None:
    assert minimalist.say(words).corrections == []
    assert list_values(minimalist) == ["minimalist cuts"]


def test_older_words_and_another_users_leave_it_alone(minimalist: Chatter, bob: Chatter) -> None:
    minimalist.say("I don't like minimalist cuts", created_at=minimalist.clock.replace(year=2020))
    bob.say("I don't like minimalist cuts")
    assert list_values(minimalist) == ["minimalist cuts"]


@pytest.mark.django_db(transaction=True)
def test_two_denials_at_once_close_it_once_and_both_are_kept(minimalist: Chatter) -> None:
    answers: list[Any] = []

    def deny(number: int) -> None:
        try:
            person = Chatter(minimalist.tenant, minimalist.name, conversation=f"chat-{number}")
            answers.append(person.say("I don't like minimalist cuts"))
        finally:
            connection.close()

    threads = [threading.Thread(target=deny, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(len(answer.corrections) for answer in answers) == [0, 1]
    assert list_values(minimalist) == []
