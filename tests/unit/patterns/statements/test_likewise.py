"""What is said to be the same of another thing, and what only sounds so."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("silk brings me out in hives and so does viscose", {"allergy/silk", "allergy/viscose"}),
        ("wool makes me itch. Mohair too", {"allergy/wool", "allergy/mohair"}),
        ("I don't wear leather. Same with suede.", {"hard_ban/leather", "hard_ban/suede"}),
        ("never suggest zara, the same goes for mango", {"hard_ban/zara", "hard_ban/mango"}),
        ("no leather ever, suede either", {"hard_ban/leather", "hard_ban/suede"}),
    ],
)
def test_what_is_the_same_of_another_thing_is_read_with_it(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("wool makes me itch. Mohair too expensive", {"allergy/wool"}),
        ("I'm allergic to wool. I love cotton too", {"allergy/wool"}),
        ("I don't wear leather. Same with my sister", {"hard_ban/leather"}),
        ("silk brings me out in hives, and so does viscose?", {"allergy/silk"}),
        ("silk makes her itch and so does viscose", set()),
    ],
)
def test_what_says_more_or_asks_adds_nothing(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts
