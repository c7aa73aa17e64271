"""A rule set tried on its rules' own examples before it may read anybody's messages (ENGINE gotcha 10)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from patterns.pack import Rule
from patterns.ruleset import RuleSet

SAID_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday; any day does, the examples name no dates


@dataclass(frozen=True, slots=True)
class ExampleFailure:
    """An example that a rule treats otherwise than its author says; by its place, since texts stay out of logs."""

    rule: str
    is_positive: bool
    number: int


def list_failed_examples(rule_set: RuleSet) -> list[ExampleFailure]:
    """Every failing example of every rule: a positive one must give a fact of the rule's type, a negative one none by it."""
    return [failure for rule in rule_set.rules for failure in _try_rule(rule_set, rule)]


def _try_rule(rule_set: RuleSet, rule: Rule) -> list[ExampleFailure]:
    failures = [
        ExampleFailure(rule.slug, True, number)
        for number, text in enumerate(rule.positive)
        if not _is_caught(rule_set, rule, text)
    ]
    return failures + [
        ExampleFailure(rule.slug, False, number)
        for number, text in enumerate(rule.negative)
        if any(reading.rule == rule.slug for reading in rule_set.read(text, said_at=SAID_AT).readings)
    ]


def _is_caught(rule_set: RuleSet, rule: Rule, text: str) -> bool:
    result = rule_set.read(text, said_at=SAID_AT)
    if rule.purpose == "guard":
        return any(rejection.rule == rule.slug for rejection in result.rejections)
    return any(reading.knowledge_type == rule.knowledge_type for reading in result.readings)
