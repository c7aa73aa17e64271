"""The facts that a trial made beside those of the version before, day by day, as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from config.console.drawing.pictures import Column, Key, Picture, draw_columns

MAX_DAYS: Final = 30


def draw_trial(
    counts: Mapping[tuple[date, int], int], *, tried: int, before: int, since: datetime, now: datetime, zone: ZoneInfo
) -> Picture | None:
    """Facts of both versions on each day of the trial, at most the last thirty; None without any. Pure.

    `before` is 0 where no version was in force.
    """
    first, last = since.astimezone(zone).date(), now.astimezone(zone).date()
    first = max(first, last - timedelta(days=MAX_DAYS - 1))
    days = [first + timedelta(days=each) for each in range((last - first).days + 1)]
    versions = [("primary", tried, f"facts of the trial, v{tried}")]
    if before:
        versions.append(("other", before, f"facts of v{before}, active"))
    keys = [Key(tone, words) for tone, _, words in versions]
    columns = [
        Column(f"{day:%d %b}", tuple(counts.get((day, version), 0) for _, version, _ in versions)) for day in days
    ]
    return draw_columns(name="trial-days", title="Facts by day during the trial", keys=keys, columns=columns)
