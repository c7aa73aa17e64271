"""Limits of service levels are written one a line; what is none is refused (SPEC Q-2)."""

import pytest
from django.forms import ValidationError

from config.console.limits import LimitsField


def test_lines_become_a_table_and_a_table_lines() -> None:
    field = LimitsField(required=False)
    table = field.clean("staleness_rate = 0.1, 0.2\n\ninjection_quality=0.6,0.5")
    assert table == {"staleness_rate": (0.1, 0.2), "injection_quality": (0.6, 0.5)}
    assert field.clean(field.prepare_value(table)) == table
    assert field.clean("") == {}


@pytest.mark.parametrize(
    "line",
    [
        "staleness = 0.1, 0.2",
        "staleness_rate = 0.1",
        "staleness_rate = 0.1, 0.2, 0.3",
        "staleness_rate = 0.2, 0.1",
        "staleness_rate = nan, 0.1",
        "staleness_rate = -1, 0.1",
        "staleness_rate",
        "= 1, 2",
    ],
)
def test_what_is_no_limit_is_refused(line: str) -> None:
    with pytest.raises(ValidationError):
        LimitsField(required=False).clean(line)
