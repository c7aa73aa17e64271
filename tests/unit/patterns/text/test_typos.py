"""Words with one letter wrong are mended among few that matter; ordinary words that look alike stay."""

from __future__ import annotations

import pytest

from patterns.text.typos import Typos

TYPOS = Typos(("leather", "polyester", "recommend", "allergic", "никель", "предлагай", "stripes"))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("lether", "leather"),
        ("polyster", "polyester"),
        ("polyesetr", "polyester"),
        ("reccomend", "recommend"),
        ("alergic", "allergic"),
        ("никиль", "никель"),
        ("предлогай", "предлагай"),
    ],
)
def test_a_slip_leads_to_the_word_that_is_meant(typed: str, meant: str) -> None:
    assert TYPOS.mend(typed) == meant


@pytest.mark.parametrize("word", ["weather", "strikes", "letter", "предлагал", "предлагаю", "wool", "leathery"])
def test_other_words_stay(word: str) -> None:
    assert TYPOS.mend(word) == word


def test_a_word_that_could_be_two_is_left_alone() -> None:
    assert Typos(("stable", "staple")).mend("stale") == "stale"


def test_an_order_with_slips_is_still_a_ban(read) -> None:
    assert read("dont reccomend lether") == {"hard_ban/leather"}


@pytest.mark.parametrize("text", ["stripped jeans please", "the weather is nice", "никого в шёлке не видела"])
def test_ordinary_words_make_no_facts(read, text: str) -> None:
    assert read(text) == set()
