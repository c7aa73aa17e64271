"""Asking a provider for vectors, and telling what it refuses from its being away (SPEC E-2). No database here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.conf import settings

from memory.types import RecordedMessage
from retrieval.embedding.types import EmbeddingFailed, EmbeddingProvider
from retrieval.index.entries import build_embedded_text
from retrieval.index.outages import ProviderAway

HARMLESS: Final = "ok"
"""A text that every provider takes: one that refuses it takes nothing."""


@dataclass(slots=True)
class Asked:
    """What became of messages: vectors, codes of those refused; neither for those that were not asked about."""

    vectors: dict[UUID, list[float]] = field(default_factory=dict)
    refused: dict[UUID, str] = field(default_factory=dict)
    away: ProviderAway | None = None
    """Set when the provider went away in between."""


def ask_for_vectors(messages: Sequence[RecordedMessage], *, provider: EmbeddingProvider) -> Asked:
    """Vectors of messages in one request; where it fails and the provider is there, message by message."""
    try:
        texts = [build_embedded_text(message) for message in messages]
        vectors = provider.embed_documents(texts) if texts else []
        return Asked(vectors=dict(zip((message.id for message in messages), vectors, strict=True)))
    except EmbeddingFailed as failure:
        if is_away(provider, failure):
            return Asked(away=ProviderAway(failure))
        if len(messages) == 1:
            return Asked(refused={messages[0].id: failure.code})
    return _ask_one_by_one(messages, provider)


def is_away(provider: EmbeddingProvider, failure: EmbeddingFailed) -> bool:
    """Whether a failure is the provider's: it says so itself, or it does not take a harmless text either. Asks it."""
    if failure.is_outage:
        return True
    try:
        provider.embed_documents([HARMLESS])
    except EmbeddingFailed:
        return True
    return False


def _ask_one_by_one(messages: Sequence[RecordedMessage], provider: EmbeddingProvider) -> Asked:
    asked = Asked()
    for message in messages:
        one = ask_for_vectors([message], provider=provider)
        asked.vectors.update(one.vectors)
        asked.refused.update(one.refused)
        asked.away = one.away
        if asked.away or len(asked.refused) >= settings.UNDE_TUNING.EMBED_MAX_REFUSED:
            break
    return asked
