"""Bars as percentages, drawn with HTML and CSS: they follow light and dark, print, and need no script. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A coloured piece of a bar; `share` is its length in per cent of the longest bar."""

    tone: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart: its label, what it counts in all, and its pieces."""

    label: str
    total: int
    parts: tuple[Part, ...]
    title: str = ""


def make_bars(rows: Sequence[tuple[str, str, Sequence[tuple[str, int]]]]) -> list[Bar]:
    """Bars from (label, title, [(tone, count), ...]), scaled to the longest; all zero when nothing was counted."""
    totals = [sum(count for _, count in parts) for _, _, parts in rows]
    longest = max(totals, default=0) or 1
    return [
        Bar(
            label=label,
            title=title,
            total=total,
            parts=tuple(Part(tone, count, round(100 * count / longest, 2)) for tone, count in parts if count),
        )
        for (label, title, parts), total in zip(rows, totals, strict=True)
    ]


def describe_change(now: int, before: int) -> tuple[str, str]:
    """How today compares with yesterday, and its tone: ("+12", "up"), ("−3", "down"), ("same as yesterday", "same")."""
    if now == before:
        return "same as yesterday", "same"
    return (f"+{now - before:,}", "up") if now > before else (f"−{before - now:,}", "down")
