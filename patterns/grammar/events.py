"""Lists on events and dates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class EventLists:
    """Lists on events and dates."""
