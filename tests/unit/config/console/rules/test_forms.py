"""Forms of the rule console for words of the grammar: refused at the field that is wrong, before anything is tried."""

from __future__ import annotations

from typing import Any

import pytest

from config.console.rules.forms import AlternativesField, EntryForm, ListForm, read_list_initial
from patterns.grammar.grammar import list_grammar
from patterns.grammar.kinds import AFFIXES, WORDS
from patterns.kinds.table import SORTS
from patterns.models import LexiconEntry
from patterns.rules.pack import SHIPPED, load_pack

AFFIX_LIST = next((name for name, known in list_grammar().items() if known.category == AFFIXES), "")


def fill(**changed: str) -> dict[str, str]:
    fields = {"category": WORDS, "canonical": "nobody", "language": "other", "scope": "own"}
    return fields | {"aliases": "nahi\nनहीं"} | changed


def find_errors(form: Any) -> dict[str, str]:
    return {name: " ".join(errors) for name, errors in form.errors.items()}


@pytest.mark.parametrize(
    ("changed", "field", "reason"),
    [
        ({"canonical": "no_body"}, "canonical", "there is no list “no_body”; did you mean “nobody”"),
        ({"canonical": "zanzibar"}, "canonical", "see Grammar lists"),
        ({"category": AFFIXES}, "category", "is a list of the category grammar_word"),
        ({"aliases": "koi nahi"}, "aliases", "“koi nahi” is more than one word"),
    ],
)
def test_words_that_nothing_would_ask_for_are_refused_at_their_field(
    changed: dict[str, str], field: str, reason: str
) -> None:
    form = EntryForm(fill(**changed), is_installation=False)
    assert list(find_errors(form)) == [field]
    assert reason in find_errors(form)[field]


def test_a_fault_of_the_category_shows_at_the_list_where_the_category_does_not_show() -> None:
    assert list(find_errors(ListForm(fill(category=AFFIXES), is_installation=False))) == ["canonical"]


def test_words_of_a_known_list_are_taken() -> None:
    form = EntryForm(fill(), is_installation=False)
    assert form.errors == {}
    assert form.make_entry().aliases == ("nahi", "नहीं")


def test_vocabulary_is_not_asked_for_by_the_name_of_a_list() -> None:
    form = EntryForm(fill(category="fabric", canonical="wool", aliases="boiled wool"), is_installation=False)
    assert form.errors == {}


def test_the_form_of_a_list_says_what_it_is_asked_for_and_has_no_field_for_inflected_forms() -> None:
    form = ListForm(initial={"category": WORDS, "canonical": "nobody", "language": "other"}, is_installation=False)
    form.lock_name()
    assert form.fields["canonical"].help_text == list_grammar()["nobody"].purpose
    assert "each form written out" in form.fields["aliases"].help_text
    assert "Hindi" in form.fields["language"].help_text
    assert "forms_" not in form.fields


def test_a_list_that_nothing_asks_for_any_more_says_so_where_others_say_what_they_are_for() -> None:
    form = ListForm(initial={"category": WORDS, "canonical": "bygone_words"}, is_installation=False)
    form.lock_name()
    assert "this list is no longer used" in form.fields["canonical"].help_text


@pytest.mark.skipif(not AFFIX_LIST, reason="there is no list of parts of words")
def test_parts_of_words_are_written_without_a_hyphen() -> None:
    form = ListForm(initial={"category": AFFIXES, "canonical": AFFIX_LIST}, is_installation=False)
    assert "without a hyphen" in form.fields["aliases"].help_text


def test_inflected_forms_of_a_list_show_among_its_words_so_that_keeping_loses_none() -> None:
    row = LexiconEntry(category=WORDS, canonical="nobody", language="ru", aliases=["никто"], forms=["никого", "никто"])
    shown = read_list_initial(row)
    assert shown["aliases"] == "никто\nникого"
    form = ListForm({**shown, "scope": "own"}, is_installation=False)
    assert form.is_valid()
    assert form.make_entry().aliases == ("никто", "никого")


ARABIC = "عندي حساسيه (?:من|ضد)|i balloon up (?:from|at)|3indi 7asasiya"


class TestPatterns:
    def test_a_stored_pattern_is_shown_with_one_alternative_a_line_and_as_many_rows(self) -> None:
        field = AlternativesField()
        shown = field.prepare_value("|".join(["a (?:b|c)"] * 12))
        assert shown.split("\n") == ["a (?:b|c)"] * 12
        field.fit_rows("|".join(["a"] * 12))
        assert field.widget.attrs["rows"] == 12

    def test_what_comes_back_from_the_form_is_the_same_pattern(self) -> None:
        field = AlternativesField(required=False)
        shown = field.prepare_value(ARABIC)
        assert shown.count("\n") == 2
        assert field.clean(shown.replace("\n", "\r\n")) == ARABIC

    def test_what_somebody_typed_is_shown_again_as_typed(self) -> None:
        assert AlternativesField().prepare_value("a|b\r\n\r\nc") == "a|b\r\n\r\nc"

    def test_each_line_has_a_direction_of_its_own(self) -> None:
        assert AlternativesField().widget.attrs["dir"] == "auto"


def test_every_kind_of_a_shipped_rule_is_in_the_list() -> None:
    for rule in load_pack(SHIPPED).rules:
        assert rule.kind in SORTS[rule.knowledge_type]
