"""A talk of Alice about two topics, two hours ago: its session is over."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.episodes.cutting import cut_user
from memory.episodes.selectors import list_episodes
from memory.episodes.types import OpenEpisode
from tests.cast import Chatter
from tests.unit.memory.episodes.talks import DRESS, TRIP


def tell(person: Chatter, *said: str, **more: Any) -> None:
    """Say "u: ..." and "a: ..." a minute apart."""
    for text in said:
        person.say(text[2:].strip(), role="user" if text.startswith("u:") else "assistant", **more)


def cut(person: Chatter, **more: Any) -> int:
    return cut_user(user=person.ref, now=more.pop("now", timezone.now()), **more)


def list_of(person: Chatter, **more: Any) -> list[OpenEpisode]:
    """The person's episodes, oldest first."""
    return person.read(list_episodes, limit=100, **more)[::-1]


@pytest.fixture
def told(alice: Chatter) -> Chatter:
    alice.clock = timezone.now() - timedelta(hours=2)
    tell(alice, *TRIP, *DRESS)
    return alice
