"""How the processes of a project do (MAAS, Monitor): figures of the last weeks, from counts alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings

from memory.database.statements import fetch_row
from memory.projects.selectors.projects import count_contradictions
from memory.projects.types import ProjectRef

_FIGURES: Final = """
SELECT
  percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds) FILTER (WHERE process = 'context'),
  percentile_cont(0.95) WITHIN GROUP (ORDER BY milliseconds) FILTER (WHERE process = 'context'),
  sum(hits) FILTER (WHERE process = 'writeback')::float / nullif(sum(cited) FILTER (WHERE process = 'writeback'), 0),
  sum(attributed)::float / nullif(sum(stated), 0),
  avg(used_tokens::float / nullif(budget_tokens, 0)) FILTER (WHERE process = 'context'),
  count(*), coalesce(sum(refused), 0)
FROM project_run WHERE project_id = %s AND at >= %s
"""


@dataclass(frozen=True, slots=True)
class Figures:
    """None where nothing was counted yet."""

    latency_p50_ms: float | None
    latency_p95_ms: float | None
    hit_at_k: float | None
    attr_rate: float | None
    conflict_rate: float
    token_budget_used: float | None
    runs: int
    refused: int


def read_figures(project: ProjectRef, *, now: datetime) -> Figures:
    """The monitor's figures. Reads only."""
    since = now - settings.UNDE_TUNING.PROJECT_RUNS_KEPT
    p50, p95, hits, attributed, used, runs, refused = fetch_row(_FIGURES, [project.id, since])
    contradictions, records = count_contradictions(project)
    return Figures(
        _round(p50), _round(p95), _round(hits), _round(attributed), round(contradictions / max(records, 1), 4),
        _round(used), runs, refused,
    )  # fmt: skip


def _round(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)
