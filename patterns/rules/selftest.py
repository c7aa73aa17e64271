"""A rule set tried on its rules' own examples before it may read anybody's messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from patterns.rollout import FIRST_TRIED, NOBODY_SPECIAL
from patterns.rule import Rule
from patterns.rules.ruleset import RuleSet
from patterns.steps.doubts import REASON as DOUBTFUL
from patterns.types import Reading

SAID_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday; any day does, the examples name no dates


@dataclass(frozen=True, slots=True)
class ExampleFailure:
    """An example that a rule treats otherwise than its author says; by its place, since texts stay out of logs."""

    rule: str
    is_positive: bool
    number: int
    is_canary: bool = False


def list_failed_examples(rule_set: RuleSet) -> list[ExampleFailure]:
    """Every failing example of every rule: a positive one must give a fact of its type, a negative one none by it.

    With a version on trial in the set, both sides of the rollout are tried: each with the rules that its users get.
    """
    sides = [NOBODY_SPECIAL]
    if not all(rule.is_for_all for rule in rule_set.rules):
        sides.append(FIRST_TRIED)
    failures = [
        failure
        for bucket in sides
        for rule in rule_set.rules
        if rule.is_for(bucket)
        for failure in _try_rule(rule_set, rule, bucket)
    ]
    return list(dict.fromkeys(failures))


def _try_rule(rule_set: RuleSet, rule: Rule, bucket: int) -> list[ExampleFailure]:
    failures = [
        ExampleFailure(rule.slug, True, number, rule.is_canary)
        for number, text in enumerate(rule.positive)
        if not _is_caught(rule_set, rule, text, bucket)
    ]
    return failures + [
        ExampleFailure(rule.slug, False, number, rule.is_canary)
        for number, text in enumerate(rule.negative)
        if any(reading.rule == rule.slug for reading in rule_set.read(text, said_at=SAID_AT, bucket=bucket).readings)
    ]


def _is_caught(rule_set: RuleSet, rule: Rule, text: str, bucket: int) -> bool:
    result = rule_set.read(text, said_at=SAID_AT, bucket=bucket)
    if rule.purpose == "guard":
        return any(rejection.rule == rule.slug for rejection in result.rejections)
    if any(one.reason == DOUBTFUL and one.rule == rule.slug for one in result.rejections):
        return True  # the rule keeps its promise; that its surroundings are doubted is no fault of its own
    return any(reading.knowledge_type == rule.knowledge_type for reading in result.readings)


@dataclass(frozen=True, slots=True)
class StatedExample:
    """A fact that is read from an example which some rule must leave alone."""

    rule: str
    """Whose example it is."""
    text: str
    reading: Reading


def list_stated_examples(rule_set: RuleSet, *, is_asked: Callable[[Reading], bool]) -> list[StatedExample]:
    """Facts that the set reads from examples which their rules must leave alone, of those that are asked about."""
    return [
        StatedExample(rule.slug, text, reading)
        for rule in rule_set.rules
        for text in rule.negative
        for reading in rule_set.read(text, said_at=SAID_AT).readings
        if is_asked(reading) and reading.rule != rule.slug
    ]
