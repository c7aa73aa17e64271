"""Embedders over the network: any OpenAI-compatible endpoint, and Cohere."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
from django.conf import settings

from memory.bodies import ACCEPTED, BodyTooLong, BodyUnreadable, read_body
from retrieval.embedding.types import EmbeddingFailed, normalise_vector

OUTAGE_STATUSES = frozenset({401, 402, 403, 404, 405, 407, 429})
"""Keys, addresses, quotas and limits: no text brings these about."""
MAX_NUMBER = 1e6  # in a vector, whose length is made 1


class OpenAICompatibleEmbedder:
    """`POST {base_url}/embeddings` as OpenAI, vLLM, Ollama, text-embeddings-inference and others answer it."""

    is_inline = False

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dimensions: int,
        client: httpx.Client,
        api_key: str = "",
        send_dimensions: bool = False,
    ) -> None:
        self.name = f"openai:{model}"
        self.dimensions = dimensions
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._model = model
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = client
        self._extra: dict[str, Any] = {"dimensions": dimensions} if send_dimensions else {}

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self._embed([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of messages, 64 a request."""
        return [
            vector
            for start in range(0, len(texts), settings.UNDE_TUNING.EMBED_TEXTS_A_REQUEST)
            for vector in self._embed(texts[start : start + settings.UNDE_TUNING.EMBED_TEXTS_A_REQUEST])
        ]

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        body = {
            "model": self._model,
            "input": [text[: settings.UNDE_TUNING.EMBED_MAX_CHARACTERS] for text in texts],
            **self._extra,
        }
        answer = post_json(self._client, self._url, body, self._headers)
        items = answer.get("data")
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise EmbeddingFailed("embedding_answer_malformed")
        ordered = sorted(items, key=lambda item: item["index"] if isinstance(item.get("index"), int) else 0)
        return check_vectors([item.get("embedding") for item in ordered], count=len(texts), dimensions=self.dimensions)


class CohereEmbedder:
    """Cohere's `POST /v2/embed`, which tells questions from documents by `input_type`."""

    is_inline = False

    def __init__(
        self,
        *,
        model: str,
        dimensions: int,
        client: httpx.Client,
        api_key: str,
        base_url: str = "https://api.cohere.com",
    ) -> None:
        self.name = f"cohere:{model}"
        self.dimensions = dimensions
        self._url = f"{base_url.rstrip('/')}/v2/embed"
        self._model = model
        self._headers = {"Authorization": f"Bearer {api_key}"}
        self._client = client

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self._embed([text], input_type="search_query")[0]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of messages, 64 a request."""
        portions = (
            texts[start : start + settings.UNDE_TUNING.EMBED_TEXTS_A_REQUEST]
            for start in range(0, len(texts), settings.UNDE_TUNING.EMBED_TEXTS_A_REQUEST)
        )
        return [vector for portion in portions for vector in self._embed(portion, input_type="search_document")]

    def _embed(self, texts: Sequence[str], *, input_type: str) -> list[list[float]]:
        body = {
            "model": self._model,
            "input_type": input_type,
            "embedding_types": ["float"],
            "texts": [text[: settings.UNDE_TUNING.EMBED_MAX_CHARACTERS] for text in texts],
        }
        answer = post_json(self._client, self._url, body, self._headers)
        embeddings = answer.get("embeddings")
        vectors = embeddings.get("float") if isinstance(embeddings, dict) else None
        return check_vectors(vectors if isinstance(vectors, list) else [], count=len(texts), dimensions=self.dimensions)


def post_json(client: httpx.Client, url: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """The JSON object that the endpoint answers. Raises EmbeddingFailed with a code, never with the body sent."""
    try:
        with client.stream("POST", url, json=body, headers={**headers, "Accept-Encoding": ACCEPTED}) as answer:
            if answer.status_code >= 400:
                raise EmbeddingFailed(
                    f"embedding_http_{answer.status_code}",
                    is_outage=answer.status_code in OUTAGE_STATUSES,
                    retry_after_seconds=read_retry_after(answer.headers.get("Retry-After", "")),
                )
            received = read_body(answer, limit=settings.UNDE_TUNING.EMBED_MAX_ANSWER_BYTES)
    except (httpx.ConnectError, httpx.ConnectTimeout):
        raise EmbeddingFailed("embedding_unreachable", is_outage=True) from None
    except httpx.TimeoutException:
        raise EmbeddingFailed("embedding_timeout") from None
    except httpx.HTTPError:
        raise EmbeddingFailed("embedding_unreachable") from None
    except BodyTooLong:
        raise EmbeddingFailed("embedding_answer_too_long") from None
    except BodyUnreadable:
        raise EmbeddingFailed("embedding_answer_malformed") from None
    return _read_object(received)


def _read_object(body: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        raise EmbeddingFailed("embedding_answer_malformed") from None
    if not isinstance(parsed, dict):
        raise EmbeddingFailed("embedding_answer_malformed")
    return parsed


def read_retry_after(text: str) -> float:
    """Seconds of a `Retry-After`; 0 where it is a date, or not there."""
    return float(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0.0


def check_vectors(vectors: Sequence[Any], *, count: int, dimensions: int) -> list[list[float]]:
    """The vectors at length 1. Raises EmbeddingFailed when one is missing or has other dimensions than configured."""
    if len(vectors) != count:
        raise EmbeddingFailed("embedding_answer_incomplete")
    if any(not isinstance(vector, list) or len(vector) != dimensions for vector in vectors):
        raise EmbeddingFailed("embedding_dimensions_differ", is_outage=True)
    if not all(_is_number(number) for vector in vectors for number in vector):
        raise EmbeddingFailed("embedding_answer_malformed")
    return [normalise_vector([float(number) for number in vector]) for vector in vectors]


def _is_number(number: object) -> bool:
    """Whether it is a number that can be reckoned with: JSON can say some that are too large, and no number at all."""
    return isinstance(number, int | float) and abs(number) <= MAX_NUMBER and math.isfinite(number)
