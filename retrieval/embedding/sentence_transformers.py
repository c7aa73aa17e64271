"""A local sentence model (optional: `sentence-transformers`), loaded offline from a folder or an installed package."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from retrieval.embedding.types import EmbeddingFailed, normalise_vector

MAX_CHARACTERS = 4_000
MAX_MODEL_TOKENS = 256


class SentenceEmbedder:
    """Vectors of a sentence-transformers model. One thread: two on shared cores stall (docs/retrieval-quality.md)."""

    is_inline = False

    def __init__(self, *, path: str = "", package: str = "", dimensions: int = 384) -> None:
        self._folder = find_model_folder(path=path, package=package)
        self.name = f"sentence:{package or self._folder.name}"
        self.dimensions = dimensions
        self._model: Any = None

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of messages; the model reads their first 256 tokens."""
        vectors = self._load().encode(
            [text[:MAX_CHARACTERS] for text in texts], batch_size=32, normalize_embeddings=True, show_progress_bar=False
        )
        return [normalise_vector([float(number) for number in vector]) for vector in vectors]

    def _load(self) -> Any:
        if self._model is None:
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
            try:
                library = importlib.import_module("sentence_transformers")
            except ImportError:
                raise EmbeddingFailed("sentence_transformers_missing", is_outage=True) from None
            importlib.import_module("torch").set_num_threads(1)
            self._model = library.SentenceTransformer(str(self._folder), device="cpu")
            self._model.max_seq_length = MAX_MODEL_TOKENS
        return self._model


def find_model_folder(*, path: str, package: str) -> Path:
    """The folder of the model: `path`, or `model/` inside an installed package. Raises EmbeddingFailed."""
    if path:
        folder = Path(path)
    else:
        spec = importlib.util.find_spec(package) if package else None
        if spec is None or spec.origin is None:
            raise EmbeddingFailed("sentence_model_missing", is_outage=True)
        folder = Path(spec.origin).parent / "model"
    if not folder.is_dir():
        raise EmbeddingFailed("sentence_model_missing", is_outage=True)
    return folder
