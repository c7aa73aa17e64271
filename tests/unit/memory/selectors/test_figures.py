from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from memory.ids import get_first_id, new_id
from memory.selectors.figures import get_day_start


def test_ids_made_from_a_moment_on_are_not_below_its_first_id() -> None:
    before = datetime.now(UTC) - timedelta(seconds=5)
    made = new_id()
    assert get_first_id(before) < made < get_first_id(before + timedelta(seconds=20))


def test_a_day_starts_at_midnight_of_the_tenant() -> None:
    now = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)
    assert get_day_start(now, ZoneInfo("Asia/Dubai")) == datetime(2026, 3, 1, 20, tzinfo=UTC)
    assert get_day_start(now, ZoneInfo("UTC"), days_ago=1) == datetime(2026, 2, 28, tzinfo=UTC)
