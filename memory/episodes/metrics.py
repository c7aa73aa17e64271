"""Figures of episodes. Labels are codes; no user text (SPEC Q-1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from django.utils import timezone
from prometheus_client import Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric

from memory.database.statements import fetch_rows
from memory.episodes.types import LAYERS

CUT = Counter("unde_episodes_cut_total", "Episodes written by cutting, those cut anew included")
LAYERED = Counter("unde_episodes_layered_total", "Episodes that nightly rounds looked at, by layer", ["layer"])
WORDED = Counter("unde_episodes_worded_total", "Episodes that a model was asked about, by what came of it", ["outcome"])
CUT_SECONDS = Histogram(
    "unde_episode_cutting_seconds", "Cutting one conversation", buckets=(0.005, 0.02, 0.1, 0.5, 2, 10, 60)
)
AGES: Final = (1, 7, 14, 30, 90, 180, 365, 730)  # days


def read_episodes() -> Iterator[Metric]:
    """How many episodes are in each layer, and how old they are, as the database has it now."""
    rows = fetch_rows(
        "SELECT layer, step, episodes FROM count_episodes_v1(%s::timestamptz, %s::integer[])",
        [timezone.now(), list(AGES)],
    )
    layers = dict.fromkeys(LAYERS, 0)
    steps: dict[int, int] = defaultdict(int)
    for layer, step, count in rows:
        layers[layer] += count
        steps[step] += count
    gauge = GaugeMetricFamily("unde_episodes", "Episodes by layer", labels=["layer"])
    for layer, count in layers.items():
        gauge.add_metric([layer], count)
    yield gauge
    ages = HistogramMetricFamily("unde_episode_age_days", "Days since an episode ended")
    ages.add_metric([], _add_up(steps), sum_value=None)
    yield ages


def _add_up(steps: dict[int, int]) -> list[tuple[str, float]]:
    total, buckets = 0, []
    for place, days in enumerate((*AGES, "+Inf")):
        total += steps[place]
        buckets.append((str(days), float(total)))
    return buckets
