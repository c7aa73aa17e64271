"""Rows that say how words may be spelt: they are no vocabulary (docs: `spelling.yaml`)."""

from __future__ import annotations

from collections.abc import Iterable

from patterns.rows import Row
from patterns.text.normaliser import normalise

MENDED = "mended"  # rows that say what is understood with one letter wrong: words of rules, categories of vocabulary
MENDED_CATEGORIES = "categories"
HEARD = "heard"  # rows that list the Arabizi words of rules that stand for all their spellings
CLOSE = "close"  # rows that list short Arabizi words, too short to be heard, that stand for their usual spellings
SPELLING_ROWS = frozenset((MENDED, HEARD, CLOSE))


def list_mendable(entries: Iterable[Row]) -> set[tuple[str, str]]:
    """The categories, each with a language, whose words are understood with one letter wrong."""
    rows = [entry for entry in entries if entry.category == MENDED and entry.canonical == MENDED_CATEGORIES]
    return {(name, entry.language) for entry in rows for name in entry.aliases}


def list_spelt(entries: Iterable[Row], category: str) -> frozenset[str]:
    """The words that rows on spelling list, normalised."""
    rows = [entry for entry in entries if entry.category == category and entry.canonical != MENDED_CATEGORIES]
    return frozenset(normalise(alias).text for entry in rows for alias in entry.aliases)
