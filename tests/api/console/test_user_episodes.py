"""A user's life as a picture: boxes by layer, the chosen one in words, why its priority is what it is."""

from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.episodes.night import layer_user
from memory.types import TenantRef
from tests.cast import Chatter
from tests.db.memory.episodes.conftest import cut, list_of, tell
from tests.unit.memory.episodes.talks import DRESS, TRIP

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(alice: Chatter) -> Chatter:
    for days in (3, 1):
        alice.clock = timezone.now() - timedelta(days=days)
        tell(alice, *TRIP, *DRESS)
    cut(alice)
    layer_user(user=alice.ref, now=timezone.now())
    return alice


def read_page(client: Client, person: Chatter, **query: object) -> str:
    return client.get(reverse("console:user_episodes", args=[person.ref.id]), query).content.decode()


def test_every_episode_is_a_box_that_leads_to_its_words(operator: Client, told: Chatter) -> None:
    page = read_page(operator, told)
    start = page.index("<svg viewBox", page.index("life"))
    picture = ElementTree.fromstring(page[start : page.index("</svg>", start) + 6])
    links = [each.get("href") for each in picture.iter("a")]
    assert sorted(links) == sorted(f"?episode={each.id}#episode" for each in list_of(told))
    assert "4 episodes: 4 hot, 0 warm, 0 cold; 0 anchors." in page


def test_the_chosen_one_is_shown_in_words_with_its_priority_explained(operator: Client, told: Chatter) -> None:
    dress = list_of(told)[-1]
    page = read_page(operator, told, episode=dress.id)
    assert "It hides stains, because it is dark." in page
    assert "Why it is hot" in page
    assert f"{dress.parts[0]:.3f}" in page
    assert "half of it every two weeks" in page


def test_an_operator_keeps_an_episode_and_lets_it_go_again(operator: Client, told: Chatter) -> None:
    episode = list_of(told)[0]
    for verb, anchored in (("keep", ("kept",)), ("release", ())):
        path = reverse("console:anchor_episode", args=[told.ref.id, episode.id, verb])
        assert operator.get(path).status_code == 200
        assert operator.post(path).status_code == 302
        assert list_of(told)[0].anchored_by == anchored


def test_odd_input_shows_the_page_and_another_tenants_user_is_not_there(
    operator: Client, told: Chatter, other_tenant: TenantRef
) -> None:
    assert "Episodes over time" in read_page(operator, told, episode="x", before=told.ref.id)
    stranger = Chatter(other_tenant, "stranger")
    stranger.say("hello")
    path = reverse("console:user_episodes", args=[stranger.ref.id])
    assert operator.get(path).status_code == 404


def test_a_user_without_episodes_is_told_when_there_will_be_some(operator: Client, bob: Chatter) -> None:
    bob.say("hello")
    assert "half an hour after its last message" in read_page(operator, bob)
