"""What addresses and forms of pages hold, as nobody has checked it yet. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.utils.dateparse import parse_datetime

from memory.errors import NotFound


def find_id(text: str) -> UUID | None:
    """An id; None for what is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def get_id(text: str, *, missing: str) -> UUID:
    """An id. Raises NotFound, which says what is `missing`."""
    found = find_id(text)
    if found is None:
        raise NotFound(missing)
    return found


def find_moment(text: str) -> datetime | None:
    """A time with its zone; None for what is none."""
    try:
        found = parse_datetime(text)
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None


def find_number(text: str) -> int | None:
    """A whole number from 0 of at most nine digits; None for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def choose_days(text: str, periods: Sequence[int], *, default: int) -> int:
    """One of the periods that a page offers."""
    return int(text) if text in map(str, periods) else default
