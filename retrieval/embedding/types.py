"""What every embedding provider promises."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray


class EmbeddingFailed(Exception):
    """A provider could not answer. `str()` is a code, never text that was to be embedded.

    `is_outage`: this can't be the text's fault. Other failures may be either's. `retry_after_seconds`: as it asks.
    """

    def __init__(self, code: str, *, is_outage: bool = False, retry_after_seconds: float = 0.0) -> None:
        super().__init__(code)
        self.code = code
        self.is_outage = is_outage
        self.retry_after_seconds = retry_after_seconds


class EmbeddingProvider(Protocol):
    """Makes unit vectors of `dimensions` numbers. `name` changes whenever the vectors would: it is stored with each.

    `is_inline` providers are quick and local and may run inside the ingest transaction (D-8); others run in workers.
    Both methods raise EmbeddingFailed; neither writes anything.
    """

    name: str
    dimensions: int
    is_inline: bool

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of messages, in order."""
        ...


def format_vector(vector: Sequence[float] | NDArray[Any]) -> str:
    """A vector as PostgreSQL reads it, each number as the half-precision one that will be stored.

    Half-precision numbers are few: looking their texts up takes a third of the time of writing them.
    """
    texts = _list_half_texts()
    return f"[{','.join([texts[code] for code in _encode_halves(vector)])}]"


def pack_vector(vector: Sequence[float]) -> bytes:
    """A vector as PostgreSQL receives a `halfvec` in binary: dimensions, nothing, half-precision numbers."""
    with np.errstate(over="ignore"):
        return len(vector).to_bytes(2) + b"\0\0" + np.asarray(vector, dtype=">f2").tobytes()


def _encode_halves(vector: Sequence[float] | NDArray[Any]) -> list[int]:
    with np.errstate(over="ignore"):  # what is too big becomes "inf", which the database refuses
        return cast(list[int], np.asarray(vector, dtype=np.float16).view(np.uint16).tolist())


@cache
def _list_half_texts() -> list[str]:
    """The text of every half-precision number by its 16 bits. Zeros are short: hashed vectors are mostly zeros."""
    numbers = np.arange(1 << 16, dtype=np.uint16).view(np.float16).tolist()
    return ["0" if number == 0 else f"{number:.5g}" for number in numbers]


def normalise_vector(vector: Sequence[float]) -> list[float]:
    """The vector at length 1; a zero vector stays zero, so that it is near nothing."""
    length = sum(number * number for number in vector) ** 0.5
    return [number / length for number in vector] if length else list(vector)
