"""Until when an erasure must be done, and when to speak up before (SPEC G-2). Pure: profiles are data, so is `now`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

DEFAULT_PROFILE: Final = "default"
SHIPPED_PROFILES: Final = Path(__file__).with_name("legal_profiles.toml")
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
LONGEST_DAYS: Final = 366


class LegalProfileInvalid(ValueError):
    """A profile file is not of the form that `legal_profiles.toml` explains."""


@dataclass(frozen=True, slots=True)
class LegalProfile:
    """How long an erasure may take. Weekend days are numbers, Monday being 0; shares are of the whole time."""

    name: str
    days: int
    is_working: bool
    weekend: frozenset[int]
    holidays: frozenset[date]
    warning_left: float
    critical_left: float


@dataclass(frozen=True, slots=True)
class Deadline:
    """When to warn, when to alarm, and when it is over. Aware times."""

    warning_at: datetime
    critical_at: datetime
    at: datetime


def load_profiles(path: Path = SHIPPED_PROFILES) -> dict[str, LegalProfile]:
    """The profiles of a file by name. Raises LegalProfileInvalid with the profile and the field, OSError."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise LegalProfileInvalid(f"{path} is not TOML: {error}") from None
    return {name: _read_profile(name, table) for name, table in tables.items()}


def find_deadline(*, profile: LegalProfile, requested_at: datetime, zone: ZoneInfo) -> Deadline:
    """The end of the last day that the profile allows, in the tenant's zone, and the two moments before it."""
    day = requested_at.astimezone(zone).date()
    last = _add_working_days(day, profile) if profile.is_working else day + timedelta(days=profile.days)
    at = datetime.combine(last + timedelta(days=1), time(), tzinfo=zone)
    whole = at - requested_at
    return Deadline(warning_at=at - whole * profile.warning_left, critical_at=at - whole * profile.critical_left, at=at)


def find_alert(*, deadline: Deadline, now: datetime) -> str:
    """`overdue`, `critical`, `warning`, or empty while there is time."""
    if now >= deadline.at:
        return "overdue"
    if now >= deadline.critical_at:
        return "critical"
    return "warning" if now >= deadline.warning_at else ""


def _add_working_days(day: date, profile: LegalProfile) -> date:
    left = profile.days
    while left:
        day += timedelta(days=1)
        if day.weekday() not in profile.weekend and day not in profile.holidays:
            left -= 1
    return day


def _read_profile(name: str, table: Mapping[str, Any]) -> LegalProfile:
    try:
        profile = LegalProfile(
            name=name,
            days=int(table["days"]),
            is_working={"working": True, "calendar": False}[table["count"]],
            weekend=frozenset(WEEKDAYS.index(day) for day in table["weekend"]),
            holidays=frozenset(_read_date(day) for day in table["holidays"]),
            warning_left=float(table["warning_left"]),
            critical_left=float(table["critical_left"]),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise LegalProfileInvalid(f"The legal profile '{name}' cannot be read: {error}") from None
    _check_profile(profile)
    return profile


def _read_date(value: Any) -> date:
    return value if isinstance(value, date) else date.fromisoformat(value)


def _check_profile(profile: LegalProfile) -> None:
    if not 1 <= profile.days <= LONGEST_DAYS:
        raise LegalProfileInvalid(f"The legal profile '{profile.name}' has {profile.days} days; 1 to 366 are allowed.")
    if len(profile.weekend) == len(WEEKDAYS):
        raise LegalProfileInvalid(f"The legal profile '{profile.name}' has no working day.")
    if not 0 <= profile.critical_left <= profile.warning_left < 1:
        raise LegalProfileInvalid(f"The legal profile '{profile.name}' needs 0 <= critical_left <= warning_left < 1.")
