"""What a forget closed is shown by no read, and its undoing shows it again (SPEC G-1)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.facts.reading import list_facts, list_facts_as_of, list_versions
from memory.services.fact_inputs import FactInput
from memory.services.facts import put_facts
from memory.services.forgets import forget_messages, restore_forget
from memory.types import Fact
from tests.cast import Chatter, get_ids

Read = Callable[[Chatter, Fact], list[Fact]]


def read_history(alice: Chatter, fact: Fact | None = None) -> list[Fact]:
    return alice.read(list_facts, include_inactive=True, now=timezone.now(), limit=100)


def read_an_hour_ago(alice: Chatter, fact: Fact) -> list[Fact]:
    return alice.read(list_facts_as_of, moment=timezone.now() - timedelta(minutes=30))


def read_timeline(alice: Chatter, fact: Fact) -> list[Fact]:
    return alice.read(list_versions, fact=fact)


def forget(alice: Chatter, place: int) -> Any:
    """Forget what Alice said at that place."""
    message_id = get_ids(alice.said)[place]
    return forget_messages(user=alice.ref, message_ids=[message_id], actor="key:test", now=timezone.now())


@pytest.mark.parametrize("read", [read_history, read_an_hour_ago, read_timeline])
def test_a_fact_that_rests_on_a_forgotten_message_is_in_no_read_until_the_forget_is_undone(
    alice: Chatter, read: Read
) -> None:
    alice.say("I weigh 64 kg now")
    (fact,) = read_history(alice)
    batch = forget(alice, 0)
    assert read(alice, fact) == []
    restore_forget(user=alice.ref, batch_id=batch.batch_id, actor="key:test", now=timezone.now())
    assert [shown.value for shown in read(alice, fact)] == [64]


def test_a_superseded_version_whose_words_are_forgotten_leaves_the_timeline(alice: Chatter) -> None:
    alice.say("my size is S")
    alice.say("my size is M")
    (fact,) = (fact for fact in read_history(alice) if fact.is_active)
    forget(alice, 0)
    assert [version.value for version in read_timeline(alice, fact)] == ["M"]


def test_an_onboarding_fact_stays_readable_when_a_message_that_renewed_it_is_forgotten(alice: Chatter) -> None:
    budget = FactInput(knowledge_type="budget", value=500, source="onboarding")
    put_facts(tenant=alice.tenant, user_external_id=alice.name, facts=[budget], actor="key:test", now=timezone.now())
    alice.say("my budget is 500 aed")
    forget(alice, 0)
    assert [fact.value for fact in read_history(alice)] == [500]
