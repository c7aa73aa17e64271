"""mem0's filters: what fits, whose memories are meant, and what is refused."""

from typing import Any

import pytest

from config.mem0.errors import BadRequest
from config.mem0.filters import find_users, fits, is_named, normalise
from config.mem0.rendering import is_expired, name_user, read_content, read_moment, split_user

MEMORY = {
    "id": "m-1",
    "memory": "Red apple",
    "user_id": "alice",
    "agent_id": None,
    "run_id": "r-1",
    "metadata": {"n": 2, "tags": ["a", "b"]},
    "categories": ["food"],
    "created_at": "2026-03-02T08:00:00+00:00",
}


@pytest.mark.parametrize(
    ("wanted", "does"),
    [
        ({"user_id": "alice"}, True),
        ({"user_id": "*"}, True),
        ({"agent_id": "*"}, False),
        ({"AND": [{"user_id": "alice"}, {"run_id": "r-2"}]}, False),
        ({"OR": [{"user_id": "bob"}, {"run_id": {"in": ["r-1"]}}]}, True),
        ({"NOT": [{"user_id": "bob"}]}, True),
        ({"metadata": {"n": 2}}, True),
        ({"metadata": {"n": {"gt": 2}}}, False),
        ({"metadata": {"tags": {"contains": "a"}}}, True),
        ({"categories": {"contains": "food"}}, True),
        ({"keywords": {"icontains": "APPLE"}}, True),
        ({"created_at": {"gte": "2026-03-01", "lte": "2026-03-03"}}, True),
        ({"memory_ids": ["m-2"]}, False),
        ({"userId": "alice"}, True),
    ],
)
def test_a_filter_fits_what_it_says(wanted: dict[str, Any], does: bool) -> None:
    assert fits(MEMORY, normalise(wanted)) is does


@pytest.mark.parametrize(
    ("wanted", "users"),
    [
        ({"user_id": "alice"}, {"alice"}),
        ({"AND": [{"user_id": "alice"}, {"run_id": "x"}]}, {"alice"}),
        ({"AND": [{"user_id": "alice"}, {"user_id": "bob"}]}, set()),
        ({"OR": [{"user_id": "alice"}, {"user_id": "bob"}]}, {"alice", "bob"}),
        ({"OR": [{"user_id": "alice"}, {"run_id": "x"}]}, None),
        ({"NOT": [{"user_id": "alice"}]}, None),
        ({"user_id": {"in": ["a", "b"]}}, {"a", "b"}),
        ({"user_id": "*"}, None),
        ({}, None),
    ],
)
def test_the_users_that_a_filter_can_be_about(wanted: dict[str, Any], users: set[str] | None) -> None:
    found = find_users(normalise(wanted))
    assert found == (None if users is None else frozenset(users))


@pytest.mark.parametrize(
    ("wanted", "is_said"),
    [
        ({"user_id": "*"}, True),
        ({"agent_id": {"in": []}}, True),
        ({"memory_ids": []}, True),
        ({"AND": [{"created_at": {"gte": "2026"}}, {"id": "m-1"}]}, True),
        ({"OR": [{"user_id": "alice"}, {"run_id": {"icontains": "r"}}]}, True),
        # A variable that is not set: everybody's memories that have no such name would fit.
        ({"user_id": None}, False),
        ({"agent_id": ""}, False),
        ({"agent_id": {"eq": None}}, False),
        ({"agent_id": {"in": [None]}}, False),
        ({"user_id": {"contains": ""}}, False),
        ({"metadata": {}}, False),
        # What is left over, or after a name, names nobody.
        ({"user_id": {"ne": "bob"}}, False),
        ({"user_id": {"nin": ["bob"]}}, False),
        ({"user_id": {"gt": ""}}, False),
        ({"OR": [{"user_id": "alice"}, {"user_id": None}]}, False),
    ],
)
def test_a_filter_says_whose_memories_are_meant(wanted: dict[str, Any], is_said: bool) -> None:
    assert is_named(normalise(wanted)) is is_said


@pytest.mark.parametrize(
    "wanted",
    [
        {"colour": "red"},
        {"user_id": {"regex": "."}},
        ["user_id"],
        {"AND": ["x"]},
        # No condition would fit everything.
        {"user_id": {}},
        {"metadata": {"color": {}}},
        {"NOT": [{"metadata": {}}]},
    ],
)
def test_what_is_not_understood_is_refused(wanted: Any) -> None:
    with pytest.raises(BadRequest):
        normalise(wanted)


def test_entities_stand_for_users() -> None:
    assert name_user({"user_id": "u", "agent_id": "a"}) == "u"
    assert name_user({"agent_id": "a"}) == "agent:a"
    assert name_user({}) is None
    assert (split_user("agent:a"), split_user("u"), split_user("mail:x")) == (
        ("agent", "a"),
        ("user", "u"),
        ("user", "mail:x"),
    )


def test_contents_times_and_days_are_read() -> None:
    from datetime import date

    assert read_content([{"type": "text", "text": "a"}, {"type": "image_url"}, {"text": "b"}]) == "a\nb"
    assert (read_moment(None), read_moment("2026-03-02T08:00:00Z")) == (None, "2026-03-02T08:00:00Z")
    assert str(read_moment(0)).startswith(("1970", "1969"))
    assert is_expired({"expiration_date": "2026-03-01"}, date(2026, 3, 2))
    assert not is_expired({"expiration_date": "soon"}, date(2026, 3, 2))
