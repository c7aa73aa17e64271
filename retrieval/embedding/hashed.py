"""The built-in embedder: signed feature hashing of words and in-word character n-grams. No model, no network.

Each word gives its stem, its bridging keys and its character 3- to 5-grams; every feature is hashed to one of the
dimensions with a sign (Weinberger et al. 2009, "Feature hashing for large scale multitask learning"), so that
collisions
cancel out on average. Term frequency counts as 1 + ln(tf); there is no idf, since a vector must not depend on others.
It sees through typos and endings in any script, not through synonyms: concepts (`retrieval.concepts`) lend it a few.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from retrieval.tokens import TOKENISER_VERSION, Token, tokenise

MAX_CHARACTERS = 20_000
NGRAM_LENGTHS = (3, 4, 5)
WORD_WEIGHT = 1.0
KEY_WEIGHT = 0.5
SIGN_BIT = 31
_Numbers = NDArray[Any]


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

    def embed_tokens(self, tokens: Iterable[Token]) -> _Numbers:
        """The unit vector of a text whose words are known already; zeros for none."""
        counts: dict[tuple[tuple[str, float], ...], int] = {}
        for token in tokens:
            counts[token.lexemes] = counts.get(token.lexemes, 0) + 1
        counts.pop((), None)
        if not counts:
            return np.zeros(self.dimensions)
        words = [_list_features(lexemes, self.dimensions) for lexemes in counts]
        values = [
            word_values if count == 1 else word_values * (1 + math.log(count))
            for (_, word_values), count in zip(words, counts.values(), strict=True)
        ]
        vector = np.bincount(
            np.concatenate([places for places, _ in words]), np.concatenate(values), minlength=self.dimensions
        )
        length = math.sqrt(vector @ vector)
        return vector / length if length else vector

    def _embed(self, text: str) -> list[float]:
        return cast(list[float], self.embed_tokens(tokenise(text[:MAX_CHARACTERS])).tolist())


@lru_cache(maxsize=100_000)
def _list_features(lexemes: tuple[tuple[str, float], ...], dimensions: int) -> tuple[_Numbers, _Numbers]:
    """The places of a word's features in the vector, each once, and what the word adds there."""
    word = lexemes[0][0]
    features = [(f"w:{word}", WORD_WEIGHT)]
    features.extend((lexeme, KEY_WEIGHT * weight) for lexeme, weight in lexemes[1:])
    padded = f"<{word}>"
    grams = [padded[i : i + n] for n in NGRAM_LENGTHS for i in range(len(padded) - n + 1)]
    features.extend((gram, 1 / math.sqrt(len(grams))) for gram in grams)
    values: dict[int, float] = {}
    for feature, weight in features:
        code = zlib.crc32(feature.encode())
        place = code % dimensions
        values[place] = values.get(place, 0.0) + (weight if code >> SIGN_BIT else -weight)
    return np.fromiter(values, np.intp, len(values)), np.fromiter(values.values(), np.float64, len(values))
