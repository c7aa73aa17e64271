"""The built-in embedder: signed feature hashing of words and in-word character n-grams. No model, no network.

Each word gives its stem, its bridging keys and its character 3- to 5-grams; every feature is hashed to one of the
dimensions with a sign (Weinberger et al. 2009, "Feature hashing for large scale multitask learning"), so that
collisions
cancel out on average. Term frequency counts as 1 + ln(tf); there is no idf, since a vector must not depend on others.
It sees through typos and endings in any script, not through synonyms: concepts (`retrieval.concepts`) lend it a few.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from retrieval.pieces import KeptPiece
from retrieval.tokens import TOKENISER_VERSION, Token, tokenise

MAX_CHARACTERS = 20_000
NGRAM_LENGTHS = (3, 4, 5)
WORD_WEIGHT = 1.0
KEY_WEIGHT = 0.5
SIGN_BIT = 31
_Numbers = NDArray[Any]
Features = tuple[bytes, bytes]
"""Places of 64 bits, and as many values: as bytes they are made and put together faster than as small arrays."""

_NUMBER_BYTES: Final = 8


class HashedEmbedder:
    """Vectors by feature hashing: about 0.1 ms for a message of usual length, so it runs inline (D-8)."""

    is_inline = True

    def __init__(self, *, dimensions: int = 512) -> None:
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

    def list_features(self, tokens: Iterable[Token]) -> list[Features]:
        """Where the words of a text stand in its vector and what they add there: places of each and values."""
        features = []
        for lexemes, count in Counter([token.lexemes for token in tokens]).items():
            if lexemes:
                places, values = _list_features(lexemes, self.dimensions)
                features.append((places, values if count == 1 else _multiply(values, 1 + math.log(count))))
        return features

    def list_piece_features(self, pieces: Iterable[KeptPiece]) -> list[Features]:
        """As `list_features`, for the pieces of a text that says no word twice."""
        features = []
        for piece in pieces:
            if piece.tokens:
                known = piece.features
                if known is None or known[0] != self.dimensions:
                    known = piece.features = (self.dimensions, self._list_new_features(piece.tokens))
                features.extend(known[1])
        return features

    def _list_new_features(self, tokens: Sequence[Token]) -> list[Features]:
        """As `list_features`, for a piece that was not met before: most are one word, and it is kept with them."""
        if len(tokens) == 1:
            lexemes = tokens[0].lexemes
            return [_make_features(lexemes, self.dimensions)] if lexemes else []
        return self.list_features(tokens)

    def add_up(self, texts: Sequence[Sequence[Features]]) -> _Numbers:
        """The unit vectors of texts by their features, a row each."""
        places: list[bytes] = []
        values: list[bytes] = []
        sizes = []
        for features in texts:
            own_places = b"".join([each for each, _ in features])
            places.append(own_places)
            values += [each for _, each in features]
            sizes.append(len(own_places) // _NUMBER_BYTES)
        starts = np.repeat(np.arange(0, len(sizes) * self.dimensions, self.dimensions), sizes)
        summed = np.bincount(
            np.frombuffer(b"".join(places), np.int64) + starts,
            np.frombuffer(b"".join(values), np.float64),
            minlength=len(sizes) * self.dimensions,
        )
        vectors = summed.reshape(len(sizes), self.dimensions)
        lengths = np.array([math.sqrt(vector @ vector) or 1.0 for vector in vectors])
        return cast(_Numbers, vectors / lengths[:, None])

    def _embed(self, text: str) -> list[float]:
        return cast(list[float], self.embed_tokens([self.tokenise(text)])[0].tolist())


def _multiply(values: bytes, factor: float) -> bytes:
    return (np.frombuffer(values, np.float64) * factor).tobytes()


def _make_features(lexemes: tuple[tuple[str, float], ...], dimensions: int) -> Features:
    """The places of a word's features in the vector, each once, and what the word adds there."""
    word = lexemes[0][0]
    features = [(f"w:{word}", WORD_WEIGHT)]
    features.extend((lexeme, KEY_WEIGHT * weight) for lexeme, weight in lexemes[1:])
    codes = [crc32(feature.encode()) for feature, _ in features]
    grams = _list_gram_codes(f"<{word}>")
    codes += grams
    each = 1 / math.sqrt(len(grams) or 1)
    weights = [weight for _, weight in features]
    weights += [each] * len(grams)
    places = [code % dimensions for code in codes]
    signed = [weight if code >> SIGN_BIT else -weight for code, weight in zip(codes, weights, strict=True)]
    if len(set(places)) < len(places):
        values: dict[int, float] = {}
        for place, value in zip(places, signed, strict=True):
            values[place] = values.get(place, 0.0) + value
        places, signed = list(values), list(values.values())
    return array("q", places).tobytes(), array("d", signed).tobytes()


_list_features = lru_cache(maxsize=100_000)(_make_features)


def _list_gram_codes(padded: str) -> list[int]:
    """The codes of a padded word's n-grams, short ones first."""
    size = len(padded)
    if padded.isascii():
        letters = padded.encode()
        return [crc32(letters[i : i + n]) for n in NGRAM_LENGTHS for i in range(size - n + 1)]
    letters = padded.encode()
    ends = [0, *accumulate([len(letter.encode()) for letter in padded])]
    return [crc32(letters[ends[i] : ends[i + n]]) for n in NGRAM_LENGTHS for i in range(size - n + 1)]
