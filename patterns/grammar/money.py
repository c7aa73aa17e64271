"""Lists on amounts, limits and what they are for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class MoneyLists:
    """Lists on amounts, limits and what they are for."""
