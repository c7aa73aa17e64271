"""Where the words around a weak statement are not known, and what limits a ban or an amount, is told by form."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "text",
    [
        "I drive a size M van",
        "I'm XL levels of tired",
        "a coffee, size L, and a croissant",
        "10 signs of a nickel allergy",
        "weights on the bar 60 kg",
        "Reviewer 5'6, 140 lbs, ordered M",
        "petite means under 160 cm",
        "mum swears wool gives me hives, it really doesn't",
        "is a budget of 500 reasonable",
        "budget for curtains: 900",
        "сумка L, а платье как на S",
        "fur is banned in California",
        "ممنوع الكعب في المستشفى",
        "don't show me jeans with rhinestones",
        "чёрное с синим не ношу",
        "remove leather from the filter",
        "юбилей завода в пятницу",
        "birthday у Zara, скидки завтра",
    ],
)
def test_what_is_not_understood_is_no_fact(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("a lifelong size 36 here", "body_params/size=36"),
        ("страдаю аллергией на никель", "allergy/nickel"),
        ("fur is banned for me", "hard_ban/fur"),
        ("remove leather from my feed", "hard_ban/leather"),
        ("budget for my wardrobe: 900", "budget/general=900"),
        ("босоножки 38, а платья 46", "body_params/size=46"),
    ],
)
def test_known_words_and_ones_own_make_nothing_strange(read, text: str, fact: str) -> None:
    assert fact in read(text)
