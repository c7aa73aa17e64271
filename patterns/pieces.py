"""The pieces of a text between its spaces, each folded and cut into words once for all: people's words come again.

Pure. What a piece becomes depends on nothing around it, but for a few (a decomposed letter, a line break) that make the
whole text be folded at once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from patterns.arabizi import fold_dotted
from patterns.folding import SIGNS, fold_text, fold_word

KEPT_WORDS = 20_000  # pieces of text read once; people's words follow each other as they always did
MAX_KEPT_CHARACTERS = 32

_SIZE_LETTERS = frozenset("xsmlхсмл")
_COLLIDING_CONTRACTIONS = ("re", "ll")  # written without the apostrophe they would become other words
_TOKEN = re.compile(
    r"(?P<number>\d{2,}(?:[.,]\d+)*|\d(?:[.,]\d+)+|\d(?![^\W\d_]))"
    rf"|(?P<word>(?:aed|dhs?|usd|eur|gbp|sar|qar)(?=\d)|[^\W\d_]+(?=\d{{2,}}(?!\w))|\w[\w{SIGNS}]*(?:'[\w{SIGNS}]+)*)"
    r"|(?P<mark>\S|\n)"
)
_JOINERS = re.compile(r"['_-]")
_make_token = tuple.__new__  # several times as fast as the class itself


_Part = tuple[str, int, int, str, str, tuple[str, ...]]  # the fields of a token, places counted from its piece


class Token(NamedTuple):
    """A word, number or mark. `start`, `end` are offsets in the normalised text; `forms` are spellings to look up."""

    text: str
    start: int
    end: int
    kind: str  # word | number | mark
    script: str  # latin | cyrillic | arabic | other
    forms: tuple[str, ...]


class _Piece(NamedTuple):
    """What a piece becomes, where its characters came from (None where nothing moves) and its tokens."""

    folded: str
    places: tuple[int, ...] | None
    parts: tuple[_Part, ...]


def join_words(characters: str, offsets: Sequence[int]) -> tuple[str, Sequence[int]]:
    """Drop apostrophes inside words (don't = dont), turn hyphens inside words into spaces (off-shoulder)."""
    if "'" in characters:
        characters, offsets = fold_dotted(characters, offsets)
    marks = [match.start() for match in _JOINERS.finditer(characters)]
    if not marks:
        return characters, offsets
    kept: list[str] = []
    places: list[int] = []
    start = 0
    for index in marks:
        character = characters[index]
        kept.append(characters[start:index])
        places += offsets[start:index]
        start = index + 1
        is_inner = 0 < index < len(characters) - 1 and characters[index - 1].isalpha() and characters[start].isalpha()
        written = _inner_mark(characters, index) if is_inner else " " if character == "_" else character
        if written:
            kept.append(written)
            places.append(offsets[index])
    return "".join(kept) + characters[start:], [*places, *offsets[start:]]


def _inner_mark(characters: str, index: int) -> str:
    if characters[index] == "'":
        tail = characters[index + 1 : index + 3]
        ends = index + 3 >= len(characters) or not characters[index + 3].isalpha()
        return "'" if tail in _COLLIDING_CONTRACTIONS and ends else ""
    if characters[index] == "-" and _is_size_run(characters, index - 1, -1) and _is_size_run(characters, index + 1, 1):
        return "-"
    return " "


def _is_size_run(characters: str, index: int, step: int) -> bool:
    length = 0
    while 0 <= index < len(characters) and characters[index].isalpha() and length < 6:
        if characters[index] not in _SIZE_LETTERS:
            return False
        index += step
        length += 1
    return length <= 5


def script_of(word: str) -> str:
    """The script of a word's first letter that tells one."""
    for character in word:
        if "a" <= character <= "z":
            return "latin"
        if "\u0400" <= character <= "\u04ff":
            return "cyrillic"
        if "\u0600" <= character <= "\u06ff":
            return "arabic"
        if character.isalpha():
            return "latin" if character < "\u0250" else "other"
    return "other"


def _arabic_forms(word: str) -> tuple[str, ...]:
    """The word, then what is left without its attached particles (and, so, the, with, to, like)."""
    forms = [word]
    rest = word
    if len(rest) > 3 and rest[0] in "وف":
        rest = rest[1:]
        forms.append(rest)
    if len(rest) > 4 and rest[0] in "بلكه" and rest[1:3] == "ال":
        rest = rest[1:]
    if len(rest) > 4 and rest.startswith("عال"):
        rest = rest[1:]
    if len(rest) > 4 and rest.startswith("ال"):
        forms.append(rest[2:])
    elif len(rest) > 4 and rest.startswith("لل"):
        forms.append(rest[2:])
        forms.append("ا" + rest[1:])
    elif len(rest) > 3 and rest[0] in "بلك":
        forms.append(rest[1:])
    return tuple(dict.fromkeys(forms))


def _make_part(word: str, start: int, end: int, kind: str) -> _Part:
    script = script_of(word) if kind == "word" else "other"
    return word, start, end, kind, script, _arabic_forms(word) if script == "arabic" else (word,)


def cut_tokens(text: str) -> tuple[_Part, ...]:
    """The tokens of folded text."""
    if text.isalpha():
        return (_make_part(text, 0, len(text), "word"),)
    return tuple(_make_part(match[0], *match.span(), match.lastgroup or "mark") for match in _TOKEN.finditer(text))


def _read_piece(piece: str) -> _Piece | None:
    """None where what it becomes depends on what stands around it: nothing is left, a space or line break is in it.

    Nothing at all stands behind the last space.
    """
    if not piece:
        return _Piece("", None, ())
    word = fold_word(piece)
    if word is not None:
        return _Piece(word, None, cut_tokens(word))
    if not unicodedata.is_normalized("NFC", piece):
        return None
    folded, offsets = fold_text(piece)
    if not folded or " " in folded or "\n" in folded:
        return None
    joined, places = join_words(folded, offsets)
    if not joined:
        return None
    is_even = len(joined) == len(piece) and tuple(places) == tuple(range(len(piece)))
    return _Piece(joined, None if is_even else tuple(places), cut_tokens(joined))


class _Pieces(dict[str, _Piece | None]):
    """What pieces become, worked out when they are first met; free to share between threads."""

    def __missing__(self, piece: str) -> _Piece | None:
        found = _read_piece(piece)
        if len(piece) <= MAX_KEPT_CHARACTERS:
            if len(self) >= KEPT_WORDS:
                self.clear()
            self[piece] = found
        return found


_PIECES = _Pieces()


class _Cuts(dict[str, tuple[_Part, ...]]):
    """The same of pieces that are folded already."""

    def __missing__(self, piece: str) -> tuple[_Part, ...]:
        found = cut_tokens(piece)
        if len(piece) <= MAX_KEPT_CHARACTERS:
            if len(self) >= KEPT_WORDS:
                self.clear()
            self[piece] = found
        return found


_CUTS = _Cuts()


def tokenise(text: str, *, at_most: int | None = None) -> tuple[Token, ...]:
    """The tokens of folded text, hardly over `at_most`. None reaches over a space: each piece is cut once for all."""
    tokens: list[Token] = []
    place = 0
    for piece in text.split(" "):
        for word, start, end, kind, script, forms in _CUTS[piece]:
            tokens.append(_make_token(Token, (word, place + start, place + end, kind, script, forms)))
        place += len(piece) + 1
        if at_most is not None and len(tokens) > at_most:
            break
    return tuple(tokens)


def fold_pieces(text: str, *, at_most: int) -> tuple[str, Sequence[int], tuple[Token, ...]]:
    """The text folded with its words joined, the raw offset of each of its characters, its tokens.

    Of the tokens come hardly more than `at_most`.
    """
    if "  " in text or text[:1] == " ":
        kept = [place for place in range(len(text)) if text[place] != " " or (place and text[place - 1] != " ")]
        folded, offsets, found = fold_pieces("".join([text[place] for place in kept]), at_most=at_most)
        return folded, [kept[place] for place in offsets], found
    pieces = text.split(" ")
    read = [_PIECES[piece] for piece in pieces]
    tokens: list[Token] = []
    place = 0
    is_even = True
    for piece in read:
        if piece is None:
            folded, offsets = join_words(*fold_text(text))
            return folded, offsets, tokenise(folded, at_most=at_most)
        joined, places, parts = piece
        if places is not None:
            is_even = False
        if place <= at_most or len(tokens) <= at_most:
            for word, start, end, kind, script, forms in parts:
                tokens.append(_make_token(Token, (word, place + start, place + end, kind, script, forms)))
        place += len(joined) + 1
    folded = " ".join([piece[0] for piece in read])  # type: ignore[index]  # there is no None left
    return folded, range(len(text)) if is_even else _count_offsets(pieces, read), tuple(tokens)  # type: ignore[arg-type]


def _count_offsets(pieces: Sequence[str], read: Sequence[_Piece]) -> list[int]:
    offsets: list[int] = []
    start = 0
    for piece, (text, places, _) in zip(pieces, read, strict=True):
        offsets += range(start, start + len(text)) if places is None else [start + place for place in places]
        start += len(piece) + 1
        offsets.append(start - 1)
    return offsets[:-1]
