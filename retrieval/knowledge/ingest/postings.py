"""What a chunk is found by: lexemes of its title and text, as numbers with counts. Pure."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Final

from patterns.text.caches import empty_with_stores
from patterns.text.data_files import read_words
from patterns.text.tokens import tokenise
from retrieval.knowledge.entities.forms import list_forms
from retrieval.knowledge.entities.patterns import list_candidate_terms
from retrieval.knowledge.entities.words import Word, fold_word, list_surfaces
from retrieval.knowledge.terms import number_term

MAX_COUNT: Final = 32_767


def count_terms(title: str, text: str) -> dict[int, int]:
    """How often a chunk has each lexeme in title and text; for words with accents also without them."""
    whole = f"{title}\n{text}" if title else text
    counts = Counter([number_term(lexeme) for token in tokenise(whole) for lexeme, _ in token.lexemes])
    for surface in set(list_surfaces(text)):
        for term in _list_name_terms(surface):
            counts.setdefault(term, 1)
    return {term: min(count, MAX_COUNT) for term, count in counts.items()}


@lru_cache(maxsize=200_000)
def _list_name_terms(surface: str) -> tuple[int, ...]:
    """What a word of a chunk is found by that is no lexeme of the text search."""
    return (*list_candidate_terms(surface), *_list_plain_terms(surface))


def list_form_terms(word: Word) -> frozenset[int]:
    """Terms of which a chunk with a form of a word of an alias has one."""
    lexemes = map(_find_first_lexeme, _list_own_forms(word))
    return frozenset(number_term(lexeme) for lexeme in lexemes if lexeme)


def is_indexed(word: Word) -> bool:
    """Whether the index has every form of a word of an alias, whatever the language of the text that it stands in."""
    forms = _list_own_forms(word)
    return all(map(_find_first_lexeme, forms)) and forms.isdisjoint(read_words("stopwords.arabizi.txt"))


def _list_own_forms(word: Word) -> frozenset[str]:
    return list_forms(word.folded, is_capitalised=not word.surface.islower())


@lru_cache(maxsize=200_000)
def _find_first_lexeme(word: str) -> str | None:
    return next((token.lexemes[0][0] for token in tokenise(word)), None)


def _list_plain_terms(surface: str) -> set[int]:
    """The terms of a word as names are compared, where its spelling gives others."""
    if surface.isascii():
        return set()
    folded = fold_word(surface)
    if folded == unicodedata.normalize("NFKC", surface).lower():
        return set()
    return {number_term(token.lexemes[0][0]) for token in tokenise(folded)}


# Words of documents that an erasure may take.
empty_with_stores(_list_name_terms.cache_clear)
empty_with_stores(_find_first_lexeme.cache_clear)
