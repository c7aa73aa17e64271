"""What time makes of a fact: outdated, and what never becomes so."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from config.settings.tuning import OUTDATED_AFTER
from memory.epistemics import find_epistemic_type, find_unproven_type
from memory.types import Fact

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


def make_fact(knowledge_type: str, *, days_ago: int, **more: Any) -> Fact:
    said = NOW - timedelta(days=days_ago)
    return Fact(
        UUID(int=1), knowledge_type, "key", "value", 0.95, "instant_pattern", "confirmed_by_user", said, said, 1, **more
    )


def find(fact: Fact, at: datetime = NOW) -> str:
    return find_epistemic_type(fact, at=at, outdated_after=OUTDATED_AFTER)


@pytest.mark.parametrize(
    ("knowledge_type", "days_ago", "expected"),
    [
        ("budget", 180, "fact"),
        ("budget", 181, "outdated"),
        ("brand_preference", 181, "outdated"),
        ("body_params", 200, "fact"),
        ("body_params", 366, "outdated"),
        ("onboarding_style", 366, "outdated"),
        ("allergy", 5_000, "fact"),
        ("hard_ban", 5_000, "fact"),
    ],
)
def test_what_nobody_said_again_is_outdated_but_never_an_allergy_or_a_ban(
    knowledge_type: str, days_ago: int, expected: str
):
    assert find(make_fact(knowledge_type, days_ago=days_ago)) == expected


def test_what_was_said_again_counts_from_then():
    fact = make_fact("budget", days_ago=400)
    assert find(Fact(*(getattr(fact, name) for name in fact.__struct_fields__[:8]), NOW, 1)) == "fact"


def test_what_is_closed_or_expired_is_outdated_from_that_moment_on():
    ended = NOW - timedelta(days=2)
    closed = make_fact("allergy", days_ago=10, invalid_at=ended, is_active=False)
    expired = make_fact("life_event", days_ago=10, expires_at=ended)
    for fact in (closed, expired):
        assert [find(fact, at=moment) for moment in (ended - timedelta(seconds=1), ended, NOW)] == [
            "fact",
            "outdated",
            "outdated",
        ]


def test_a_stored_type_stays_while_it_holds():
    assert find(make_fact("brand_preference", days_ago=1, epistemic_type="preference")) == "preference"


def test_what_nobody_has_checked_is_an_opinion_and_a_declared_taste_a_preference():
    assert find_unproven_type("candidate", "allergy") == "opinion"
    assert find_unproven_type("adaptive", "behaviour_pattern") == "opinion"
    assert find_unproven_type("adaptive", "preference") == "preference"
