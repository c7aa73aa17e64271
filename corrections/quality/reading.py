"""Reads what was measured: the levels at a moment, and the trend of each (SPEC Q-2). In a tenant scope."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings

from corrections.models import QualityRun, QualityTrend
from corrections.quality.levels import LEVELS, OBSERVE, OFFLINE, Level, list_levels
from corrections.review.figures import ErrorRate, list_error_rates
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings

PRECISION_SLICES: Final = ("rule", "prompt", "model", "language")


@dataclass(frozen=True, slots=True)
class Indicator:
    """A service level as it was last measured; without a value where it was not yet."""

    level: Level
    value: float | None
    n: int
    state: str
    passes: float
    fails: float
    measured_at: datetime | None


def list_indicators(*, tenant_id: UUID, at: datetime) -> list[Indicator]:
    """The eleven service levels, then the offline measures, as they stood at a moment."""
    tenant = find_tenant(tenant_id=tenant_id)
    levels = list_levels(read_settings(tenant).quality_limits if tenant else {})
    rows = QualityTrend.objects.filter(tenant_id=tenant_id, measured_at__lte=at)
    last = {row.indicator: row for row in rows.order_by("indicator", "-measured_at").distinct("indicator")}
    return [_make_indicator(levels[name], last.get(name)) for name in (*LEVELS, *OFFLINE)]


@dataclass(frozen=True, slots=True)
class LanguageShare:
    """What the last finished run of an offline measure counted in one language."""

    indicator: str
    language: str
    n: int
    bad: int
    as_of: datetime
    """What the run took for now."""

    @property
    def value(self) -> float:
        """The share of exchanges that count against memory."""
        return self.bad / self.n


def list_language_shares(*, tenant_id: UUID, at: datetime) -> list[LanguageShare]:
    """The offline measures by language as the last runs before a moment found them, most exchanges first."""
    rows = QualityRun.objects.filter(tenant_id=tenant_id, finished_at__lte=at)
    last = rows.order_by("indicator", "-began_at").distinct("indicator")
    found = [
        LanguageShare(run.indicator, language, n, bad, run.began_at)
        for run in last
        for language, (n, bad) in run.counts.items()
        if n
    ]
    return sorted(found, key=lambda one: (one.indicator, -one.n, one.language))


def list_precisions(*, tenant_id: UUID, at: datetime) -> list[tuple[str, ErrorRate]]:
    """How much of what memory learnt was right by rule version, prompt, model and language, as (slice, rate).

    Over the items that reviewers decided in the two weeks before a moment; of each slice the most judged values.
    """
    since, most = at - settings.UNDE_TUNING.REVIEW_WINDOW, settings.UNDE_TUNING.PRECISIONS_LISTED
    return [
        (name, rate)
        for name in PRECISION_SLICES
        for rate in list_error_rates(tenant_id=tenant_id, slice_name=name, since=since, until=at)[:most]
    ]


def list_trend(*, tenant_id: UUID, since: datetime) -> dict[str, list[QualityTrend]]:
    """The last figure of each day since a moment, by indicator, the oldest first."""
    rows = QualityTrend.objects.filter(tenant_id=tenant_id, measured_at__gte=since).order_by("measured_at")
    days: dict[str, dict[object, QualityTrend]] = {}
    for row in rows:
        days.setdefault(row.indicator, {})[row.measured_at.date()] = row
    return {name: list(found.values()) for name, found in days.items()}


def write_window(window: timedelta) -> str:
    """A window as the API writes it: `7d`, `1h`. Pure."""
    return f"{window.days}d" if window.days and not window.seconds else f"{int(window.total_seconds() // 3600)}h"


def _make_indicator(level: Level, row: QualityTrend | None) -> Indicator:
    if row is None:
        return Indicator(level, None, 0, OBSERVE, level.passes, level.fails, None)
    return Indicator(level, row.value, row.n, row.state, row.pass_limit, row.fail_limit, row.measured_at)
