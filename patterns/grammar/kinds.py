"""The kinds of lists and the categories of their rows."""

from __future__ import annotations

WORDS = "grammar_word"  # rows whose words are looked for as they stand
AFFIXES = "grammar_affix"  # rows that list beginnings or endings of words
GRAMMAR_ROWS = frozenset((WORDS, AFFIXES))

Words = frozenset[str]
Affixes = tuple[str, ...]


class Names(frozenset[str]):
    """Names of values, as facts carry them. They are no words of messages, and so are kept as they stand."""
