"""The check of a pattern says what is wrong with it in words, whatever was typed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from patterns.matching.spelling import spell_pattern
from patterns.rule import Rule
from patterns.rules.lint import lint_rule, list_pattern_advice, list_pattern_problems, list_spelling_advice
from patterns.rules.pack import Pack, PackError, compile_packs

# Python's parser speaks of sets in sets; RE2 knows none.
pytestmark = pytest.mark.filterwarnings("ignore:Possible (nested set|set )")

PIECES = (
    *("(", ")", "[", "]", "{", "}", "|", "*", "+", "?", ".", "^", "$", "\\", "-", ",", "<", ">", "=", "!", ":", "&&"),
    *("(?:", "(?P<", "(?i)", "(?#", "[^", "[[:", ":]]", "\\p", "\\pL", "\\p{Lu}", "\\C", "\\Q", "\\E", "\\x{", "\\N{"),
    *("{2,5}", "{999}", "i am", "wool", "ه", "ё", "\0", "\ud800", "\U0001f600", "9", " "),
)
PATTERNS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))
RULE = Rule("made-up", "allergy", "en", "extract", "", "x", ("a", "b"), ("c", "d"))


@given(PATTERNS)
@example("[")
@example("\\C")
@example("((((")
@example("(" * 5000)
@example("(?:" * 3000 + "ab" + ")" * 3000)
@example("(?P<a>b)(?P<a>c)")
@example("a{1000}{1000}")
@example("wo\ud800ol")
def test_no_text_makes_the_check_of_a_pattern_fail(pattern: str) -> None:
    for text in (pattern, spell_pattern(pattern)):
        assert all(isinstance(problem, str) for problem in list_pattern_problems(text))
        list_pattern_advice(text)
        list_spelling_advice(text, {})


@given(PATTERNS)
@example("wool[")
@example("wool)(?:")
@example("(?i)wool")
def test_what_the_check_lets_through_compiles(pattern: str) -> None:
    rule = replace(RULE, pattern=pattern)
    if lint_rule(rule):
        with pytest.raises(PackError):
            compile_packs([Pack("made-up", (rule,), ())], version=0)
    else:
        assert compile_packs([Pack("made-up", (rule,), ())], version=0).rules


@pytest.mark.parametrize("pattern", ["wool[", "wool)(?:cotton", "[", "\\C"])
def test_a_pattern_must_be_whole_by_itself(pattern: str) -> None:
    """Behind what the gate puts around it an open bracket would be closed."""
    assert list_pattern_problems(pattern)


def test_a_class_of_letters_by_its_long_name_may_stand_in_a_pattern() -> None:
    assert list_pattern_problems("wool \\p{Cyrillic}") == []
