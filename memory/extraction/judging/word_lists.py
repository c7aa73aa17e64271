"""The word lists of the gate, by the name of their file (SPEC X-3). Pure; words are data."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from memory.extraction.judging.values import fold_words

_DATA: Final = Path(__file__).parent / "data"


@cache
def list_phrases(name: str) -> tuple[tuple[str, ...], ...]:
    """The phrases of a list, in the spelling in which messages are compared."""
    phrases = [phrase for line in _list_lines(name) for phrase in line.split(",")]
    return tuple(folded for phrase in phrases if (folded := fold_words(phrase)))


@cache
def list_words(name: str) -> frozenset[str]:
    """The words of all phrases of a list."""
    return frozenset(word for phrase in list_phrases(name) for word in phrase)


@cache
def list_signs(name: str) -> frozenset[str]:
    """The signs of a list as they are typed."""
    return frozenset(sign for line in _list_lines(name) for sign in line.split())


@cache
def list_capital_brands() -> dict[str, frozenset[str]]:
    """By canonical key, the names of brands that are words of every day in small letters."""
    pairs = [line.split() for line in _list_lines("capital_brands")]
    return {key: frozenset(name for name, other in pairs if other == key) for _, key in pairs}


def _list_lines(name: str) -> list[str]:
    lines = (_DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
