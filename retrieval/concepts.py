"""Concepts: words of several languages that a person would count as the same thing, from `data/concepts.txt`.

They let a question in one language find a message in another, and "mom" find "mother", with no model. A concept counts
far less than the word itself, so that it only decides where no word does.
"""

from __future__ import annotations

import re
from functools import cache

import Stemmer

from retrieval.arabic import normalise_arabic, stem_arabic
from retrieval.wordlists import read_forms, read_lines


def list_concepts(stem: str) -> tuple[str, ...]:
    """The concepts that a stem belongs to, none for most words. Raises nothing."""
    return _read_concepts().get(stem, ())


@cache
def _read_concepts() -> dict[str, tuple[str, ...]]:
    english, russian = Stemmer.Stemmer("english"), Stemmer.Stemmer("russian")
    found: dict[str, list[str]] = {}
    for line in read_lines("concepts.txt"):
        concept, _, words = line.partition(":")
        for word in words.split():
            stem = _stem_word(word, english, russian)
            members = found.setdefault(stem, [])
            if concept not in members:
                members.append(concept)
    return {stem: tuple(concepts) for stem, concepts in found.items()}


def _stem_word(word: str, english: Stemmer.Stemmer, russian: Stemmer.Stemmer) -> str:
    if re.search("[\u0400-\u04ff]", word):
        word = word.replace("ё", "е")
        return str(russian.stemWord(read_forms("irregular.ru.txt").get(word, word)))
    if re.search("[\u0600-\u06ff]", word):
        return stem_arabic(normalise_arabic(word))
    return str(english.stemWord(read_forms("irregular.en.txt").get(word, word)))
