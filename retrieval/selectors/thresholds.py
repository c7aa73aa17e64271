"""Calibrated thresholds of the privacy guard (D-19)."""

from __future__ import annotations

from retrieval.guard import Thresholds
from retrieval.models import SpanThreshold


def get_thresholds(*, model_name: str, dimensions: int) -> Thresholds:
    """The thresholds of an embedding model: its calibrated rows, and starting values for other languages."""
    rows = SpanThreshold.objects.filter(model__name=model_name, model__dimensions=dimensions)
    return Thresholds(model_name, dict(rows.values_list("language", "threshold")))
