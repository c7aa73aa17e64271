"""Lists on sizes, measures, allergies and bans."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class BodyLists:
    """Lists on sizes, measures, allergies and bans."""
