"""Word vectors of English out of a package's files (optional: `wordllama`, MIT), with hashing for other scripts.

A text's vector is the mean of those of its pieces, trained so that texts of one meaning are near each other (Miller,
"WordLlama", 2024). None of the package's own code runs: it would ask the network for a tokenizer that lies beside it.
A text most of whose letters are not Latin gets the built-in vector: its pieces are single bytes, and all such texts
would be alike. Vectors of the two kinds are near each other by chance alone.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from patterns.text.caches import empty_with_stores
from retrieval.embedding.hashed import DIMENSIONS, HashedEmbedder
from retrieval.embedding.sentence_transformers import MAX_CHARACTERS
from retrieval.embedding.types import EmbeddingFailed

PACKAGE: Final = "wordllama"
WEIGHTS: Final = Path("weights", "l2_supercat_256.safetensors")
PIECES: Final = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_TENSOR: Final = "embedding.weight"
_LATIN: Final = re.compile("[a-zA-Z\u00c0-\u024f]")
_LETTER: Final = re.compile(r"[^\W\d_]")


class StaticEmbedder:
    """Vectors by word vectors: about 0.1 ms for a message of usual length, so it runs inline (D-8).

    The weights are mapped into memory: all processes of a machine share their 16 MB.
    """

    is_inline = True
    dimensions = DIMENSIONS

    def __init__(self, *, path: str = "", dimensions: int = DIMENSIONS) -> None:
        """`path`: the folder of the package where it is not installed. Raises EmbeddingFailed."""
        folder = Path(path) if path else _find_package()
        self._weights = map_weights(folder / WEIGHTS)
        self._pieces = _read_pieces(folder / PIECES)
        if not self._weights.shape[1] == self.dimensions == dimensions:
            raise EmbeddingFailed("static_vectors_of_other_dimensions", is_outage=True)
        self._hashed = HashedEmbedder(dimensions=dimensions)
        self.name = f"static-{PACKAGE}-{_find_version(path)}+{self._hashed.name}"
        empty_with_stores(self._pieces.model._clear_cache)  # pieces of words that were met

    def embed_query(self, text: str) -> list[float]:
        """As for documents: one function serves both sides."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector a text; an empty text gives the zero vector."""
        return [self._embed(text) if is_latin(text) else self._hashed.embed_query(text) for text in texts]

    def _embed(self, text: str) -> list[float]:
        ids = self._pieces.encode(text[:MAX_CHARACTERS], add_special_tokens=False).ids
        if not ids:
            return [0.0] * self.dimensions
        mean = self._weights[ids].mean(axis=0, dtype=np.float64)
        return cast("list[float]", (mean / (math.sqrt(mean @ mean) or 1.0)).tolist())


def is_latin(text: str) -> bool:
    """Whether at least half of the letters of a text are Latin."""
    head = text[:MAX_CHARACTERS]
    return head.isascii() or 2 * len(_LATIN.findall(head)) >= len(_LETTER.findall(head))


def map_weights(file: Path) -> NDArray[Any]:
    """The vectors of a safetensors file, a row a piece, mapped and not read. Raises EmbeddingFailed.

    The format: eight bytes with the length of a head in JSON, which names type, shape and place of each tensor.
    """
    try:
        with file.open("rb") as opened:
            size = int.from_bytes(opened.read(8), "little")
            tensor = json.loads(opened.read(size))[_TENSOR]
            if tensor["dtype"] != "F16":
                raise EmbeddingFailed("static_vectors_unreadable", is_outage=True)
            place, shape = 8 + size + tensor["data_offsets"][0], tuple(tensor["shape"])
        return np.memmap(file, dtype=np.float16, mode="r", offset=place, shape=shape)
    except OSError:
        raise EmbeddingFailed("static_vectors_missing", is_outage=True) from None
    except (ValueError, KeyError, IndexError, TypeError):
        raise EmbeddingFailed("static_vectors_unreadable", is_outage=True) from None


def _find_package() -> Path:
    spec = importlib.util.find_spec(PACKAGE)  # finds it without running it
    if spec is None or spec.origin is None:
        raise EmbeddingFailed("static_vectors_missing", is_outage=True)
    return Path(spec.origin).parent


def _read_pieces(file: Path) -> Any:
    try:
        pieces = importlib.import_module("tokenizers").Tokenizer.from_file(str(file))
    except ImportError:
        raise EmbeddingFailed("tokenizers_missing", is_outage=True) from None
    except Exception:  # the library raises plain Exception for a file that it cannot read
        raise EmbeddingFailed("static_vectors_unreadable", is_outage=True) from None
    pieces.no_truncation()
    pieces.no_padding()
    return pieces


def _find_version(path: str) -> str:
    """What vectors depend on beside the text: the files' version, or the folder that they are read from."""
    if path:
        return Path(path).name
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "unknown"
