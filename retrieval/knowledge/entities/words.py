"""Words of names with their places: what the registry compares. Pure: no Django."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from patterns.text.arabic import normalise_arabic
from patterns.text.caches import empty_with_stores

_MARK = "\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640\u200b-\u200f\u2066-\u2069"
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
# A number with its decimals; a sign of Chinese, Japanese or Korean; a run of other letters and digits, with the signs
# that belong to a name: C++, C#, .NET.
_NUMBER = r"\d+(?:[.,]\d+)+"
_DOT = r"(?:(?<![^\s(\"«“'])\.(?=[A-Za-z]))?"
_SIGNS = r"(?:\+\+|[#+](?!\w))?"
_MIXED: Final = re.compile(rf"{_NUMBER}|[{_CJK}]|{_DOT}(?:(?![{_CJK}])[^\W_])(?:(?![{_CJK}])[^\W_]|[{_MARK}])*{_SIGNS}")
_PLAIN: Final = re.compile(rf"{_NUMBER}|{_DOT}[^\W_]++(?:[{_MARK}]++[^\W_]*+)*+{_SIGNS}")
_HAS_SIGN: Final = re.compile(f"[{_CJK}]")
_INVISIBLE: Final = re.compile("[\u0640\u200b-\u200f\u2066-\u2069]")
_ACCENTED: Final = re.compile(r"[\u00c0-\u024f\u1e00-\u1eff]")
_DIGITS: Final = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "01234567890123456789")
# What may stand between two words of one name, whatever stands there in its alias.
_SOFT_GAP: Final = re.compile(r"\.|[\s\-‐-―_'’`\"“”„«»&/+]*")
_LONGEST_GAP: Final = 4


class Word(NamedTuple):
    """A word of a text: as typed, folded, and from where to where (code points)."""

    surface: str
    folded: str
    start: int
    end: int


def list_words(text: str) -> list[Word]:
    """The words of a text in order."""
    return [Word(found[0], fold_word(found[0]), *found.span()) for found in _find_pattern(text).finditer(text)]


def list_surfaces(text: str) -> list[str]:
    """The words of a text in order, as typed."""
    return _find_pattern(text).findall(text)


class TextWords:
    """The words of a text by place. Only the few that are compared with a name are folded."""

    __slots__ = ("_found", "surfaces")

    def __init__(self, text: str) -> None:
        self._found = list(_find_pattern(text).finditer(text))
        self.surfaces = [found[0] for found in self._found]

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, place: int) -> Word:
        found = self._found[place]
        return Word(found[0], fold_word(found[0]), *found.span())


def _find_pattern(text: str) -> re.Pattern[str]:
    return _MIXED if _HAS_SIGN.search(text) else _PLAIN


@lru_cache(maxsize=200_000)
def fold_word(word: str) -> str:
    """A word without what spelling varies in: case, accents of Latin letters, ё, forms of Arabic letters and digits."""
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", word)).casefold().replace("ё", "е")
    if _ACCENTED.search(folded):
        parts = unicodedata.normalize("NFD", folded)
        folded = unicodedata.normalize("NFC", "".join(letter for letter in parts if not "\u0300" <= letter <= "\u036f"))
    return normalise_arabic(folded).translate(_DIGITS)


def fold_name(name: str) -> str:
    """A whole name folded: equal for spellings that are one name."""
    return " ".join(word.folded for word in list_words(name) if word.folded)


def is_soft_gap(gap: str) -> bool:
    """Whether what stands between two words leaves them in one name: spaces, dashes, quotation marks."""
    return len(gap) <= _LONGEST_GAP and _SOFT_GAP.fullmatch(gap) is not None


def is_gap_of(gap: str, alias_gap: str) -> bool:
    """Whether two words stand together as those of an alias do: by a soft gap, or by the very same signs."""
    return gap == " " or is_soft_gap(gap) or (len(gap) <= _LONGEST_GAP and gap.split() == alias_gap.split())


# Words of questions are a user's: an erasure empties what is kept of them.
empty_with_stores(fold_word.cache_clear)
