"""What an address or a form holds is read, or is nothing; it never raises but where a page must not exist."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from config.parameters import choose_days, find_id, find_moment, find_number, get_id
from memory.errors import NotFound

AN_ID = "01934a3e-0000-7000-8000-000000000000"


def test_what_is_well_written_is_read() -> None:
    assert find_id(AN_ID) == get_id(AN_ID, missing="gone") == UUID(AN_ID)
    assert find_moment("2026-05-01T10:00:00+00:00") == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert (find_number("0"), find_number("999999999")) == (0, 999_999_999)
    assert choose_days("30", (7, 30), default=7) == 30


@pytest.mark.parametrize(
    "text", ["", "x", "-1", "1.5", "²", "٣", "1234567890", "2026-13-01T10:00:00Z", "2026-05-01T10:00"]
)
def test_anything_else_is_nothing(text: str) -> None:
    assert find_id(text) is None
    assert find_moment(text) is None
    assert find_number(text) is None
    assert choose_days(text, (7, 30), default=7) == 7
    with pytest.raises(NotFound) as refusal:
        get_id(text, missing="gone")
    assert refusal.value.message == "gone"
