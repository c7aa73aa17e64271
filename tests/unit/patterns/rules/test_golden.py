"""The golden cases that ship with the rules, and how a broken one is told."""

from __future__ import annotations

import pytest

from patterns.rules.golden import GoldenCase, list_broken_cases, load_golden_cases
from patterns.rules.ruleset import RuleSet


@pytest.mark.parametrize("case", load_golden_cases(), ids=lambda case: case.name)
def test_the_shipped_pack_keeps_its_golden_case(case: GoldenCase, rule_set: RuleSet) -> None:
    assert [broken.describe() for broken in list_broken_cases(rule_set, [case])] == []


def test_a_broken_case_is_told_with_its_text_and_what_is_read_instead() -> None:
    empty = RuleSet(rules=(), settings={}, version=0)
    case = next(case for case in load_golden_cases() if case.name == "K19")
    (broken,) = list_broken_cases(empty, [case])
    assert "K19" in broken.describe()
    assert "“7asasiya min nickel” must give allergy/nickel=nickel, gives no fact" in broken.describe()
