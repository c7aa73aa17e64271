"""Texts cut at their spaces: what is known of a piece is looked up, and only one that is not known is worked out.

Cleaning, words, tokens and features of a text are those of its pieces one after the other: no word, no mark that joins
a letter and no form of a letter reaches across a space (Unicode composes nothing with one). Texts hold the same pieces
over and over; see bench/results.md for what that saves.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple, TypeVar

from msgspec import Struct

from patterns.text.caches import KnownWords
from patterns.text.lexemes import (
    ENTRY_BYTES,
    MAX_INDEXED_ENTRIES,
    pack_lexeme,
    pack_lexemes,
    pack_once,
    says_each_once,
)
from patterns.text.tokens import (
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

Name = TypeVar("Name", bound=Hashable)

MAX_CACHED: Final = 50_000
_NONE: Final[frozenset[str]] = frozenset()
LONGEST_CACHED: Final = 40
"""Characters of a piece that is kept: longer ones are lists without spaces or addresses, and never met again."""
MAX_CHARACTERS: Final = 4_000
"""Of texts that are read by pieces: a longer one is seldom made of pieces that are met again."""


class CachedPiece(Struct, gc=False, eq=False):
    """The tokens of a piece in texts of one kind, their lexemes, and these as the index has them said once.

    `codes` and `weights` are left to whoever makes vectors of them.
    """

    tokens: tuple[Token, ...]
    lexemes: tuple[str, ...]
    packed: bytes
    codes: bytes | None = None
    weights: bytes = b""


class Piece(Struct, gc=False, eq=False):
    """What lies between two spaces: its words, how many it had before cleaning, and what speaks for Arabizi.

    `spoken` and `said` are left to whoever looks for traits, in the piece as it came. `usual` are its tokens in a text
    of few words that does not read as Arabizi, `others` those in texts of other kinds.
    """

    text: str
    words: tuple[str, ...]
    count: int  # of the words: asked of every piece of every text, where the words themselves are not looked at
    raw_words: int
    arabizi_hits: int
    usual: CachedPiece | None = None
    others: dict[tuple[bool, bool], CachedPiece] | None = None
    spoken: tuple[str, ...] = ()
    said: int = -1

    def keep_usual(self) -> CachedPiece:
        """Its tokens in a text of few words that does not read as Arabizi: worked out, for the first of them."""
        self.usual = made = self._make(False, True)
        return made

    def keep(self, is_arabizi: bool, is_short: bool) -> CachedPiece:
        """Its tokens in a text that reads as Arabizi or not, and has few words or not."""
        if is_short and not is_arabizi:
            return self.usual or self.keep_usual()
        kind = is_arabizi, is_short
        others = self.others
        if others is None:
            others = self.others = {}
        found = others.get(kind)
        if found is None:
            found = others[kind] = self._make(*kind)
        return found

    def _make(self, is_arabizi: bool, is_short: bool) -> CachedPiece:
        if len(self.words) == 1:
            tokens = tokenise_word(self.words[0], is_arabizi, is_short)
        else:
            tokens = tuple([token for word in self.words for token in tokenise_word(word, is_arabizi, is_short)])
        lexemes = tuple([lexeme for token in tokens for lexeme, _ in token.lexemes])
        return CachedPiece(tokens, lexemes, pack_once(lexemes))


def _make_piece(text: str) -> Piece:
    cleaned = clean_text(text)
    words = (cleaned,) if cleaned.isalpha() else tuple(split_words(cleaned))
    raw_words = len(words) if cleaned == text else count_words(text)
    # What is known of Arabizi is in Latin letters.
    hits = sum([weigh_arabizi(word.lower()) for word in words]) if has_latin_letter(cleaned) else 0
    return Piece(text, words, len(words), raw_words, hits)


_PIECES = KnownWords(_make_piece, size=MAX_CACHED, longest=LONGEST_CACHED)


def cut_pieces(text: str) -> list[Piece]:
    """The pieces of any text, in order."""
    return list(map(_PIECES.__getitem__, text.split(" ")))


class ReadText(NamedTuple):
    """A text by its pieces, as they came and as tokens, and how many words it had."""

    raw_words: int
    pieces: Sequence[CachedPiece]
    cut: Sequence[Piece]


def read_pieces(cut: Sequence[Piece]) -> ReadText:
    """A text of at most MAX_CHARACTERS, cut already (`cut_pieces`). The tokens are those of `tokenise`."""
    raw_words = words = hits = 0
    for piece in cut:
        raw_words += piece.raw_words
        words += piece.count
        hits += piece.arabizi_hits
    is_arabizi = tells_arabizi(hits, words)
    is_short = words <= NAME_WORDS
    if is_short and not is_arabizi:
        return ReadText(raw_words, [piece.usual or piece.keep_usual() for piece in cut], cut)
    return ReadText(raw_words, [piece.keep(is_arabizi, is_short) for piece in cut], cut)


def list_tokens(pieces: Iterable[CachedPiece]) -> list[Token]:
    """The tokens of pieces, in order."""
    return [token for piece in pieces for token in piece.tokens]


def pack_pieces(date: Sequence[CachedPiece], lent: Sequence[CachedPiece]) -> tuple[bytes, Set[str]] | None:
    """As `pack_lexemes` with the tokens of `lent` after those of `date`, and the lexemes that are said more than once.

    None where a word of the date is, or where they do not fit the index.
    """
    packed_date, dated = _pack_date(tuple(date))
    packed = packed_date + b"".join([piece.packed for piece in lent])
    repeated = _NONE if says_each_once(packed) else _find_repeated(dated, lent)
    if repeated:
        if not repeated.isdisjoint(dated):
            return None
        packed = packed_date + b"".join(_pack_repeated(lent, repeated))
    return (packed, repeated) if len(packed) <= MAX_INDEXED_ENTRIES * ENTRY_BYTES else None


def _find_repeated(dated: Sequence[str], lent: Sequence[CachedPiece]) -> Set[str]:
    met: set[str] = set()
    repeated: set[str] = set()
    for lexeme in chain(dated, *[piece.lexemes for piece in lent]):
        (repeated if lexeme in met else met).add(lexeme)
    return repeated


def list_repeating(pieces: Sequence[CachedPiece], repeated: Set[str]) -> list[CachedPiece]:
    """The pieces with a lexeme that is said more than once: few, so that others are quickly told from them."""
    return [piece for piece in pieces if not repeated.isdisjoint(piece.lexemes)]


def count_each(names: Iterable[Name]) -> dict[Name, int]:
    """How often each name stands among a few: a `Counter` takes several times as long to begin."""
    counts: dict[Name, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return counts


def _pack_repeated(lent: Sequence[CachedPiece], repeated: Set[str]) -> Iterator[bytes]:
    again = list_repeating(lent, repeated)
    counts = count_each([lexeme for piece in again for lexeme in piece.lexemes])
    for piece in lent:
        if piece not in again:
            yield piece.packed
            continue
        for lexeme in piece.lexemes:
            count = counts.pop(lexeme, 0)
            if count:
                yield pack_lexeme(lexeme, count)


@lru_cache(maxsize=100)
def _pack_date(date: tuple[CachedPiece, ...]) -> tuple[bytes, Sequence[str]]:
    packed = pack_lexemes(chain.from_iterable(piece.tokens for piece in date), lent=())[0]
    return packed, list(chain.from_iterable(piece.lexemes for piece in date))
