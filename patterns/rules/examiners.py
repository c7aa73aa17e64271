"""Checks that other rooms hold a rule set to before a change of rules, words or phrases is kept (D-31).

This room knows no corrections: what a reply does to facts is tried by who does it. Filled once, at start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from patterns.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that comes out wrong: a stable name, and a sentence for the person whose change breaks it."""

    name: str
    sentence: str


Examiner = Callable[[RuleSet], Iterable[Fault]]
_examiners: dict[str, Examiner] = {}


def register_examiner(name: str, examine: Examiner) -> None:
    """Have every change tried by a check; the same name again takes its place."""
    _examiners[name] = examine


def list_faults(rule_set: RuleSet) -> list[Fault]:
    """What every registered check finds wrong with a set. Pure."""
    return [fault for examine in _examiners.values() for fault in examine(rule_set)]
