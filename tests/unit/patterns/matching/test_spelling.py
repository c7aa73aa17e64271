"""Patterns as staff type them, in the spelling that messages have when rules see them."""

import pytest

from patterns.matching.spelling import spell_pattern


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("I Balloon up", "i balloon up"),
        ("моё тёплое", "мое теплое"),
        ("حساسية من", "حساسيه من"),
        ("से एलर्जी है", "से एलर्जी है"),
        (r"[\pL\pN]{0,5} Foo", r"[\pL\pN]{0,5} foo"),
        (r"\pL\PN(?P<Value>A|B){1,3}", r"\pL\PN(?P<Value>a|b){1,3}"),
        ("[ёе]лка", "[ее]лка"),
        (r"\(Foo\)", r"\(foo\)"),
    ],
)
def test_text_is_folded_and_syntax_is_left_alone(typed: str, kept: str) -> None:
    assert spell_pattern(typed) == kept


def test_folding_twice_changes_nothing() -> None:
    for pattern in ("Моё|[Ёё]ж", "से एलर्जी है", "x{2,3}Y", "[^A-Z]+"):
        assert spell_pattern(spell_pattern(pattern)) == spell_pattern(pattern)
