"""Calibrated thresholds of the privacy guard (D-19)."""

from __future__ import annotations

import time

from django.conf import settings

from retrieval.cards.guard import Thresholds
from retrieval.models import SpanThreshold

_cache: dict[tuple[str, int], tuple[float, Thresholds]] = {}


def get_thresholds(*, model_name: str, dimensions: int) -> Thresholds:
    """The thresholds of an embedding model: its calibrated rows, and starting values for other languages."""
    rows = SpanThreshold.objects.filter(model__name=model_name, model__dimensions=dimensions)
    return Thresholds(model_name, dict(rows.values_list("language", "threshold")))


def get_recent_thresholds(*, model_name: str, dimensions: int) -> Thresholds:
    """As `get_thresholds`, at most a minute old: they change when somebody calibrates, and every pack asks for them."""
    now = time.monotonic()
    found = _cache.get((model_name, dimensions))
    if found is None or now - found[0] > settings.UNDE_TUNING.GUARD_THRESHOLD_CACHED_SECONDS:
        found = (now, get_thresholds(model_name=model_name, dimensions=dimensions))
        _cache[(model_name, dimensions)] = found
    return found[1]
