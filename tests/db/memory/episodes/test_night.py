"""Accesses, priorities, layers and links change at night alone, user by user, and a search never notices (D-22, D-43)."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.database.claims import claim_users
from memory.episodes.accesses import note_accesses
from memory.episodes.models import Episode
from memory.episodes.night import layer_user
from memory.episodes.tasks import run_round
from memory.tenants.scope import tenant_scope
from retrieval.pipeline import search_messages
from retrieval.types import SearchQuery
from tests.cast import Chatter
from tests.db.memory.episodes.conftest import cut, list_of, tell
from tests.unit.memory.episodes.talks import DRESS, TRIP

pytestmark = pytest.mark.django_db


def night(person: Chatter, days: float = 0) -> datetime:
    at = timezone.now() + timedelta(days=days)
    layer_user(user=person.ref, now=at)
    return at


def list_layers(person: Chatter) -> list[str]:
    return [episode.layer for episode in list_of(person)]


def test_layers_follow_idle_days_and_opening_ends_the_rest_with_the_next_night(told: Chatter) -> None:
    cut(told)
    for days, layer in ((0, "hot"), (15, "warm"), (91, "cold")):
        night(told, days)
        assert list_layers(told) == [layer, layer]
    opened = timezone.now() + timedelta(days=91)
    with tenant_scope(told.tenant.id):
        note_accesses(user=told.ref, episode_ids=[list_of(told)[0].id], now=opened)
    assert list_layers(told) == ["cold", "cold"]
    night(told, 92)
    assert list_layers(told) == ["hot", "cold"]
    assert [each.access_count for each in list_of(told)] == [1, 0]


def test_anchors_never_go_cold_and_facts_make_the_episode_of_their_words_one(alice: Chatter) -> None:
    alice.clock = timezone.now() - timedelta(hours=2)
    tell(alice, *TRIP, "u: Another thing: I am allergic to wool", "a: Noted.")
    cut(alice)
    night(alice, 200)
    assert list_layers(alice) == ["cold", "warm"]
    assert [each.anchored_by for each in list_of(alice)] == [(), ("profile",)]
    assert list_of(alice)[1].parts[2] == pytest.approx(0.3)


def test_an_episode_that_goes_on_with_an_earlier_one_says_so(alice: Chatter) -> None:
    for hours in (90, 60, 30):
        alice.clock = timezone.now() - timedelta(hours=hours)
        tell(alice, *(DRESS if hours == 60 else TRIP))
    cut(alice)
    night(alice)
    first, other, again = list_of(alice)
    assert again.continues_from == first.id
    assert first.id in again.related_to
    assert other.continues_from is None


def test_what_is_asked_lately_raises_the_likeness_of_what_speaks_of_it(told: Chatter) -> None:
    cut(told)
    told.clock = timezone.now() - timedelta(minutes=5)
    tell(told, "u: the navy dress for the wedding, the wedding dress")
    night(told)
    trip, dress = (each.parts[3] for each in list_of(told))
    assert dress > trip


def find(person: Chatter, text: str) -> list[tuple[Any, float]]:
    with tenant_scope(person.tenant.id):
        found = search_messages(SearchQuery(user=person.ref, text=text), now=timezone.now())
    return [(card.message_id, card.score) for card in found.results]


def test_a_search_is_the_same_to_the_bit_whatever_the_layer(told: Chatter) -> None:
    before = find(told, "hotel in Lisbon with breakfast")
    assert before
    cut(told)
    for layer in ("hot", "warm", "cold"):
        with tenant_scope(told.tenant.id):
            Episode.objects.update(layer=layer, priority=0.9, access_count=50)
        assert find(told, "hotel in Lisbon with breakfast") == before
    night(told, 100)
    assert find(told, "hotel in Lisbon with breakfast") == before


@pytest.mark.django_db(transaction=True)
def test_a_round_gives_every_user_a_turn_once_and_goes_on_where_it_stopped(
    told: Chatter, bob: Chatter, as_role: Callable[[str], None]
) -> None:
    bob.clock = timezone.now() - timedelta(hours=2)
    tell(bob, *TRIP)
    cut(told)
    cut(bob)
    as_role("worker")
    now = timezone.now()
    assert run_round(now=now, max_seconds=0) == 0
    assert run_round(now=now, max_seconds=60) >= 2
    assert run_round(now=now, max_seconds=60) == 0
    tomorrow = now + timedelta(days=1)
    waiting = {user.id for user in claim_users("claim_unlayered_users_v1", now=tomorrow, limit=1000)}
    assert {told.ref.id, bob.ref.id} <= waiting
