"""The built-in embedder: signed feature hashing of words and in-word character n-grams. No model, no network.

Each word gives its stem, its bridging keys and its character 3- to 5-grams; every feature is hashed to one of the
dimensions with a sign (Weinberger et al. 2009, "Feature hashing for large scale multitask learning"), so that
collisions
cancel out on average. Term frequency counts as 1 + ln(tf); there is no idf, since a vector must not depend on others.
It sees through typos and endings in any script, not through synonyms: `patterns.text.concepts` lends it a few.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from patterns.text.caches import empty_with_stores
from patterns.text.token_pieces import CachedPiece, count_each, list_repeating
from patterns.text.tokens import TOKENISER_VERSION, Token, tokenise

DIMENSIONS: Final = 256
"""Twice as many find no more (docs/retrieval-quality.md), and the vector is most of what a message writes."""
MAX_CHARACTERS = 20_000
NGRAM_LENGTHS = (3, 4, 5)
WORD_WEIGHT = 1.0
KEY_WEIGHT = 0.5
_Numbers = NDArray[Any]
Features = tuple[bytes, bytes]
"""Hashes of 32 bits, and as many weights of 64: as bytes they are put together faster than as small arrays."""

_CODE_BYTES: Final = 4
_NARROW: Final = re.compile("[\u0080-\u07ff]+")  # letters of two bytes: Cyrillic, Arabic


class HashedEmbedder:
    """Vectors by feature hashing: about 0.1 ms for a message of usual length, so it runs inline (D-8)."""

    is_inline = True

    def __init__(self, *, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions
        self.name = f"hashed-ngrams-{TOKENISER_VERSION}"

    def embed_query(self, text: str) -> list[float]:
        """As for documents: one function serves both sides."""
        return self._embed(text)

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector a text; a text of stop words alone gives the zero vector."""
        return [self._embed(text) for text in texts]

    def tokenise(self, text: str) -> list[Token]:
        """The words of a text that `embed_tokens` takes."""
        return tokenise(text[:MAX_CHARACTERS])

    def embed_tokens(self, texts: Sequence[Iterable[Token]]) -> _Numbers:
        """The unit vectors of texts whose words are known already, a row each; zeros for a text without words."""
        return self.add_up([self.list_features(tokens) for tokens in texts])

    def list_features(self, tokens: Iterable[Token]) -> Features:
        """What the words of a text add to its vector."""
        found = []
        for lexemes, count in Counter([token.lexemes for token in tokens]).items():
            if lexemes:
                codes = _list_codes(lexemes)
                found.append((codes, _weigh_codes(lexemes, codes, count)))
        return _join(found)

    def list_piece_features(self, pieces: Sequence[CachedPiece], repeated: Set[str]) -> Features:
        """As `list_features`, for the pieces of a text with the lexemes it says more than once."""
        codes = [_find_codes(piece) if piece.codes is None else piece.codes for piece in pieces]
        if repeated:
            return _read_repeated(pieces, repeated)
        return b"".join(codes), b"".join([piece.weights for piece in pieces])

    def add_up(self, texts: Sequence[Features]) -> _Numbers:
        """The unit vectors of texts by their features, a row each."""
        codes = np.frombuffer(b"".join([codes for codes, _ in texts]), np.uint32)
        weights = np.frombuffer(b"".join([weights for _, weights in texts]), np.float64)
        sizes = [len(codes) // _CODE_BYTES for codes, _ in texts]
        starts = np.repeat(np.arange(0, len(sizes) * self.dimensions, self.dimensions), sizes)
        values = np.copysign(weights, ~codes.view(np.int32))  # the highest bit of a hash is its sign: set for plus
        summed = np.bincount(codes % self.dimensions + starts, values, minlength=len(sizes) * self.dimensions)
        vectors = summed.reshape(len(sizes), self.dimensions)
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        lengths[lengths == 0] = 1
        return cast(_Numbers, vectors / lengths[:, None])

    def _embed(self, text: str) -> list[float]:
        return cast(list[float], self.embed_tokens([self.tokenise(text)])[0].tolist())


def _join(features: Sequence[Features]) -> Features:
    return b"".join([codes for codes, _ in features]), b"".join([weights for _, weights in features])


def _find_codes(piece: CachedPiece) -> bytes:
    """The codes of the features of a piece that is embedded for the first time; its weights are noted with them."""
    codes, piece.weights = _read_features(piece.tokens)
    piece.codes = codes  # last: another thread that sees them finds their weights too
    return codes


def _read_features(tokens: Sequence[Token]) -> Features:
    """The features of a piece in a text that says none of its words again: most are one word."""
    if len(tokens) == 1:
        lexemes = tokens[0].lexemes
        codes = _make_codes(lexemes)
        return codes, _weigh_codes(lexemes, codes)
    return _join([_read_features((token,)) for token in tokens])


def _read_repeated(pieces: Sequence[CachedPiece], repeated: Set[str]) -> Features:
    """The features of pieces, those of a word that is said again where it is said first."""
    again = list_repeating(pieces, repeated)
    counts = count_each([lexemes for piece in again for lexemes, _ in piece.tokens])
    codes: list[bytes] = []
    weights: list[bytes] = []
    for piece in pieces:
        if piece not in again:
            codes.append(piece.codes or b"")
            weights.append(piece.weights)
            continue
        for lexemes, _ in piece.tokens:
            count = counts.pop(lexemes, 0)
            if count:
                own = piece.codes if piece.codes and len(piece.tokens) == 1 else _make_codes(lexemes)
                codes.append(own)
                weights.append(_weigh_codes(lexemes, own, count))
    return b"".join(codes), b"".join(weights)


def _make_codes(lexemes: tuple[tuple[str, float], ...]) -> bytes:
    """The hashes of a word's features: the word, its keys, its n-grams."""
    word = lexemes[0][0]
    codes = [crc32(f"w:{word}".encode())]
    if len(lexemes) > 1:
        codes += [crc32(key.encode()) for key, _ in lexemes[1:]]
    padded = f"<{word}>".encode()
    codes += [crc32(padded[gram]) for gram in _slice_grams(word)]
    return array("I", codes).tobytes()


_list_codes = lru_cache(maxsize=100_000)(_make_codes)
empty_with_stores(_list_codes.cache_clear)


def _weigh_codes(lexemes: tuple[tuple[str, float], ...], codes: bytes, count: int = 1) -> bytes:
    """What the features of a word weigh that a text says so many times."""
    keys = tuple([weight for _, weight in lexemes[1:]]) if len(lexemes) > 1 else ()
    return _list_weights(keys, len(codes) // _CODE_BYTES - len(lexemes), count)


@lru_cache(maxsize=10_000)
def _list_weights(keys: tuple[float, ...], grams: int, count: int) -> bytes:
    """Few words of a language differ in it: those that agree share one object."""
    weights = [WORD_WEIGHT, *[KEY_WEIGHT * weight for weight in keys], *[1 / math.sqrt(grams or 1)] * grams]
    factor = 1 + math.log(count)
    return array("d", [weight * factor for weight in weights]).tobytes()


def _slice_grams(word: str) -> Sequence[slice]:
    """Where the n-grams of a word between marks stand in its bytes, short ones first."""
    if word.isascii():
        return _slice_even(len(word), 1)
    if _NARROW.fullmatch(word):
        return _slice_even(len(word), 2)
    return _slice_between([0, *accumulate([1, *[len(letter.encode()) for letter in word], 1])])


@lru_cache(maxsize=1_000)
def _slice_even(letters: int, width: int) -> Sequence[slice]:
    return _slice_between([0, *range(1, letters * width + 2, width), letters * width + 2])


def _slice_between(ends: Sequence[int]) -> list[slice]:
    return [slice(*pair) for size in NGRAM_LENGTHS for pair in zip(ends, ends[size:], strict=False)]
