"""The provider that settings name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import httpx
from django.conf import settings

from retrieval.embedding.hashed import DIMENSIONS, HashedEmbedder
from retrieval.embedding.http_providers import CohereEmbedder, OpenAICompatibleEmbedder
from retrieval.embedding.sentence_transformers import SentenceEmbedder
from retrieval.embedding.static_words import StaticEmbedder
from retrieval.embedding.types import EmbeddingProvider

DEFAULT_CONFIG: Mapping[str, Any] = {"provider": "hashed", "dimensions": DIMENSIONS}


class EmbeddingMisconfigured(Exception):
    """The settings name a provider that cannot be built; the message says which key is wrong."""


def build_provider(config: Mapping[str, Any]) -> EmbeddingProvider:
    """A provider from `{"provider": "hashed" | "static" | "openai_compatible" | "cohere" | "sentence", ...}`.

    The other keys are the provider's own arguments. Raises EmbeddingMisconfigured. Opens no connection yet.
    """
    arguments = {key: value for key, value in config.items() if key != "provider"}
    timeout = float(arguments.pop("timeout_seconds", settings.UNDE_TUNING.EMBED_TIMEOUT_SECONDS))
    name = config.get("provider", "hashed")
    try:
        if name == "hashed":
            return HashedEmbedder(**arguments)
        if name == "static":
            return StaticEmbedder(**arguments)
        if name == "sentence":
            return SentenceEmbedder(**arguments)
        if name == "openai_compatible":
            return OpenAICompatibleEmbedder(client=httpx.Client(timeout=timeout), **arguments)
        if name == "cohere":
            return CohereEmbedder(client=httpx.Client(timeout=timeout), **arguments)
    except TypeError:
        raise EmbeddingMisconfigured(f"the arguments of the embedding provider {name!r} are wrong") from None
    raise EmbeddingMisconfigured(f"there is no embedding provider {name!r}")


@lru_cache(maxsize=8)
def _build_cached(items: tuple[tuple[str, Any], ...]) -> EmbeddingProvider:
    return build_provider(dict(items))


def get_provider(config: Mapping[str, Any] | None = None) -> EmbeddingProvider:
    """The provider of a configuration, built once a process."""
    return _build_cached(tuple(sorted((config or DEFAULT_CONFIG).items())))
