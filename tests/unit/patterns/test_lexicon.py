from __future__ import annotations

import pytest

from patterns.lexicon import DECOY, Entry, Lexicon
from patterns.normaliser import normalise


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon(
        [
            Entry("fabric", "leather", "en", ("leather",)),
            Entry("fabric", "leather", "ar", ("جلد",)),
            Entry("fabric", "wool", "arabizi", ("soof",)),
            Entry("cut", "open_back", "en", ("open back",)),
            Entry("fabric", "leather", "ru", ("кожа",), ("кожу", "кожей")),
            Entry(DECOY, "not_leather", "en", ("faux leather",)),
        ]
    )


def find(lexicon: Lexicon, text: str, start: int = 0):
    return lexicon.find(normalise(text).tokens, start)


def test_the_longest_alias_wins(lexicon: Lexicon) -> None:
    match = find(lexicon, "open back dresses")
    assert (match.canonical, match.start, match.end) == ("open_back", 0, 2)


@pytest.mark.parametrize("text", ["الجلد", "بالجلد", "للجلد", "جلد"])
def test_attached_arabic_particles_are_looked_through(lexicon: Lexicon, text: str) -> None:
    assert find(lexicon, text).canonical == "leather"


def test_an_attached_and_is_reported(lexicon: Lexicon) -> None:
    assert find(lexicon, "والجلد").has_and


def test_the_arabizi_article_is_looked_through(lexicon: Lexicon) -> None:
    assert find(lexicon, "elsoof").canonical == "wool"
    assert find(lexicon, "alleather") is None


def test_written_out_forms_are_found(lexicon: Lexicon) -> None:
    assert find(lexicon, "кожей").canonical == "leather"


def test_a_decoy_hides_what_it_covers(lexicon: Lexicon) -> None:
    matches = lexicon.scan(normalise("faux leather, leather").tokens)
    assert [(m.category, m.start) for m in matches] == [(DECOY, 0), ("fabric", 3)]


def test_a_search_keeps_to_its_categories(lexicon: Lexicon) -> None:
    assert lexicon.find(normalise("leather").tokens, 0, categories={"cut"}) is None
