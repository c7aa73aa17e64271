"""The built-in embedder: signed feature hashing of words and in-word character n-grams. No model, no network.

Each word gives its stem, its bridging keys and its character 3- to 5-grams; every feature is hashed to one of the
dimensions with a sign (Weinberger et al. 2009, "Feature hashing for large scale multitask learning"), so that
collisions
cancel out on average. Term frequency counts as 1 + ln(tf); there is no idf, since a vector must not depend on others.
It sees through typos and endings in any script, not through synonyms: concepts (`retrieval.concepts`) lend it a few.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from retrieval.tokens import TOKENISER_VERSION, Token, tokenise

MAX_CHARACTERS = 20_000
NGRAM_LENGTHS = (3, 4, 5)
WORD_WEIGHT = 1.0
KEY_WEIGHT = 0.5
SIGN_BIT = 31
_Numbers = NDArray[Any]
_NO_PLACES: Final[_Numbers] = np.empty(0, np.intp)
_NO_VALUES: Final[_Numbers] = np.empty(0, np.float64)


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
        places, values = [_NO_PLACES], [_NO_VALUES]
        sizes = []
        for tokens in texts:
            size = 0
            for lexemes, count in Counter([token.lexemes for token in tokens]).items():
                if lexemes:
                    word_places, word_values = _list_features(lexemes, self.dimensions)
                    places.append(word_places)
                    values.append(word_values if count == 1 else word_values * (1 + math.log(count)))
                    size += len(word_places)
            sizes.append(size)
        starts = np.repeat(np.arange(0, len(sizes) * self.dimensions, self.dimensions), sizes)
        summed = np.bincount(
            np.concatenate(places) + starts, np.concatenate(values), minlength=len(sizes) * self.dimensions
        )
        vectors = summed.reshape(len(sizes), self.dimensions)
        lengths = np.array([math.sqrt(vector @ vector) or 1.0 for vector in vectors])
        return cast(_Numbers, vectors / lengths[:, None])

    def _embed(self, text: str) -> list[float]:
        return cast(list[float], self.embed_tokens([self.tokenise(text)])[0].tolist())


@lru_cache(maxsize=100_000)
def _list_features(lexemes: tuple[tuple[str, float], ...], dimensions: int) -> tuple[_Numbers, _Numbers]:
    """The places of a word's features in the vector, each once, and what the word adds there."""
    word = lexemes[0][0]
    features = [(f"w:{word}", WORD_WEIGHT)]
    features.extend((lexeme, KEY_WEIGHT * weight) for lexeme, weight in lexemes[1:])
    values: dict[int, float] = {}
    for feature, weight in features:
        code = crc32(feature.encode())
        place = code % dimensions
        values[place] = values.get(place, 0.0) + (weight if code >> SIGN_BIT else -weight)
    codes = _list_gram_codes(f"<{word}>")
    weight = 1 / math.sqrt(len(codes) or 1)
    for code in codes:
        place = code % dimensions
        values[place] = values.get(place, 0.0) + (weight if code >> SIGN_BIT else -weight)
    return np.array(list(values), np.intp), np.array(list(values.values()), np.float64)


def _list_gram_codes(padded: str) -> list[int]:
    """The codes of a padded word's n-grams, short ones first."""
    size = len(padded)
    if padded.isascii():
        letters = padded.encode()
        return [crc32(letters[i : i + n]) for n in NGRAM_LENGTHS for i in range(size - n + 1)]
    return [crc32(padded[i : i + n].encode()) for n in NGRAM_LENGTHS for i in range(size - n + 1)]
