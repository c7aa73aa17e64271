"""What every embedding provider promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class EmbeddingFailed(Exception):
    """A provider could not answer. `str()` is a code, never text that was to be embedded."""

    def __init__(self, code: str, *, is_permanent: bool = False) -> None:
        super().__init__(code)
        self.code = code
        self.is_permanent = is_permanent


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


def format_vector(vector: Sequence[float]) -> str:
    """A vector as PostgreSQL reads it. Zeros are short: hashed vectors are mostly zeros."""
    return "[" + ",".join([f"{number:.5g}" if number else "0" for number in vector]) + "]"


def normalise_vector(vector: Sequence[float]) -> list[float]:
    """The vector at length 1; a zero vector stays zero, so that it is near nothing."""
    length = sum(number * number for number in vector) ** 0.5
    return [number / length for number in vector] if length else list(vector)
