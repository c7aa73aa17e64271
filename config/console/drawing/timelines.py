"""When each version of a fact's key held, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from config.console.drawing.pictures import Key, Picture, Span, draw_spans
from memory.profile.types import Version

STATE_TONES: Final = {"active": "good", "disputed": "warn", "superseded": "soft", "closed": "other", "expired": "other"}


def draw_timeline(versions: Sequence[Version], *, now: datetime) -> Picture | None:
    """When each version of a key held, the oldest first; None where there is one alone. Pure."""
    if len(versions) < 2:
        return None
    held = [(one, one.fact.valid_at, max(one.fact.valid_at, one.fact.invalid_at or now)) for one in reversed(versions)]
    spans = [
        Span(
            str(one.fact.value),
            start.timestamp(),
            end.timestamp(),
            STATE_TONES.get(one.state, "other"),
            f"{start:%d %b %Y} – {f'{end:%d %b %Y}' if one.fact.invalid_at else 'now'}, {one.state}",
        )
        for one, start, end in held
    ]
    first, last = min(start for _, start, _ in held), max(end for _, _, end in held)
    states = dict.fromkeys(one.state for one in versions)
    return draw_spans(
        name=f"key-{versions[0].fact.id}",
        title="Validity of each version",
        spans=spans,
        ends=(f"{first:%d %b %Y}", f"{last:%d %b %Y}"),
        unit="Value",
        keys=[Key(STATE_TONES.get(state, "other"), state) for state in states],
    )
