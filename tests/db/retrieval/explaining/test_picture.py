"""The picture of a query: bars that add up, fates that agree with the pack, whatever the recipe."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from memory.tenants.scope import tenant_scope
from retrieval.configuration import get_pipeline
from retrieval.explaining.picture import PackPicture, draw_picture
from retrieval.pipeline import make_parts
from retrieval.search.recipes import DEFAULT, RRF60, Recipe
from retrieval.types import ContextQuery
from tests.cast import Chatter


def draw(person: Chatter, text: str, *, recipe: Recipe = DEFAULT, max_tokens: int | None = None) -> PackPicture:
    pipeline = replace(get_pipeline(), recipe=recipe)
    user = person.ref
    with tenant_scope(person.tenant.id):
        query = ContextQuery(user=user, text=text, max_tokens=max_tokens)
        parts = make_parts(query, now=timezone.now(), pipeline=pipeline)
    return draw_picture(parts, recipe=recipe, total=max_tokens or pipeline.policy.total)


@pytest.fixture
def talked(alice: Chatter) -> Chatter:
    long_ago = timezone.now() - timedelta(days=300)
    alice.say("always show me dresses with sleeves when I ask for something", created_at=long_ago)
    alice.say("the dress with sleeves was a gift of my sister")
    alice.hear("Which dress do you mean, the one with sleeves?")
    alice.say("второе платье с рукавом")
    alice.say("my size is M")
    return alice


@pytest.mark.parametrize("recipe", [DEFAULT, RRF60])
@pytest.mark.parametrize("question", ["can you recommend a dress with sleeves?", "платье с рукавом", "dress last week"])
def test_bars_add_up_to_scores_and_none_is_wider_than_the_best(talked: Chatter, recipe: Recipe, question: str):
    picture = draw(talked, question, recipe=recipe)
    assert picture.candidates
    for line in picture.candidates:
        assert sum(bar.value for bar in line.bars) == pytest.approx(line.score, rel=1e-6)
        assert 0 < sum(bar.width for bar in line.bars) <= 100.1
    assert sum(bar.width for bar in picture.candidates[0].bars) == pytest.approx(100, abs=0.1)


def test_fates_agree_with_the_pack(talked: Chatter):
    picture = draw(talked, "can you recommend a dress with sleeves?")
    chosen = {line.message_id for line in picture.candidates if line.fate == "chosen"}
    assert chosen == {card.message_id for card in picture.parts.assembly.cards}
    assert len(chosen) <= picture.max_cards
    assert {card.message_id for card in picture.cards_in_order} == chosen


def test_factors_are_said_in_words(talked: Chatter):
    chips = [chip.text for line in draw(talked, "can you recommend a dress?").candidates for chip in line.chips]
    assert any(text.startswith("age ×0.9") for text in chips)
    assert not any("×1.00" in text and not text.startswith("age") for text in chips)


def test_the_budget_is_drawn_to_its_total(talked: Chatter):
    picture = draw(talked, "can you recommend a dress?", max_tokens=1_500)
    assert picture.total == 1_500
    assert max(max(slot.used_width, slot.allotted_width) for slot in picture.slots) == 100
    assert picture.used == sum(slot.used for slot in picture.slots)


def test_nothing_found_is_a_picture_too(talked: Chatter):
    assert draw(talked, "the of and").candidates == []
