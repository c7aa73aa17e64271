"""Tastes that say the same are found whatever their order, and never across a "not" or a number (BRAIN 2.3.0.1 D)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.extraction.judging.likeness import Alike, find_alike, merge_alike, read_side
from memory.extraction.types import Item
from patterns.rules.ruleset import RuleSet
from retrieval.embedding.hashed import HashedEmbedder

THEN = datetime(2026, 3, 1, tzinfo=UTC)
CAPS = {"preference": 0.5, "behaviour_pattern": 0.6}


def make_item(number: int, value: str = "", **more: Any) -> Item:
    said_at = THEN + timedelta(days=number)
    defaults = {
        "item_type": "preference",
        "key": f"key{number}",
        "confidence": 0.3,
        "evidence_message_ids": (UUID(int=100 + number),),
        "first_said_at": said_at,
        "last_said_at": said_at,
        "expires_at": said_at + timedelta(days=180),
    }
    return Item(id=UUID(int=number), value=value, **{**defaults, **more})


def find(items: list[Item], rules: RuleSet) -> list[Alike]:
    values = [item.value for item in items]
    return find_alike(
        items,
        vectors=HashedEmbedder().embed_documents(values),
        sides=[read_side(value, rules) for value in values],
        similarity=0.85,
        at_least=3,
    )


@pytest.mark.parametrize(
    ("values", "is_one"),
    [
        (["minimalist cuts", "minimalist cut", "cuts that are minimalist"], True),
        (["люблю минимализм", "минимализм люблю", "Минимализм, люблю"], True),
        (["احب القهوة الصباحية", "القهوة الصباحية احب", "أحب القهوة الصباحية"], True),
        (["minimalist cuts", "minimalist cut"], False),
        (["wide shapes", "not wide shapes", "wide shape"], False),
        (["wide shapes", "hate wide shapes", "wide shape"], False),
        (["shops at 9", "shops at 10", "shops at 11"], False),
        (["red shoes", "blue shoes", "green shoes"], False),
    ],
)
def test_three_that_say_the_same_are_one(rule_set: RuleSet, values: list[str], is_one: bool) -> None:
    found = find([make_item(i, value) for i, value in enumerate(values, start=1)], rule_set)
    assert len(found) == is_one
    if is_one:
        assert len(found[0].items) == len(values)


def test_types_are_never_mixed_and_one_more_joins_what_is_merged_already(rule_set: RuleSet) -> None:
    three = [make_item(i, "minimalist cuts") for i in range(1, 4)]
    three[2] = make_item(3, "minimalist cuts", item_type="behaviour_pattern")
    assert find(three, rule_set) == []
    joined = [make_item(1, "minimalist cuts", is_merged=True), make_item(2, "minimalist cut")]
    assert len(find(joined, rule_set)[0].items) == 2


def test_the_one_keeps_all_evidence_with_its_own_words_last_and_stays_within_the_cap() -> None:
    first = make_item(1, "minimalist cuts", evidence_message_ids=(UUID(int=7), UUID(int=8)))
    later = make_item(5, "minimalist cut", evidence_message_ids=(UUID(int=7), UUID(int=9)), confidence=0.4)
    draft = merge_alike(Alike((first, later), 0.9), most=20)
    assert draft.value == "minimalist cuts"
    assert draft.evidence_message_ids == (UUID(int=9), UUID(int=7), UUID(int=8))
    assert (draft.first_said_at, draft.last_said_at) == (first.first_said_at, later.last_said_at)
    assert draft.confidence == 0.5
    assert merge_alike(Alike((first, later), 0.9), most=2).evidence_message_ids == (UUID(int=7), UUID(int=8))


COORDINATES = st.tuples(st.integers(-3, 3), st.integers(-3, 3)).filter(any)


@given(st.lists(st.tuples(COORDINATES, st.sampled_from(tuple(CAPS)), st.booleans()), max_size=9), st.randoms())
def test_groups_share_nothing_are_alike_in_every_pair_and_do_not_depend_on_the_order(
    drawn: list[tuple[tuple[int, int], str, bool]], chance: Any
) -> None:
    items = [make_item(i, item_type=kind) for i, (_, kind, _) in enumerate(drawn, start=1)]
    vectors = {item.id: _unit(place) for item, (place, _, _) in zip(items, drawn, strict=True)}
    sides = {item.id: side for item, (_, _, side) in zip(items, drawn, strict=True)}

    def group(order: list[Item]) -> list[Alike]:
        return find_alike(
            order,
            vectors=[vectors[item.id] for item in order],
            sides=[sides[item.id] for item in order],
            similarity=0.85,
            at_least=3,
        )

    found = group(items)
    shuffled = list(items)
    chance.shuffle(shuffled)
    assert group(shuffled) == found
    members = [item.id for alike in found for item in alike.items]
    assert len(members) == len(set(members))
    for alike in found:
        assert len(alike.items) >= 3
        assert len({(item.item_type, sides[item.id]) for item in alike.items}) == 1
        draft = merge_alike(alike, most=20)
        assert max(item.confidence for item in alike.items) <= draft.confidence <= CAPS[draft.item_type]
        assert set(draft.evidence_message_ids) == {m for item in alike.items for m in item.evidence_message_ids}
        for one in alike.items:
            for other in alike.items:
                assert sum(a * b for a, b in zip(vectors[one.id], vectors[other.id], strict=True)) > 0.85


def _unit(place: tuple[int, int]) -> tuple[float, float]:
    length = (place[0] ** 2 + place[1] ** 2) ** 0.5
    return (place[0] / length, place[1] / length)
