"""What stands between words: the short list says what RE2's own classes say."""

import sys
import unicodedata
from typing import Final

import re2

from patterns.matching.triggers import compile_pattern
from patterns.rules.ruleset import RuleSet

RE2_EDGE: Final = re2.compile(r"[^\pL\pN\pM_]")


def test_every_character_that_there_is_parts_words_as_in_re2() -> None:
    found = compile_pattern("x")
    letters = [
        letter for letter in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(letter) not in ("Cs", "Cn")
    ]
    told = [
        letter
        for letter in letters
        if (found.search(f"x{letter}".encode()) is not None) != (RE2_EDGE.search(letter) is not None)
    ]
    assert told == []


def test_an_expression_is_short() -> None:
    assert compile_pattern("x").programsize < 1_200  # 2,710 with the classes of RE2


def test_the_expressions_of_all_shipped_rules_are_short(rule_set: RuleSet) -> None:
    """Some ninety bytes an instruction stay in every process that has tried them."""
    assert sum(compile_pattern(rule.pattern).programsize for rule in rule_set.rules) < 400_000
