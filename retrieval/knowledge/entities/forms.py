"""Forms of one word of a name: which the registry takes for the same word, and the roots under which it finds them.

Pure. What changes at the ends of words is data (`patterns/text/data`): `declension.ru.txt`, `adjectives.ru.txt`,
`plurals.en.txt`, `clitics.ar.txt`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from patterns.text.caches import empty_with_stores
from patterns.text.data_files import read_lines, read_words

MIN_ROOT: Final = 2
_CYRILLIC: Final = re.compile(r"[\u0400-\u04ff]+")
_ARABIC: Final = re.compile(r"[\u0600-\u06ff]+")
_LATIN: Final = re.compile(r"[a-z]+")
_NOTHING: Final = "-"


@lru_cache(maxsize=200_000)
def list_forms(word: str, *, is_capitalised: bool = True) -> frozenset[str]:
    """Every form in which a folded word of a name is taken for itself, the word included.

    A word that the alias writes without a capital letter may be an adjective, which has more forms.
    """
    if _CYRILLIC.fullmatch(word):
        return frozenset({word, *_list_russian(word, is_capitalised)})
    if _ARABIC.fullmatch(word):
        return frozenset({word, *(clitic + base for base in _list_bases(word) for clitic in ("", *_read_clitics()))})
    if _LATIN.fullmatch(word) and len(word) > MIN_ROOT:
        return frozenset({word, *(word + ending for ending in read_words("plurals.en.txt"))})
    return frozenset({word})


@lru_cache(maxsize=200_000)
def list_alias_roots(word: str) -> frozenset[str]:
    """The roots under which a folded word of an alias is kept."""
    if _CYRILLIC.fullmatch(word):
        return frozenset({word, *(root for root, _ in _list_paradigms(word))})
    if _ARABIC.fullmatch(word):
        return frozenset(_list_bases(word))
    return frozenset({word})


@lru_cache(maxsize=200_000)
def list_text_roots(word: str) -> frozenset[str]:
    """The roots that a folded word of a text may have: one of them is an alias's if the word is a form of it."""
    if _CYRILLIC.fullmatch(word):
        return frozenset({word, *_cut(word, _read_endings())})
    if _ARABIC.fullmatch(word):
        return frozenset({word, *(word[len(clitic) :] for clitic in _read_clitics() if _has_clitic(word, clitic))})
    if _LATIN.fullmatch(word):
        return frozenset({word, *_cut(word, read_words("plurals.en.txt"))})
    return frozenset({word})


def _list_russian(word: str, is_capitalised: bool) -> list[str]:
    forms = [root + ending for root, endings in _list_paradigms(word) for ending in endings]
    base, root = word[-2:], word[:-2]
    if not is_capitalised and len(root) >= MIN_ROOT:
        forms += [root + ending for endings in _read_table("adjectives.ru.txt").get(base, ()) for ending in endings]
    return forms


@lru_cache(maxsize=200_000)
def _list_paradigms(word: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(root, endings) by every line of the longest ending that the word has."""
    table = _read_table("declension.ru.txt")
    for size in range(min(3, len(word) - MIN_ROOT), -1, -1):
        base = word[len(word) - size :]
        if base in table and (base or word[-1] not in _read_vowels()):
            return tuple((word[: len(word) - size], endings) for endings in table[base])
    return ()


def _list_bases(word: str) -> list[str]:
    article = _read_clitics()[0]
    return [word, word[len(article) :]] if _has_clitic(word, article) else [word]


def _has_clitic(word: str, clitic: str) -> bool:
    return word.startswith(clitic) and len(word) - len(clitic) > MIN_ROOT


def _cut(word: str, endings: frozenset[str]) -> list[str]:
    longest = max(map(len, endings))
    sizes = range(1, min(longest, len(word) - MIN_ROOT) + 1)
    return [word[:-size] for size in sizes if word[-size:] in endings]


@cache
def _read_table(file: str) -> dict[str, list[tuple[str, ...]]]:
    table: dict[str, list[tuple[str, ...]]] = {}
    for line in read_lines(file):
        base, _, endings = line.partition(":")
        written = tuple("" if ending == _NOTHING else ending for ending in endings.split())
        table.setdefault("" if base == _NOTHING else base, []).append(written)
    return table


@cache
def _read_endings() -> frozenset[str]:
    tables = (_read_table("declension.ru.txt"), _read_table("adjectives.ru.txt"))
    return frozenset(
        ending for table in tables for lines in table.values() for line in lines for ending in line if ending
    )


@cache
def _read_vowels() -> frozenset[str]:
    """Letters that words end in which decline by a line of their own."""
    return frozenset(base for base in _read_table("declension.ru.txt") if len(base) == 1)


@cache
def _read_clitics() -> tuple[str, ...]:
    """In the order of the file: the article is the first."""
    return tuple(word for line in read_lines("clitics.ar.txt") for word in line.split())


# Words of questions are a user's: an erasure empties what is kept of them.
empty_with_stores(list_forms.cache_clear)
empty_with_stores(list_alias_roots.cache_clear)
empty_with_stores(list_text_roots.cache_clear)
empty_with_stores(_list_paradigms.cache_clear)
