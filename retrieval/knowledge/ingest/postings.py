"""What a chunk is found by: lexemes of its title and text, as numbers with counts. Pure."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Final

from patterns.text.tokens import tokenise
from retrieval.knowledge.entities.forms import list_forms
from retrieval.knowledge.entities.patterns import list_alias_keys, list_candidate_terms, parse_alias
from retrieval.knowledge.entities.types import KeyKind
from retrieval.knowledge.entities.words import fold_word, list_words
from retrieval.knowledge.terms import number_term

MAX_COUNT: Final = 32_767


def count_terms(title: str, text: str) -> dict[int, int]:
    """How often a chunk has each lexeme in title and text; for words with accents also without them."""
    whole = f"{title}\n{text}" if title else text
    counts = Counter(number_term(lexeme) for token in tokenise(whole) for lexeme, _ in token.lexemes)
    words = list_words(text)
    for word in words:
        for term in (*list_candidate_terms(word), *_list_plain_terms(word.surface)):
            counts.setdefault(term, 1)
    return {term: min(count, MAX_COUNT) for term, count in counts.items()}


def list_alias_terms(text: str) -> set[int]:
    """Terms of which every chunk that may name an alias has one."""
    pattern = parse_alias(text)
    if pattern.anchor < 0:
        return set()
    anchor = pattern.words[pattern.anchor]
    forms = list_forms(anchor.folded, is_capitalised=not anchor.surface.islower())
    unsure = (number for number, kind in list_alias_keys(text) if kind in (KeyKind.SKELETON, KeyKind.ACRONYM))
    return {*(number_term(lexeme) for lexeme in _list_first_lexemes(forms)), *unsure}


def _list_first_lexemes(words: Iterable[str]) -> set[str]:
    return {token.lexemes[0][0] for word in words for token in tokenise(word)}


def _list_plain_terms(surface: str) -> set[int]:
    """The terms of a word as names are compared, where its spelling gives others."""
    if surface.isascii():
        return set()
    folded = fold_word(surface)
    if folded == unicodedata.normalize("NFKC", surface).lower():
        return set()
    return {number_term(lexeme) for lexeme in _list_first_lexemes([folded])}
