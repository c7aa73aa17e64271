"""Lists of grammar as staff look for them."""

from __future__ import annotations

import pytest

from patterns.grammar.grammar import list_grammar
from patterns.grammar.kinds import AFFIXES, WORDS
from patterns.matching.word_lists import find_purpose, list_sections, search_lists, suggest_lists


@pytest.mark.parametrize("text", ["they_said", "they said", "They Said", "only others are the subject"])
def test_a_list_is_found_by_its_name_and_by_what_it_is_asked_for(text: str) -> None:
    assert "they_said" in search_lists(text)


def test_what_no_list_has_finds_none() -> None:
    assert search_lists("zanzibar") == []


def test_every_list_stands_in_one_section_and_each_section_says_what_it_is_on() -> None:
    names = [name for section in list_sections() for name in section.names]
    assert sorted(names) == sorted(list_grammar())
    assert [section.sentence for section in list_sections() if not section.sentence.startswith("Lists on ")] == []


def test_only_the_rows_of_a_list_that_is_asked_for_have_a_purpose() -> None:
    assert find_purpose(category=WORDS, canonical="nobody") == list_grammar()["nobody"].purpose
    assert find_purpose(category=AFFIXES, canonical="nobody") is None
    assert find_purpose(category=WORDS, canonical="bygone_words") is None
    assert find_purpose(category="fabric", canonical="nobody") is None


def test_a_mistyped_name_leads_to_the_one_that_was_meant() -> None:
    assert suggest_lists("No body")[0] == "nobody"
