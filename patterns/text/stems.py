"""Stems of English and Russian words: one for all forms and spellings of a word.

Snowball does most of it (M. F. Porter). Before it stand irregular forms (`data/irregular.*.txt`) and the two ways to
spell English, after it the vowels that come and go in Russian endings: sumka, sumok.
"""

from __future__ import annotations

import re
import threading
from functools import cache

import Stemmer

from patterns.text.data_files import read_forms, read_words

_IZE = re.compile(r"(?<=[bcdglmnprtvz])is(?=(?:e|ed|er|ers|es|ing|able|ation|ations)$)")
_OUR = re.compile(
    r"^((?:un|dis)?(?:arm|behavi|col|endeav|fav|flav|glam|harb|hon|hum|lab|neighb|od|parl|rum|sav|tum|vap|vig))our"
)
_FLEETING = re.compile("(?<=[бвгджзклмнпрстфхцчшщй])(?:[ое](?=к$)|е(?=ц$))")
_SOFT_FLEETING = re.compile("ь(?=[кц]$)")
_stemmers = threading.local()


def stem_english(word: str) -> str:
    """The stem of a lower-case English word, the same for British and American spelling."""
    return str(_get_stemmer("english").stemWord(read_forms("irregular.en.txt").get(word) or _unify_spelling(word)))


def stem_russian(word: str) -> str:
    """The stem of a lower-case Russian word whose ё are е."""
    stem = str(_get_stemmer("russian").stemWord(read_forms("irregular.ru.txt").get(word, word)))
    return _SOFT_FLEETING.sub("", _FLEETING.sub("", stem)) if stem.endswith(("к", "ц")) and len(stem) > 3 else stem


def _unify_spelling(word: str) -> str:
    if "our" in word:
        word = _OUR.sub(r"\1or", word)
    if "is" not in word:
        return word
    spelt = _IZE.sub("iz", word)
    return spelt if spelt == word or not _is_kept(word) else word


@cache
def _read_kept() -> tuple[str, ...]:
    return tuple(read_words("spelt_with_s.txt"))


def _is_kept(word: str) -> bool:
    return word.startswith(_read_kept())


def _get_stemmer(language: str) -> Stemmer.Stemmer:
    stemmer = getattr(_stemmers, language, None)
    if stemmer is None:  # a Snowball object is not safe across threads
        stemmer = Stemmer.Stemmer(language, 0)  # keeps no words: who asks does, and its own store is slow to fill
        setattr(_stemmers, language, stemmer)
    return stemmer
