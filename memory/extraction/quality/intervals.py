"""Precision with its doubt: the Wilson interval, right for small numbers and for rates near 0 and 1. Pure.

E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

Z_95: Final = 1.959964


@dataclass(frozen=True, slots=True)
class Precision:
    """How many of the judged were right, and the bounds of the true share (95 %). `rate` is None for none."""

    judged: int
    right: int
    lower: float
    upper: float

    @property
    def rate(self) -> float | None:
        """Right over judged."""
        return self.right / self.judged if self.judged else None

    @property
    def error_rate(self) -> float | None:
        """Wrong over judged."""
        return (self.judged - self.right) / self.judged if self.judged else None


def measure_precision(*, right: int, judged: int) -> Precision:
    """The share of right ones with its Wilson interval; nothing judged: anything from 0 to 1."""
    if judged <= 0:
        return Precision(0, 0, 0.0, 1.0)
    share = right / judged
    square = Z_95 * Z_95 / judged
    middle = (share + square / 2) / (1 + square)
    half = Z_95 / (1 + square) * sqrt(share * (1 - share) / judged + square / (4 * judged))
    return Precision(judged, right, max(0.0, middle - half), min(1.0, middle + half))
