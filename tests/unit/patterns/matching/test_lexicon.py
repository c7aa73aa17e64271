from __future__ import annotations

from collections import deque
from gc import collect
from weakref import ref

import pytest

import patterns.matching.lexicon
from patterns.matching.lexicon import DECOY, Entry, Lexicon, share_lexicon
from patterns.text.normaliser import normalise


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


def make_entries(fabric: str) -> list[Entry]:
    return [Entry("fabric", fabric, "en", (fabric,))]


def test_the_same_entries_are_one_lexicon_and_others_another() -> None:
    first = share_lexicon(make_entries("felt"))
    assert share_lexicon(make_entries("felt")) is first
    other = share_lexicon(make_entries("tulle"))
    assert other is not first
    assert share_lexicon(make_entries("felt")) is first
    assert find(other, "felt") is None


def test_entries_in_another_order_are_another_lexicon() -> None:
    entries = make_entries("felt") + make_entries("tulle")
    first = share_lexicon(entries)
    assert share_lexicon(entries[::-1]) is not first


@pytest.fixture(autouse=True)
def keeps_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a service does; the suite keeps more (`tests/rule_sets.py`)."""
    monkeypatch.setattr(patterns.matching.lexicon, "_latest", deque(maxlen=1))


def test_a_rule_that_is_compiled_by_itself_drives_no_words_out() -> None:
    is_alive = ref(share_lexicon(make_entries("felt")))
    share_lexicon([])
    collect()
    assert is_alive()


def test_a_lexicon_that_no_set_uses_any_more_is_let_go() -> None:
    is_alive = ref(share_lexicon(make_entries("felt")))
    assert is_alive(), "the one asked for last stays"
    share_lexicon(make_entries("tulle"))
    collect()
    assert is_alive() is None
