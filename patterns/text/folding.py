"""Characters folded one by one: case, marks, regional shapes, digits, noise (SPEC I-4)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

_ARABIC_FOLDS = {
    "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه", "ؤ": "ء", "ئ": "ء", "ی": "ي", "ک": "ك",
    "ھ": "ه", "ہ": "ه", "ە": "ه", "ۃ": "ه", "ے": "ي", "گ": "ك", "چ": "ج", "پ": "ب", "ڤ": "ف",
    "।": ".", "॥": ".", "،": ",", "؛": ";", "؟": "?", "٬": ",", "٫": ".", "٪": "%", "۔": ".",
}  # fmt: skip
_OTHER_FOLDS = {
    "ё": "е", "’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "ʻ": "'", "′": "'", "‛": "'", "ʿ": "'", "ʾ": "'",
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "″": '"', "‟": '"', "❝": '"', "❞": '"',
    "「": '"', "」": '"', "『": '"', "』": '"', "〈": '"', "〉": '"', "《": '"', "》": '"', "‹": '"', "›": '"',
    "〝": '"', "〞": '"', "〟": '"', "❮": '"', "❯": '"', "⹂": '"', "❛": "'", "❜": "'", "‚": "'",
    "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "‒": "-", "―": "-", "…": ".", "：": ":", "•": ",", "·": ",",
    "\u2028": "\n", "\u2029": "\n", "\r": "\n", "\n": "\n", "\x85": "\n",
}  # fmt: skip
_TATWEEL = "\u0640"

# Scripts whose vowels are signs on the letters: there a word is letters and signs.
_SIGNED_SCRIPTS = ((0x0900, 0x10A0), (0x1780, 0x1800))
SIGNS = "".join(
    chr(code) for a, b in _SIGNED_SCRIPTS for code in range(a, b) if unicodedata.category(chr(code))[0] == "M"
)
_GAP = "\x00"  # a control character becomes a space, so that no text brings one
_MAX_TABLE = 20_000
_UNEVEN = re.compile(r"\A +|(?<![ \n])[ \n]*  [ \n]*|(?<!\n)\n+ [ \n]*| \n[ \n]*")


def _fold_character(character: str) -> str:
    folded = _ARABIC_FOLDS.get(character) or _OTHER_FOLDS.get(character)
    if folded is not None:
        return folded
    if character.isspace():
        return " "
    category = unicodedata.category(character)
    if category in ("Mn", "Mc") and _is_sign(character):
        return character
    if character == _TATWEEL or category in ("Cf", "Mn", "Me", "Cs", "Co", "Cn"):
        return ""
    if category == "Cc":
        return " "
    if category == "Nd":
        return str(unicodedata.digit(character))
    wide = unicodedata.normalize("NFKC", character).casefold()
    if category == "Lm" and not wide.isalnum():
        return ""
    return "".join(_ARABIC_FOLDS.get(c) or _OTHER_FOLDS.get(c) or c for c in wide if unicodedata.category(c) != "Mn")


def _is_sign(character: str) -> bool:
    return any(first <= ord(character) < last for first, last in _SIGNED_SCRIPTS)


class _FoldTable(dict[int, str]):
    """What each character becomes, for `str.translate`; one that folds to nothing becomes a gap to be closed."""

    def __missing__(self, code: int) -> str:
        folded = _fold_character(chr(code)) or _GAP
        if len(self) < _MAX_TABLE:
            self[code] = folded
        return folded


def _build_table() -> _FoldTable:
    blocks = ((0x00, 0x250), (0x2B0, 0x500), (0x600, 0x700), (0x2000, 0x2070), (0xFB50, 0xFE10), (0xFE70, 0xFF70))
    return _FoldTable({code: _fold_character(chr(code)) or _GAP for a, b in blocks for code in range(a, b)})


_TABLE = _build_table()


def fold_text(text: str) -> tuple[str, Sequence[int]]:
    """The folded text and the raw offset of each of its characters; composed first only where it is decomposed."""
    offsets: Sequence[int] = range(len(text))
    if not unicodedata.is_normalized("NFC", text):
        places, letters = zip(*_compose(text), strict=True)
        text, offsets = "".join(letters), list(places)
    folded = text.translate(_TABLE)
    if len(folded) != len(text):
        widths = [len(character.translate(_TABLE)) for character in text]
        offsets = [place for place, width in zip(offsets, widths, strict=True) for _ in range(width)]
    return _close_gaps(folded, offsets)


def fold_word(word: str) -> str | None:
    """A word of letters that fold to as many letters, folded; None for everything else, which `fold_text` folds."""
    folded = word.translate(_TABLE)
    if folded == word:
        folded = word  # one text less to keep, of a word that may never come again
    if len(folded) == len(word) and folded.isalpha() and (folded.isascii() or unicodedata.is_normalized("NFC", word)):
        return folded
    return None


def _close_gaps(text: str, offsets: Sequence[int]) -> tuple[str, Sequence[int]]:
    """Letters that fold to nothing left out, spaces run together, those beside a line break or at the start dropped."""
    if _GAP in text:
        offsets = [place for place, character in zip(offsets, text, strict=True) if character != _GAP]
        text = text.replace(_GAP, "")
    # Before the expression, which looks at every character: most texts are even.
    if not ("  " in text or "\n" in text or text[:1] == " ") or not _UNEVEN.search(text):
        return text, offsets
    pieces: list[str] = []
    places: list[int] = []
    last = 0
    for run in _UNEVEN.finditer(text):
        start, end = run.span()
        kept = [i for i in range(start, end) if text[i] == "\n"]
        if not kept and start > 0 and " " in run[0]:
            kept = [start + run[0].index(" ")]
        pieces += (text[last:start], "".join(text[i] for i in kept))
        places += offsets[last:start]
        places += [offsets[i] for i in kept]
        last = end
    return "".join(pieces) + text[last:], [*places, *offsets[last:]]


def _compose(text: str) -> Iterable[tuple[int, str]]:
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or not unicodedata.combining(text[index]):
            for character in unicodedata.normalize("NFC", text[start:index]):
                yield start, character
            start = index
