"""Which side of a reaction names what brings it, where an "and" follows."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("el polyester y7akkni w el qotn la", {"allergy/polyester"}),
        ("الكشمير يسبب لي طفح والقطن مريح", {"allergy/cashmere"}),
        ("النيكل يسبب لي حساسية والذهب ما أنزعه", {"allergy/nickel"}),
        ("النيكل يسبب لي حساسية والذهب", {"allergy/nickel", "allergy/gold"}),
        ("يسبب لي طفح الكشمير", {"allergy/cashmere"}),
    ],
)
def test_what_follows_an_and_brings_the_reaction_only_where_nothing_is_said_of_it(
    read, text: str, facts: set[str]
) -> None:
    assert read(text) == facts


def test_yes_indeed_asks_nothing(read) -> None:
    assert read("إي نعم مقاسي ٤٤") == {"body_params/size=44"}
