"""`{% timeline versions now as picture %}`: when each version of a fact's key held."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django import template

from config.console.drawing.pictures import Picture
from config.console.drawing.timelines import draw_timeline
from memory.profile.types import Version

register = template.Library()


@register.simple_tag
def timeline(versions: Sequence[Version], now: datetime) -> Picture | None:
    """The picture of a key's versions, None where there is one alone."""
    return draw_timeline(versions, now=now)
