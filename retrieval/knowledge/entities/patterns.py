"""Aliases and words of texts as look-up keys: what one must share with the other to be compared at all. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from patterns.text.arabic import find_arabizi_skeleton, find_skeleton
from patterns.text.caches import empty_with_stores
from patterns.text.data_files import read_words
from patterns.text.transliteration import find_name_key
from retrieval.knowledge.entities.forms import list_alias_roots, list_text_roots
from retrieval.knowledge.entities.types import KeyKind
from retrieval.knowledge.entities.words import Word, fold_word, list_words
from retrieval.knowledge.terms import number_term

MIN_SKELETON_LETTERS: Final = 4
MIN_CONSONANTS: Final = 3
MIN_FIRST_LETTERS: Final = 3
ACRONYM_LETTERS: Final = range(2, 7)
_STOP_WORDS: Final = ("stopwords.en.txt", "stopwords.ru.txt", "stopwords.ar.txt", "stopwords.zh.txt")


class Pattern(NamedTuple):
    """The words of an alias, what stands between them, and the word that it is found by (-1: none, it is ignored)."""

    words: tuple[Word, ...]
    gaps: tuple[str, ...]
    anchor: int


@lru_cache(maxsize=200_000)
def parse_alias(text: str) -> Pattern:
    """An alias as the matcher compares it. Its longest word that is no stop word finds it."""
    words = tuple(list_words(text))
    gaps = tuple(text[left.end : right.start] for left, right in pairwise(words))
    places = [place for place, word in enumerate(words) if not is_stop_word(word.folded)]
    anchor = max(places, key=lambda place: (_has_letter(words[place]), len(words[place].folded), -place), default=-1)
    return Pattern(words, gaps, anchor)


@lru_cache(maxsize=200_000)
def is_stop_word(folded: str) -> bool:
    """Whether a word says nothing by itself, in any language."""
    return any(folded in read_words(name) for name in _STOP_WORDS)


def list_alias_keys(text: str) -> list[tuple[int, KeyKind]]:
    """The keys that an alias is kept under. None for an alias of stop words or signs alone."""
    pattern = parse_alias(text)
    if pattern.anchor < 0:
        return []
    anchor = pattern.words[pattern.anchor].folded
    keys = [(_number("r", root), KeyKind.ROOT) for root in sorted(list_alias_roots(anchor))]
    keys += [(number, KeyKind.SKELETON) for number in sorted(set(_list_skeletons(anchor)))]
    if len(pattern.words) > 1:
        initials = "".join(word.folded[0] for word in pattern.words)
        if len(initials) in ACRONYM_LETTERS and initials.isalpha():
            keys.append((_number("y", initials), KeyKind.ACRONYM))
        keys += [(number, KeyKind.FIRST) for number in _list_first_keys(pattern)]
    return keys


def _list_first_keys(pattern: Pattern) -> list[int]:
    first = pattern.words[0].folded
    if len(first) < MIN_FIRST_LETTERS or is_stop_word(first):
        return []
    return sorted({*(_number("p", root) for root in list_alias_roots(first)), *_list_first_skeletons(first)})


def _list_first_skeletons(first: str) -> Iterator[int]:
    key = find_name_key(first) if len(first) >= MIN_SKELETON_LETTERS else None
    if key:
        yield _number("q", key)


@lru_cache(maxsize=200_000)
def list_word_keys(word: str, *, is_capitalised: bool, is_upper: bool, is_query: bool) -> tuple[int, ...]:
    """The keys that a folded word of a text asks for."""
    if is_stop_word(word):
        return ()
    roots = list_text_roots(word)
    keys = [_number("r", root) for root in roots]
    if is_query or is_capitalised:
        keys += [number for root in roots for number in _list_skeletons(root)]
    if is_upper and len(word) in ACRONYM_LETTERS:
        keys.append(_number("y", word))
    if is_query:
        keys += [_number("p", root) for root in roots]
        keys += [number for root in roots for number in _list_first_skeletons(root)]
    return tuple(dict.fromkeys(keys))


def list_candidate_terms(surface: str) -> list[int]:
    """Postings of a word of a document that are not for the text search: those that find unsure mentions again."""
    folded = fold_word(surface)
    terms = (
        [number for root in list_text_roots(folded) for number in _list_skeletons(root)]
        if may_cross_scripts(surface, folded)
        else []
    )
    if surface.isupper() and len(folded) in ACRONYM_LETTERS and not is_stop_word(folded):
        terms.append(_number("y", folded))
    return terms


def list_skeleton_terms(folded: str) -> frozenset[int]:
    """Of which a word of a document has one that may be this word in another script."""
    return frozenset(map(number_term, find_skeletons(folded)))


def may_cross_scripts(surface: str, folded: str) -> bool:
    """Whether a word of a document may be a name of another script: it begins with a letter that is no small one."""
    return surface[:1].isalpha() and not surface[:1].islower() and not is_stop_word(folded)


@lru_cache(maxsize=200_000)
def find_skeletons(word: str) -> frozenset[str]:
    """What a folded word shares with its spellings in other scripts, whatever its ending."""
    return frozenset(key for root in list_text_roots(word) for key in _list_skeleton_texts(root))


def _list_skeletons(word: str) -> Iterator[int]:
    for text in _list_skeleton_texts(word):
        yield number_term(text)


@lru_cache(maxsize=200_000)
def _list_skeleton_texts(word: str) -> tuple[str, ...]:
    if len(word) < MIN_SKELETON_LETTERS - 1 or not word.isalpha():
        return ()
    name = find_name_key(word) if len(word) >= MIN_SKELETON_LETTERS else None
    consonants = (find_arabizi_skeleton(word) if word.isascii() else find_skeleton(word)) or ""
    texts = [f"N:{name}"] if name else []
    return (*texts, f"K:{consonants}") if len(consonants) >= MIN_CONSONANTS else tuple(texts)


def _number(prefix: str, root: str) -> int:
    return number_term(f"{prefix.upper()}:{root}")


def _has_letter(word: Word) -> bool:
    return any(letter.isalpha() for letter in word.folded)


# Words of questions are a user's: an erasure empties what is kept of them.
empty_with_stores(parse_alias.cache_clear)
empty_with_stores(is_stop_word.cache_clear)
empty_with_stores(list_word_keys.cache_clear)
empty_with_stores(_list_skeleton_texts.cache_clear)
empty_with_stores(find_skeletons.cache_clear)
