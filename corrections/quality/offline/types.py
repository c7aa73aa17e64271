"""Counts of the offline measures. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Counts:
    """Exchanges by language, and how many of them count against memory."""

    by_language: dict[str, list[int]] = field(default_factory=dict)
    """`{"en": [exchanges, bad]}`"""

    def add(self, language: str, is_bad: bool) -> None:
        """Count one exchange."""
        pair = self.by_language.setdefault(language, [0, 0])
        pair[0] += 1
        pair[1] += is_bad

    def merge(self, other: Mapping[str, list[int]]) -> None:
        """Add what was counted elsewhere."""
        for language, (n, bad) in other.items():
            pair = self.by_language.setdefault(language, [0, 0])
            pair[0] += n
            pair[1] += bad

    @property
    def n(self) -> int:
        """Exchanges."""
        return sum(pair[0] for pair in self.by_language.values())

    @property
    def bad(self) -> int:
        """Those that count against memory."""
        return sum(pair[1] for pair in self.by_language.values())
