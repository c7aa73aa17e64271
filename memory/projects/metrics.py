"""Counters of projects for /metrics: processes and codes, no ids."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Histogram

REASONS: Final = (
    "malformed", "unknown_message", "not_the_users_words", "quote_not_there", "value_not_in_quote",
    "subject_not_in_message", "not_in_request", "unknown_mark",
)  # fmt: skip
"""Why a proposal of a model is refused."""
PROCESSES: Final = ("update", "snapshot", "context", "writeback", "normalise", "infer")

PROJECT_RUNS = Counter("unde_project_runs", "Runs of the processes of projects.", ["process"])
PROJECT_SECONDS = Histogram(
    "unde_project_seconds",
    "Seconds that a process of a project took.",
    ["process"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60),
)
PROJECT_CONTRADICTIONS = Counter("unde_project_contradictions", "Contradictions found, by rule.", ["rule"])
PROJECT_REFUSALS = Counter(
    "unde_project_refusals", "Proposals of a model about projects that the gate refused, by reason.", ["reason"]
)

for _reason in REASONS:
    PROJECT_REFUSALS.labels(_reason)
for _process in PROCESSES:
    PROJECT_RUNS.labels(_process)
    PROJECT_SECONDS.labels(_process)
for _rule in ("exclusive", "polarity", "title"):
    PROJECT_CONTRADICTIONS.labels(_rule)
