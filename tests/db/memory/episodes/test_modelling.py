"""A model words episodes where the tenant wants it; forgetting takes its words out with the messages (D-42)."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from memory.episodes.modelling import WordClaim, claim_episodes, word_episode
from memory.rebuild.running import compare_user
from memory.services.forgets import forget_messages
from memory.tenants.models import Tenant
from tests.cast import Chatter
from tests.db.memory.episodes.conftest import cut, list_of
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db

ANSWER = {
    "headline": "A hotel in Lisbon",
    "summary": [
        {"text": "The user needs a hotel in Lisbon for three nights.", "messages": [1]},
        {"text": "Three nights at the Avenida hotel are booked.", "messages": [4]},
    ],
}


def word(person: Chatter, model: ScriptedModel) -> str:
    claim = WordClaim(person.ref, list_of(person)[0].id)
    return word_episode(claim, client=model.make_client())


def test_words_that_pass_are_stored_and_gone_with_a_forgotten_message(
    told: Chatter, scripted_model: Callable[..., ScriptedModel]
) -> None:
    cut(told)
    assert word(told, scripted_model(ANSWER)) == "worded"
    episode = list_of(told)[0]
    assert (episode.made_by, episode.contents.headline.text) == ("scripted-1", "A hotel in Lisbon")
    assert compare_user(tenant=told.tenant, user=told.ref).derived_differences == []
    forget_messages(user=told.ref, message_ids=[told.said[3].message_id], actor="key:test", now=timezone.now())
    assert all(each.made_by == "" for each in list_of(told))
    assert "are booked" not in str([each.contents for each in list_of(told)])


@pytest.mark.parametrize(("answer", "outcome"), [("nonsense", "unreadable"), ({"summary": []}, "refused")])
def test_what_does_not_pass_changes_nothing(
    told: Chatter, scripted_model: Callable[..., ScriptedModel], answer: object, outcome: str
) -> None:
    cut(told)
    before = list_of(told)
    assert word(told, scripted_model(answer)) == outcome
    assert list_of(told) == before


@pytest.mark.django_db(transaction=True)
def test_only_tenants_that_want_it_are_worked_for_and_each_episode_once(
    told: Chatter, as_role: Callable[[str], None]
) -> None:
    cut(told)
    Tenant.objects.filter(id=told.tenant.id).update(settings={"is_episode_wording_on": True})
    as_role("worker")
    now = timezone.now() + timedelta(seconds=1)
    own = [claim for claim in claim_episodes(now=now, limit=100) if claim.user.id == told.ref.id]
    assert len(own) == 2
    assert all(claim.user.id != told.ref.id for claim in claim_episodes(now=now, limit=100))
