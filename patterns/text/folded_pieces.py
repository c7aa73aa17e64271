"""The pieces of a text between its spaces, each folded and cut into words once for all: people's words come again.

Pure. What a piece becomes depends on nothing around it, but for a few (a decomposed letter, a line break) that make the
whole text be folded at once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from patterns.text.arabizi import fold_dotted
from patterns.text.caches import KnownWords
from patterns.text.folding import SIGNS, fold_text, fold_word

MAX_CACHED_WORDS = 20_000  # pieces of text that come again; people's words follow each other as they always did
MAX_CACHED_CHARACTERS = 32
MAX_PARTS = 300  # tokens of one piece; fewer are read of a whole text

_SIZE_LETTERS = frozenset("xsmlхсмл")
_COLLIDING_CONTRACTIONS = ("re", "ll")  # written without the apostrophe they would become other words
_TOKEN = re.compile(
    r"(?P<number>\d{2,}(?:[.,]\d+)*|\d(?:[.,]\d+)+|\d(?![^\W\d_]))"
    rf"|(?P<word>(?:aed|dhs?|usd|eur|gbp|sar|qar)(?=\d)|[^\W\d_]+(?=\d{{2,}}(?!\w))|\w[\w{SIGNS}]*(?:'[\w{SIGNS}]+)*)"
    r"|(?P<mark>\S|\n)"
)
_OWNER = "s"  # "my زوج's size": what is left of an English ending when its apostrophe is dropped
_AND_NOT = frozenset(("وما", "ومش", "ومو", "ومب"))  # three letters of which the first is "and" all the same
_CLOSING = frozenset(",.!?:;")  # marks that nothing folds
_JOINERS = re.compile(r"['_-]")
_make_token = tuple.__new__  # several times as fast as the class itself


class Token(NamedTuple):
    """A word, number or mark. `start`, `end` are offsets in the normalised text; `forms` are spellings to look up.

    Those of a piece are shared by all texts that it stands in, and their places are counted from its beginning.
    """

    text: str
    start: int
    end: int
    kind: str  # word | number | mark
    script: str  # latin | cyrillic | arabic | other
    forms: tuple[str, ...]

    @property
    def is_picture(self) -> bool:
        """Whether it is an emoji: people part sentences with them."""
        return self.kind == "mark" and unicodedata.category(self.text[0]) == "So"


class _Piece(NamedTuple):
    """What a piece becomes, where its characters came from (None where nothing moves) and its tokens."""

    folded: str
    places: tuple[int, ...] | None
    parts: tuple[Token, ...]


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
    if rest.endswith(_OWNER):
        rest = rest[: -len(_OWNER)]
        forms.append(rest)
    if (len(rest) > 3 or rest in _AND_NOT) and rest[0] in "وف":
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


def _cut_token(word: str, start: int, end: int, kind: str) -> Token:
    script = script_of(word) if kind == "word" else "other"
    forms = _arabic_forms(word) if script == "arabic" else (word,)
    return _make_token(Token, (word, start, end, kind, script, forms))


def cut_tokens(text: str) -> tuple[Token, ...]:
    """The tokens of folded text."""
    if text.isalpha():
        return (_cut_token(text, 0, len(text), "word"),)
    found = islice(_TOKEN.finditer(text), MAX_PARTS)
    return tuple([_cut_token(match[0], *match.span(), match.lastgroup or "mark") for match in found])


def _read_piece(piece: str) -> _Piece | None:
    """None where what it becomes depends on what stands around it: nothing is left, a space or line break is in it.

    Nothing at all stands behind the last space.
    """
    if not piece:
        return _Piece("", None, ())
    word = fold_word(piece)
    if word is not None:
        return _Piece(word, None, cut_tokens(word))
    mark = piece[-1]
    word = fold_word(piece[:-1]) if mark in _CLOSING else None
    if word is not None:
        end = len(word)
        return _Piece(word + mark, None, (*cut_tokens(word), Token(mark, end, end + 1, "mark", "other", (mark,))))
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


def _cut_piece(piece: str) -> tuple[Token, ...]:
    """The tokens of a piece that is folded already: those of the one that becomes it, where that is kept."""
    known = _PIECES.get(piece)
    return known[2] if known is not None and known[0] == piece else cut_tokens(piece)


_PIECES = KnownWords(_read_piece, size=MAX_CACHED_WORDS, longest=MAX_CACHED_CHARACTERS)
_CUTS = KnownWords(_cut_piece, size=MAX_CACHED_WORDS, longest=MAX_CACHED_CHARACTERS)


def cut_words(text: str, *, at_most: int | None = None) -> list[Token]:
    """The tokens of folded text by pieces, hardly over `at_most`. None reaches over a space: each piece is cut once."""
    words: list[Token] = []
    for piece in text.split(" "):
        words += _CUTS[piece]
        if at_most is not None and len(words) > at_most:
            break
    return words


def place_words(text: str, words: Sequence[Token]) -> tuple[Token, ...]:
    """The words of a text with their places in it: they follow each other, with nothing but spaces between them."""
    tokens: list[Token] = []
    end = 0
    for word, _, _, kind, script, forms in words:
        start = text.find(word, end)
        end = start + len(word)
        tokens.append(_make_token(Token, (word, start, end, kind, script, forms)))
    return tuple(tokens)


def fold_pieces(text: str, *, at_most: int) -> tuple[str, Sequence[int], list[Token]]:
    """The text folded with its words joined, the raw offset of each of its characters, its words by pieces.

    Of the words come hardly more than `at_most`; of what stands behind them hardly anything is read.
    """
    pieces = text.split(" ")
    starts: list[int] | None = None  # where the pieces stand, where not each follows the one before it
    if "  " in text or text[:1] == " ":
        pieces, starts = _drop_gaps(pieces)
    read: list[_Piece] = []
    words: list[Token] = []
    is_even = starts is None
    for piece in map(_PIECES.__getitem__, pieces):
        if piece is None:
            return _fold_whole(text, at_most)
        read.append(piece)
        words += piece[2]
        if piece[1] is not None:
            is_even = False
        if len(words) > at_most:
            break
    folded = " ".join([piece[0] for piece in read])
    return folded, range(len(folded)) if is_even else _count_offsets(pieces, read, starts), words


def _drop_gaps(pieces: Sequence[str]) -> tuple[list[str], list[int]]:
    """The pieces without those that are nothing, and where they begin: of spaces side by side the first counts."""
    kept: list[str] = []
    starts: list[int] = []
    place = 0
    for piece in pieces:
        if piece:
            kept.append(piece)
            starts.append(place)
        place += len(piece) + 1
    if kept and not pieces[-1]:
        kept.append("")
        starts.append(starts[-1] + len(kept[-2]) + 1)
    return kept, starts


def _fold_whole(text: str, at_most: int) -> tuple[str, Sequence[int], list[Token]]:
    """The same for a text with pieces that only stand for something together with what is around them."""
    kept: Sequence[int] | None = None
    if "  " in text or text[:1] == " ":
        kept = [place for place in range(len(text)) if text[place] != " " or (place and text[place - 1] != " ")]
        text = "".join([text[place] for place in kept])
    folded, offsets = join_words(*fold_text(text))
    if kept is not None:
        offsets = [kept[place] for place in offsets]
    return folded, offsets, cut_words(folded, at_most=at_most)


def _count_offsets(pieces: Sequence[str], read: Sequence[_Piece], starts: Sequence[int] | None) -> list[int]:
    offsets: list[int] = []
    begin = end = 0  # what is still to be counted: pieces that follow each other, where nothing moves
    for number, (piece, found) in enumerate(zip(pieces, read)):  # noqa: B905  # few of many pieces may have been read
        places = found[1]
        start = end if starts is None else starts[number]
        if start != end:
            offsets += range(begin, end)
            begin = start
        end = start + len(piece) + 1
        if places is not None:
            offsets += range(begin, start)
            offsets += [start + place for place in places]
            begin = end - 1
    offsets += range(begin, end)
    return offsets[:-1]
