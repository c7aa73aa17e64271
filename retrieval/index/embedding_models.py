"""The embedding models that vectors of this installation come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import connection

from memory.database.statements import fetch_row
from retrieval.embedding.providers import get_provider
from retrieval.embedding.types import EmbeddingProvider


def get_configured_provider() -> EmbeddingProvider:
    """The provider in `settings.UNDE_EMBEDDING`, the built-in one when it is not set."""
    config: Mapping[str, Any] | None = getattr(settings, "UNDE_EMBEDDING", None)
    return get_provider(config)


def register_model(*, provider: EmbeddingProvider) -> int:
    """The id of the provider's model, made when it is new. Writes at most one row."""
    row = fetch_row(
        "SELECT id FROM embedding_model WHERE name = %s AND dimensions = %s", [provider.name, provider.dimensions]
    ) or fetch_row(
        "INSERT INTO embedding_model (name, dimensions, is_inline) VALUES (%s, %s, %s) "
        "ON CONFLICT ON CONSTRAINT a_model_is_known_by_its_name_and_dimensions "
        "DO UPDATE SET is_inline = EXCLUDED.is_inline RETURNING id",
        [provider.name, provider.dimensions, provider.is_inline],
    )
    return int(row[0])


def store_thresholds(*, provider: EmbeddingProvider, thresholds: Mapping[str, float]) -> None:
    """Write the privacy guard's thresholds of a model by language, over older ones (D-19)."""
    model_id = register_model(provider=provider)
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO span_threshold (model_id, language, threshold) VALUES (%s, %s, %s)"
            " ON CONFLICT ON CONSTRAINT a_model_has_one_threshold_per_language"
            " DO UPDATE SET threshold = EXCLUDED.threshold, calibrated_at = now()",
            [[model_id, language, threshold] for language, threshold in sorted(thresholds.items())],
        )
