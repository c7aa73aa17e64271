"""A pattern is edited with one alternative a line, and what comes back is the same pattern."""

from __future__ import annotations

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from patterns.alternatives import LONG_GROUP, escape_breaks, join_lines, lay_out, split_alternatives
from patterns.rules.pack import SHIPPED, load_pack


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
    assert join_lines(alternatives) == pattern


@pytest.mark.parametrize("pattern", ["[", "((((", "a)|b", r"\Qa|b", "\\", "[^", "[[:alpha:", "a|(b|c", "|", "a||b"])
def test_a_pattern_that_does_not_compile_comes_back_with_the_same_characters(pattern: str) -> None:
    assert "|".join(split_alternatives(pattern)) == pattern


def test_every_shipped_pattern_comes_back_as_it_was() -> None:
    for rule in load_pack(SHIPPED).rules:
        assert join_lines(lay_out(rule.pattern)) == rule.pattern
        for alternative in split_alternatives(rule.pattern):
            re2.compile(alternative)


def test_an_empty_line_is_no_alternative() -> None:
    assert join_lines(["a", "", "  ", "b", ""]) == "a|b"


def test_a_line_break_inside_a_pattern_is_written_as_an_escape_that_matches_the_same() -> None:
    assert escape_breaks("a\nb|c") == r"a\nb|c"
    assert re2.fullmatch(escape_breaks("a\nb"), "a\nb")


class TestLongGroups:
    FIRST = "(?:ال)?(?:حساسيه مفرطه من الصوف|حساسيتي قديمه من كل انواع القماش الصناعي|تحسس)(?: شديد)?"

    def test_each_alternative_of_a_long_group_has_a_line_of_its_own(self) -> None:
        assert lay_out(self.FIRST) == (
            "(?:ال)?(?:", "حساسيه مفرطه من الصوف", "حساسيتي قديمه من كل انواع القماش الصناعي", "تحسس", ")(?: شديد)?",
        )  # fmt: skip

    def test_a_short_group_stays_in_its_line(self) -> None:
        assert lay_out("(?:a|b) c|d") == ("(?:a|b) c", "d")

    def test_a_line_that_is_added_inside_a_group_becomes_an_alternative_of_that_group(self) -> None:
        lines = [*lay_out(self.FIRST)]
        lines.insert(3, "اتحسس")
        assert join_lines(lines) == self.FIRST.replace("|تحسس)", "|اتحسس|تحسس)")

    def test_groups_in_groups_are_laid_out_too(self) -> None:
        inner = "(?:" + "|".join(f"word{number}" for number in range(20)) + ")"
        pattern = f"x|(?:a|{inner} b|c)(d)"
        assert lay_out(pattern)[:4] == ("x", "(?:", "a", "(?:")
        assert join_lines(lay_out(pattern)) == pattern

    def test_a_space_at_the_beginning_of_an_alternative_stays(self) -> None:
        pattern = f"b(?: {'a' * LONG_GROUP}| c)?"
        assert lay_out(pattern)[2] == " c"
        assert join_lines(lay_out(pattern)) == pattern

    @given(st.lists(st.sampled_from(["(", "(?:", "(?i:", "|", ")", "a" * 30, " ", "\\", "[", "]", r"\Q", r"\E", "?"])))
    def test_whatever_stands_in_a_pattern_comes_back(self, pieces: list[str]) -> None:
        pattern = "".join(pieces)
        lines = lay_out(pattern)
        assert pattern in (join_lines(lines), "|".join(lines))
