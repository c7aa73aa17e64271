"""Concepts: words of several languages that a person would count as the same thing, from `data/concepts.txt`.

They let a question in one language find a message in another, and "mom" find "mother", with no model. A concept counts
far less than the word itself, so that it only decides where no word does.
"""

from __future__ import annotations

import re
from functools import cache

from patterns.text.arabic import normalise_arabic, stem_arabic
from patterns.text.data_files import read_lines
from patterns.text.stems import stem_english, stem_russian


def list_concepts(stem: str) -> tuple[str, ...]:
    """The concepts that a stem belongs to, none for most words. Raises nothing."""
    return _read_concepts().get(stem, ())


@cache
def _read_concepts() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for line in (*read_lines("concepts.txt"), *read_lines("concepts.en.txt")):
        concept, _, words = line.partition(":")
        for word in words.split():
            stem = _stem_word(word)
            members = found.setdefault(stem, [])
            if concept not in members:
                members.append(concept)
    return {stem: tuple(concepts) for stem, concepts in found.items()}


def _stem_word(word: str) -> str:
    if re.search("[\u0400-\u04ff]", word):
        return stem_russian(word.replace("ё", "е"))
    if re.search("[\u0600-\u06ff]", word):
        return stem_arabic(normalise_arabic(word))
    return stem_english(word)
