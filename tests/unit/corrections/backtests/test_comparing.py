"""Two readings side by side."""

from __future__ import annotations

from datetime import date

from corrections.backtests.comparing import compare_readings
from patterns.types import Reading


def make_reading(key: str, value: str | int, *, expires_on: date | None = None, rule: str = "a") -> Reading:
    return Reading("allergy", key, value, expires_on, 0.95, 0, 4, rule, 1, "en")


def name_changes(before: list[Reading], after: list[Reading]) -> list[tuple[str, str]]:
    return [(change.change, change.reading.knowledge_key) for change in compare_readings(before, after)]


def test_the_same_facts_by_another_rule_are_no_change() -> None:
    assert name_changes([make_reading("wool", "wool")], [make_reading("wool", "wool", rule="b")]) == []


def test_facts_are_added_lost_and_changed() -> None:
    before = [make_reading("wool", "wool"), make_reading("size", "M")]
    after = [make_reading("size", "S"), make_reading("nickel", "nickel")]
    assert name_changes(before, after) == [("lost", "wool"), ("changed", "size"), ("added", "nickel")]


def test_another_last_day_is_a_change() -> None:
    before = [make_reading("move", "move", expires_on=date(2026, 3, 1))]
    assert name_changes(before, [make_reading("move", "move", expires_on=date(2026, 4, 1))]) == [("changed", "move")]
