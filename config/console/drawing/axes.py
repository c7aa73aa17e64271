"""An axis of time that leaves out long times in which nothing was: one old thing does not squeeze all others. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

Stretch = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Axis:
    """Stretches of time with a place each; between two of them a break. All of one scale."""

    stretches: Sequence[Stretch]
    places: Sequence[tuple[float, float]]
    """From where to where each stretch goes, in pixels."""

    def find_x(self, moment: datetime) -> float:
        """The place of a moment; one within a break is where the stretch after it begins."""
        for (first, last), (left, right) in zip(self.stretches, self.places, strict=True):
            if moment <= last:
                share = (moment - first) / max(last - first, timedelta(seconds=1))
                return left + (right - left) * min(1.0, max(0.0, share))
        return self.places[-1][1]

    def list_breaks(self) -> list[tuple[float, datetime, datetime]]:
        """The middle of each break and the time that it stands for."""
        ends, starts = range(len(self.places) - 1), range(1, len(self.places))
        return [
            ((self.places[end][1] + self.places[start][0]) / 2, self.stretches[end][1], self.stretches[start][0])
            for end, start in zip(ends, starts, strict=True)
        ]

    def list_days(self, *, apart: float) -> list[tuple[float, str]]:
        """Places and days to write under the axis, none nearer to the last than `apart`."""
        first, last = self.stretches[-1]
        moments = [one for one, _ in self.stretches[:-1]]
        moments += [first + (last - first) * part / 4 for part in range(5)]
        days: list[tuple[float, str]] = []
        for moment in moments:
            x = self.find_x(moment)
            if not days or x - days[-1][0] >= apart:
                days.append((round(x, 1), f"{moment:%-d %b %Y}"))
        return days


def make_axis(spans: Sequence[Stretch], *, left: float, right: float) -> Axis:
    """An axis for what lasted over these spans, at least one.

    While it is longer than 60 days, an empty time of more than a quarter of it is left out, the longest first.
    """
    break_width, least = 36.0, 24.0
    stretches = _join(sorted(spans))
    room = right - left - break_width * (len(stretches) - 1)
    whole = sum((last - first for first, last in stretches), timedelta()) or timedelta(seconds=1)
    free = max(0.0, room - least * len(stretches))
    places, x = [], left
    for first, last in stretches:
        width = room if len(stretches) == 1 else least + free * ((last - first) / whole)
        places.append((x, x + width))
        x += width + break_width
    return Axis(stretches, places)


def _join(spans: Sequence[Stretch]) -> list[Stretch]:
    covered = [spans[0]]
    for first, last in spans[1:]:
        if first <= covered[-1][1]:
            covered[-1] = (covered[-1][0], max(last, covered[-1][1]))
        else:
            covered.append((first, last))
    gaps = [after[0] - before[1] for before, after in itertools.pairwise(covered)]
    rest, left_out = covered[-1][1] - covered[0][0], set[int]()
    for number in sorted(range(len(gaps)), key=lambda one: gaps[one], reverse=True):
        if rest <= timedelta(days=60) or gaps[number] * 4 <= rest:
            break
        left_out.add(number)
        rest -= gaps[number]
    stretches = [covered[0]]
    for number, span in enumerate(covered[1:]):
        if number in left_out:
            stretches.append(span)
        else:
            stretches[-1] = (stretches[-1][0], span[1])
    return stretches
