"""A key under which a name is found in Cyrillic and in Latin letters: Лейла, Leila and Layla are one."""

from __future__ import annotations

import re
from functools import lru_cache

from patterns.text.caches import empty_with_stores

_CYRILLIC = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "e", "ж": "j", "з": "z", "и": "i", "й": "i",
    "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
    "х": "h", "ц": "s", "ч": "c", "ш": "c", "щ": "c", "ъ": "", "ы": "i", "ь": "", "э": "e", "ю": "u", "я": "a",
}  # fmt: skip
_LATIN_PAIRS = (
    ("sch", "c"), ("tch", "c"), ("sh", "c"), ("ch", "c"), ("kh", "h"), ("dzh", "j"), ("zh", "j"), ("dj", "j"),
    ("ph", "f"), ("ts", "s"), ("ck", "k"), ("x", "ks"), ("q", "k"), ("w", "v"),
)  # fmt: skip
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT_H = re.compile(r"(?<=[aeiou])h$")
_DOUBLED = re.compile(r"(.)\1+")
MIN_LETTERS = 3


@lru_cache(maxsize=50_000)
def find_name_key(word: str) -> str | None:
    """The key of a lower-case word: Latin letters, every run of vowels as one `a`. None for words too short to tell."""
    latin = _SILENT_H.sub("", "".join(_CYRILLIC.get(letter, letter) for letter in word))
    if len(latin) < MIN_LETTERS or not latin.isascii() or not latin.isalpha():
        return None
    for pair, letter in _LATIN_PAIRS:
        latin = latin.replace(pair, letter)
    return _DOUBLED.sub(r"\1", _VOWELS.sub("a", latin))


empty_with_stores(find_name_key.cache_clear)
