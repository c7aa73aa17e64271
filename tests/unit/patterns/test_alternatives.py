"""A pattern is edited with one alternative a line, and what comes back is the same pattern."""

from __future__ import annotations

import pytest
import re2

from patterns.alternatives import escape_breaks, join_alternatives, split_alternatives
from patterns.pack import SHIPPED, load_pack


@pytest.mark.parametrize(
    ("pattern", "alternatives"),
    [
        ("i balloon|i swell", ("i balloon", "i swell")),
        ("(?:a|b) c|d", ("(?:a|b) c", "d")),
        (r"a\|b|c", (r"a\|b", "c")),
        (r"a\\|b", (r"a\\", "b")),
        ("[a|b]|[]|x]|[^]|y]|z", ("[a|b]", "[]|x]", "[^]|y]", "z")),
        ("[[:alpha:]|]|b", ("[[:alpha:]|]", "b")),
        (r"\Qa|b\E|c", (r"\Qa|b\E", "c")),
        (r"[\]|]|b", (r"[\]|]", "b")),
        ("عندي حساسيه|فيني حساسيه (?:من|ضد)", ("عندي حساسيه", "فيني حساسيه (?:من|ضد)")),
        (" spaces stay |b ", (" spaces stay ", "b ")),
        ("", ("",)),
    ],
)
def test_bars_outside_of_groups_and_classes_part_alternatives(pattern: str, alternatives: tuple[str, ...]) -> None:
    assert split_alternatives(pattern) == alternatives
    assert join_alternatives(alternatives) == pattern


@pytest.mark.parametrize("pattern", ["[", "((((", "a)|b", r"\Qa|b", "\\", "[^", "[[:alpha:", "a|(b|c", "|", "a||b"])
def test_a_pattern_that_does_not_compile_comes_back_with_the_same_characters(pattern: str) -> None:
    assert "|".join(split_alternatives(pattern)) == pattern


def test_every_shipped_pattern_comes_back_as_it_was() -> None:
    for rule in load_pack(SHIPPED).rules:
        assert join_alternatives(split_alternatives(rule.pattern)) == rule.pattern
        for alternative in split_alternatives(rule.pattern):
            re2.compile(alternative)


def test_an_empty_line_is_no_alternative() -> None:
    assert join_alternatives(["a", "", "  ", "b", ""]) == "a|b"


def test_a_line_break_inside_a_pattern_is_written_as_an_escape_that_matches_the_same() -> None:
    assert escape_breaks("a\nb|c") == r"a\nb|c"
    assert re2.fullmatch(escape_breaks("a\nb"), "a\nb")
