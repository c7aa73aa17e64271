"""What stands between words: the short list says what RE2's own classes say."""

import sys
import unicodedata
from typing import Final

import re2

from patterns.matching.triggers import compile_pattern
from patterns.rules.ruleset import RuleSet
from patterns.text.folding import fold_text

RE2_EDGE: Final = re2.compile(r"[^\pL\pN\pM_]")
WRITTEN: Final = frozenset(
    (
        *range(0x2C00),  # all alphabets of people's messages, punctuation, currency, arrows, signs
        *range(0x2E00, 0x2E80),
        *range(0x3000, 0x3040),
        *range(0xFD3E, 0xFE00),  # Arabic signs
        *range(0x1F000, 0x1FB00),  # emoji
    )
)


def list_folded() -> list[str]:
    """Every character that there is and that a folded text may have."""
    there = (chr(code) for code in range(sys.maxunicode + 1))
    return [letter for letter in there if unicodedata.category(letter) not in ("Cs", "Cn") and is_folded(letter)]


def is_folded(letter: str) -> bool:
    return letter.isascii() or fold_text(letter)[0] == letter


def parts_in_re2(letter: str) -> bool:
    return RE2_EDGE.search(letter) is not None


def parts(letter: str) -> bool:
    return compile_pattern("x").search(f"x{letter}".encode()) is not None


def test_what_people_write_parts_words_as_in_re2_and_nothing_else_does() -> None:
    parting = {letter for letter in list_folded() if parts_in_re2(letter)}
    told = set(filter(parts, list_folded()))
    assert sorted(told - parting) == []
    assert sorted({letter for letter in parting if ord(letter) in WRITTEN} - told) == []


def test_an_expression_is_short() -> None:
    assert compile_pattern("x").programsize < 600  # 2,710 with the classes of RE2


def test_the_expressions_of_all_shipped_rules_are_short(rule_set: RuleSet) -> None:
    """Some 140 bytes an instruction stay in every process that has tried them."""
    assert sum(compile_pattern(rule.pattern).programsize for rule in rule_set.rules) < 300_000
