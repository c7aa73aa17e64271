"""Calendar arithmetic of the room. Pure."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo


def end_of_day(day: date, zone: ZoneInfo) -> datetime:
    """The last second of a local day: what `expires_at` means (API.md)."""
    return datetime.combine(day, time(23, 59, 59), tzinfo=zone)
