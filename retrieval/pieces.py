"""Texts cut at their spaces: what is known of a piece is looked up, and only a piece that was never met is worked out.

Cleaning, words, tokens and features of a text are those of its pieces one after the other: no word, no mark that joins
a letter and no form of a letter reaches across a space (Unicode composes nothing with one). Texts hold the same pieces
over and over; see bench/results.md for what that saves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from retrieval.lexemes import MAX_INDEXED_ENTRIES, pack_lexemes, pack_once
from retrieval.tokens import (
    NAME_WORDS,
    Token,
    clean_text,
    count_words,
    has_latin_letter,
    split_words,
    tells_arabizi,
    tokenise_word,
    weigh_arabizi,
)

MAX_KEPT: Final = 50_000
LONGEST_KEPT: Final = 40
"""Characters of a piece that is kept: longer ones are lists without spaces or addresses, and never met again."""
MAX_CHARACTERS: Final = 4_000
"""Of texts that are read by pieces: a longer one is seldom made of pieces that are met again."""


class Piece:
    """What lies between two spaces: its words, how many it had before cleaning, and what speaks for Arabizi.

    `traits` is left to whoever looks for them, in the piece as it came.
    """

    __slots__ = ("arabizi_hits", "is_latin", "kept", "raw_words", "text", "traits", "words")

    def __init__(self, text: str) -> None:
        cleaned = clean_text(text)
        words = split_words(cleaned)
        self.text = text
        self.words = words
        self.raw_words = len(words) if cleaned == text else count_words(text)
        self.is_latin = has_latin_letter(words)
        # What is known of Arabizi is in Latin letters.
        self.arabizi_hits = sum(weigh_arabizi(word.lower()) for word in words) if self.is_latin else 0
        self.kept: list[KeptPiece | None] = [None] * 4
        self.traits: tuple[Sequence[str], int, bool, bool, bool] | None = None

    def keep(self, is_arabizi: bool, is_short: bool) -> KeptPiece:
        """Its tokens in a text that reads as Arabizi or not, and has few words or not."""
        made = KeptPiece(tuple(token for word in self.words for token in tokenise_word(word, is_arabizi, is_short)))
        self.kept[2 * is_arabizi + is_short] = made
        return made


class KeptPiece:
    """The tokens of a piece in texts of one kind. `features` is left to whoever makes vectors of them."""

    __slots__ = ("features", "lexemes", "packed", "tokens")

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self.tokens = tokens
        self.lexemes = tuple(lexeme for token in tokens for lexeme, _ in token.lexemes)
        self.packed = pack_once(self.lexemes)
        self.features: Any = None


_find_piece = lru_cache(maxsize=MAX_KEPT)(Piece)


def cut_pieces(text: str) -> list[Piece]:
    """The pieces of any text, in order."""
    return [_find_piece(each) if len(each) <= LONGEST_KEPT else Piece(each) for each in text.split(" ")]


class ReadText(NamedTuple):
    """A text by its pieces, as they came and as tokens, and how many words it had."""

    raw_words: int
    pieces: Sequence[KeptPiece]
    cut: Sequence[Piece]


def read_pieces(cut: Sequence[Piece]) -> ReadText:
    """A text of at most MAX_CHARACTERS, cut already (`cut_pieces`). The tokens are those of `tokenise`."""
    raw_words = words = hits = 0
    is_latin = False
    for piece in cut:
        raw_words += piece.raw_words
        words += len(piece.words)
        if piece.is_latin:
            is_latin = True
            hits += piece.arabizi_hits
    is_arabizi = is_latin and tells_arabizi(hits, words)
    is_short = words <= NAME_WORDS
    kind = 2 * is_arabizi + is_short
    return ReadText(raw_words, [piece.kept[kind] or piece.keep(is_arabizi, is_short) for piece in cut], cut)


def list_tokens(pieces: Iterable[KeptPiece]) -> list[Token]:
    """The tokens of pieces, in order."""
    return [token for piece in pieces for token in piece.tokens]


def pack_pieces(date: Sequence[KeptPiece], lent: Sequence[KeptPiece]) -> bytes | None:
    """As `pack_lexemes` with the tokens of `lent` after those of `date`, where each lexeme is said once; else None."""
    dated = [lexeme for piece in date for lexeme in piece.lexemes]
    distinct = set(dated)
    count = len(dated)
    for piece in lent:
        if piece.lexemes:
            distinct.update(piece.lexemes)
            count += len(piece.lexemes)
    if len(distinct) != count or count > MAX_INDEXED_ENTRIES:
        return None
    return _pack_date(tuple(date)) + b"".join([piece.packed for piece in lent])


@lru_cache(maxsize=100)
def _pack_date(date: tuple[KeptPiece, ...]) -> bytes:
    return pack_lexemes(chain.from_iterable(piece.tokens for piece in date), lent=())[0]
