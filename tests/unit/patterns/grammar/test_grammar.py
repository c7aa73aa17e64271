"""Lists of grammar: rows by name, no vocabulary."""

from __future__ import annotations

import re

import pytest

from patterns.grammar.grammar import build_grammar, list_grammar, list_grammar_problems, list_of_names
from patterns.grammar.kinds import AFFIXES, GRAMMAR_ROWS, WORDS
from patterns.matching.lexicon import Entry, Lexicon
from patterns.rules.pack import SHIPPED, load_pack
from patterns.text.normaliser import normalise

ROWS = [entry for entry in load_pack(SHIPPED).entries if entry.category in GRAMMAR_ROWS]


def test_every_row_of_the_shipped_pack_is_asked_for() -> None:
    assert [problem for row in ROWS for problem in list_grammar_problems(row)] == []


def test_every_list_has_words_in_the_shipped_pack() -> None:
    assert set(list_grammar()) == {row.canonical for row in ROWS}


def test_every_list_says_by_an_example_what_it_is_asked_for() -> None:
    assert [name for name, known in list_grammar().items() if not re.fullmatch("“.+”: .{12,}", known.purpose)] == []


def test_words_are_kept_as_messages_are_read() -> None:
    row = Entry(WORDS, "nobody", "ar", ("مَحَّد", "NOBODY"))
    assert build_grammar([row]).nobody == {"محد", "nobody"}


def test_an_ending_of_which_no_letter_is_left_is_not_at_the_end_of_every_word() -> None:
    endings = build_grammar([Entry(AFFIXES, "owner_endings", "ar", ("ـ", " ", "s"))]).owner_endings
    assert endings == ("s",)


def test_names_of_values_are_kept_as_facts_carry_them() -> None:
    row = Entry(WORDS, "women", "en", ("mother_in_law",))
    assert list_grammar_problems(row) == []
    assert build_grammar([row]).women == {"mother_in_law"}


def test_a_list_of_names_of_the_shipped_pack_holds_none_that_no_value_has() -> None:
    values = {entry.canonical for entry in load_pack(SHIPPED).entries if entry.category in ("event", "relation")}
    listed = {name for row in ROWS if row.canonical in list_of_names() for name in row.aliases}
    assert listed - values == set()


def test_rows_of_several_languages_are_one_list() -> None:
    rows = [Entry(WORDS, "nobody", "en", ("nobody",)), Entry(WORDS, "nobody", "ru", ("никто",), ("никого",))]
    assert build_grammar(rows).nobody == {"nobody", "никто", "никого"}


def test_a_listed_word_is_no_vocabulary() -> None:
    lexicon = Lexicon([Entry(WORDS, "nobody", "en", ("nobody",))])
    assert "nobody" not in lexicon.words
    assert lexicon.scan(normalise("nobody").tokens) == []
    assert "nobody" in lexicon.grammar.nobody


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (Entry(WORDS, "no_such_list", "en", ("nobody",)), "there is no list"),
        (Entry(AFFIXES, "nobody", "en", ("nobody",)), "is a list of the category grammar_word"),
        (Entry(WORDS, "nobody", "en", ("no one",)), "is more than one word"),
        (Entry(WORDS, "nobody", "en", ("nobody",), ("no one",)), "is more than one word"),
        (Entry(AFFIXES, "owner_endings", "en", ("-s",)), "is more than one word"),
        (Entry(AFFIXES, "owner_endings", "ar", ("ـ",)), "is nothing but marks"),
    ],
)
def test_a_row_that_is_never_asked_for_is_refused_in_words(row: Entry, problem: str) -> None:
    assert any(problem in found for found in list_grammar_problems(row))
