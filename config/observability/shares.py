"""Shares that follow from counters of all processes, under the KSP document's names. NaN before the first event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import nan
from typing import Final

from prometheus_client.core import GaugeMetricFamily, Metric


@dataclass(frozen=True, slots=True)
class Share:
    """The events of a counter whose label has a value that begins so, over all of its events."""

    name: str
    words: str
    counter: str
    label: str
    begins: str


SHARES: Final = (
    Share(
        "unde_snippet_cache_hit_ratio",
        "Long messages shown whose snippet was there",
        "unde_snippet_lookups_total",
        "found",
        "yes",
    ),
    Share(
        "unde_validator_rejection_rate",
        "Proposals of the model that the gate refused",
        "unde_validator_gate_total",
        "result",
        "rejected_",
    ),
)


def make_shares(families: Iterable[Metric]) -> Iterator[Metric]:
    """Each share as a gauge."""
    counts = {share.name: [0.0, 0.0] for share in SHARES}
    for family in families:
        for sample in family.samples:
            for share in SHARES:
                if sample.name == share.counter:
                    counts[share.name][1] += sample.value
                    if sample.labels.get(share.label, "").startswith(share.begins):
                        counts[share.name][0] += sample.value
    for share in SHARES:
        part, whole = counts[share.name]
        gauge = GaugeMetricFamily(share.name, share.words)
        gauge.add_metric([], part / whole if whole else nan)
        yield gauge
