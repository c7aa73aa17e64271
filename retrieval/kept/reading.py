"""What a search needs of a kept document: its lexemes and its vector, as JSON that is sealed with the document."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from patterns.text.lexemes import pack_lexemes
from patterns.text.tokens import count_words, tokenise
from retrieval.embedding.types import EmbeddingFailed, EmbeddingProvider
from retrieval.index.embedding_models import get_configured_provider
from retrieval.search.time_limits import TooLate, run_until
from retrieval.types import QueryVector

MAX_CHARACTERS: Final = 20_000
"""The rest of a longer document is kept and not searched."""
EMBED_DEADLINE_MS: Final = 5_000  # of a write, where the embedder is across the network; then words alone find it


def read_documents(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Words, lexemes and vector of each text. Without an answer of the embedder a document is found by words alone."""
    heads = [text[:MAX_CHARACTERS] for text in texts]
    vectors = _embed(heads, get_configured_provider()) if heads else []
    return [_read(text, vector) for text, vector in zip(heads, vectors, strict=True)]


def read_lexemes(data: Mapping[str, Any]) -> tuple[int, bytes]:
    """The number of words of a document, and its lexemes (`patterns.text.lexemes`)."""
    return int(data["words"]), b64decode(data["lexemes"])


def multiply(data: Mapping[str, Any], vector: QueryVector | None) -> float:
    """The dot product of a document with the question; NaN without a vector of the same model."""
    if vector is None or data.get("model") != [vector.model_name, vector.dimensions]:
        return float("nan")
    numbers: NDArray[np.float16] = np.frombuffer(b64decode(data["vector"]), dtype="<f2")
    return float(numbers.astype(np.float32) @ np.asarray(vector.numbers, dtype=np.float32))


def _read(text: str, vector: tuple[list[Any], Sequence[float]] | None) -> dict[str, Any]:
    first, rest = pack_lexemes(tokenise(text), lent=())
    data: dict[str, Any] = {"words": count_words(text), "lexemes": b64encode(first + (rest or b"")).decode()}
    if vector is not None:
        model, numbers = vector
        data |= {"model": model, "vector": b64encode(np.asarray(numbers, dtype="<f2").tobytes()).decode()}
    return data


def _embed(texts: Sequence[str], provider: EmbeddingProvider) -> list[tuple[list[Any], Sequence[float]] | None]:
    try:
        if provider.is_inline:
            vectors = provider.embed_documents(texts)
        else:
            vectors = run_until(lambda: provider.embed_documents(texts), deadline_ms=EMBED_DEADLINE_MS)
    except (EmbeddingFailed, TooLate):
        return [None] * len(texts)
    return [([provider.name, provider.dimensions], vector) for vector in vectors]
