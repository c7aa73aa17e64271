"""The eleven service levels of the BRAIN document: limits, windows, how a figure becomes a state (SPEC Q-2). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from django.conf import settings

PASS, OBSERVE, FAIL = STATES = ("PASS", "OBSERVE", "FAIL")
MISSES, REPEATS = "retrieval_miss_rate", "user_repeated_info"
"""Measured by commands over stored data; they have limits, and no place among the eleven."""


@dataclass(frozen=True, slots=True)
class Level:
    """One indicator. Better than `passes` is PASS, worse than `fails` is FAIL, and OBSERVE is between.

    `passes` above `fails` means that more is better. `min_samples`: under it every figure is OBSERVE.
    """

    name: str
    passes: float
    fails: float
    window: timedelta
    min_samples: int
    unit: str = "share"

    def judge(self, value: float | None, n: int) -> str:
        """The state of a figure over `n` samples."""
        if value is None or n < self.min_samples:
            return OBSERVE
        sign = -1 if self.passes > self.fails else 1
        if sign * value > sign * self.fails:
            return FAIL
        is_good = value == self.passes if self.is_absolute else sign * value < sign * self.passes
        return PASS if is_good else OBSERVE

    @property
    def is_absolute(self) -> bool:
        """Nothing less than all, or nothing more than none, passes."""
        return self.passes in (0.0, 1.0) and self.unit == "share"


def _make_levels() -> dict[str, Level]:
    levels = [
        Level(name, passes, fails, window, min_samples, unit)
        for name, (passes, fails, window, min_samples, unit) in settings.UNDE_TUNING.QUALITY_LEVELS.items()
    ]
    return {level.name: level for level in levels}


LEVELS: Final = {name: one for name, one in _make_levels().items() if name not in (MISSES, REPEATS)}
OFFLINE: Final = {name: one for name, one in _make_levels().items() if name in (MISSES, REPEATS)}


def list_levels(limits: Mapping[str, Sequence[float]]) -> dict[str, Level]:
    """All levels with a tenant's own limits, `{name: [pass, fail]}`, in the place of the shipped ones."""
    shipped = {**LEVELS, **OFFLINE}
    return {
        name: replace(one, passes=limits[name][0], fails=limits[name][1]) if name in limits else one
        for name, one in shipped.items()
    }


def raise_state(state: str, *, n: int, min_samples: int, before: Sequence[str]) -> str:
    """FAIL where a measured OBSERVE follows on OBSERVE in enough releases running.

    `before`: how the releases before this one ended that had enough samples, the newest first.
    """
    wanted = settings.UNDE_TUNING.QUALITY_OBSERVE_RELEASES - 1
    is_measured = state == OBSERVE and n >= min_samples
    return FAIL if is_measured and list(before[:wanted]) == [OBSERVE] * wanted else state
