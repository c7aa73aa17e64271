"""Until when: working days and calendar days, in the tenant's own time, with a word before it is late."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.erasure.deadlines import (
    Deadline,
    LegalProfile,
    LegalProfileInvalid,
    find_alert,
    find_deadline,
    load_profiles,
)

DUBAI = ZoneInfo("Asia/Dubai")
MONDAY = datetime(2026, 3, 2, 8, tzinfo=UTC)


def say(moment: datetime) -> str:
    return moment.astimezone(DUBAI).isoformat()


def test_the_default_is_fifteen_working_days_to_the_end_of_the_local_day() -> None:
    deadline = find_deadline(profile=load_profiles()["default"], requested_at=MONDAY, zone=DUBAI)
    assert say(deadline.at) == "2026-03-24T00:00:00+04:00"


def test_a_request_late_in_the_evening_counts_from_its_local_day() -> None:
    late = datetime(2026, 3, 2, 21, tzinfo=UTC)  # the third of March in Dubai
    deadline = find_deadline(profile=load_profiles()["default"], requested_at=late, zone=DUBAI)
    assert say(deadline.at) == "2026-03-25T00:00:00+04:00"


def test_calendar_days_count_weekends_too() -> None:
    deadline = find_deadline(profile=load_profiles()["calendar_30"], requested_at=MONDAY, zone=DUBAI)
    assert say(deadline.at) == "2026-04-02T00:00:00+04:00"


def test_warning_and_alarm_come_at_a_quarter_and_a_tenth_of_the_time_left() -> None:
    deadline = find_deadline(profile=load_profiles()["calendar_30"], requested_at=MONDAY, zone=DUBAI)
    whole = deadline.at - MONDAY
    assert deadline.at - deadline.warning_at == whole * 0.25
    assert deadline.at - deadline.critical_at == whole * 0.10


@pytest.mark.parametrize(
    ("hours_left", "alert"),
    [(31, ""), (25, "warning"), (11, "warning"), (10, "critical"), (1, "critical"), (0, "overdue")],
)
def test_the_alert_follows_what_is_left(hours_left: int, alert: str) -> None:
    deadline = Deadline(warning_at=MONDAY - timedelta(hours=25), critical_at=MONDAY - timedelta(hours=10), at=MONDAY)
    assert find_alert(deadline=deadline, now=MONDAY - timedelta(hours=hours_left)) == alert


def write_profile(folder: Path, **changes: str) -> Path:
    fields = {
        "days": "5",
        "count": '"working"',
        "weekend": '["friday", "saturday"]',
        "holidays": '["2026-03-04"]',
        "warning_left": "0.5",
        "critical_left": "0.1",
    } | changes
    path = folder / "profiles.toml"
    path.write_text("[local]\n" + "\n".join(f"{name} = {value}" for name, value in fields.items()))
    return path


def test_weekends_and_holidays_are_data(tmp_path: Path) -> None:
    profile = load_profiles(write_profile(tmp_path))["local"]
    assert isinstance(profile, LegalProfile)
    # Tuesday 3rd, not the holiday, Thursday 5th, not the weekend, Sunday 8th, Monday 9th, Tuesday 10th.
    assert say(find_deadline(profile=profile, requested_at=MONDAY, zone=DUBAI).at) == "2026-03-11T00:00:00+04:00"


@pytest.mark.parametrize(
    "changes",
    [
        {"days": "0"},
        {"days": '"many"'},
        {"count": '"moon"'},
        {"weekend": '["someday"]'},
        {"weekend": '["monday","tuesday","wednesday","thursday","friday","saturday","sunday"]'},
        {"holidays": '["soon"]'},
        {"critical_left": "0.6"},
    ],
)
def test_a_profile_that_cannot_be_meant_is_refused_by_name(tmp_path: Path, changes: dict[str, str]) -> None:
    with pytest.raises(LegalProfileInvalid, match="local"):
        load_profiles(write_profile(tmp_path, **changes))


def test_a_file_that_is_not_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "profiles.toml"
    path.write_text("[local")
    with pytest.raises(LegalProfileInvalid):
        load_profiles(path)
