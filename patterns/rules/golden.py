"""Golden cases of a pack: messages whose reading no change of rules or words may alter (SPEC I-2, section 17)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, Final

import yaml

from patterns.rules.ruleset import RuleSet
from patterns.types import ReadResult

SHIPPED_CASES: Final = Path(__file__).parents[1] / "packs" / "fashion" / "golden.yaml"
_DEFAULT_DAY: Final = date(2026, 3, 2)


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """One message and all that it states, as sorted "type/key=value"; `until`: the last day of its dated facts."""

    name: str
    promise: str
    message: str
    facts: tuple[str, ...]
    said_on: date = _DEFAULT_DAY
    until: date | None = None


@dataclass(frozen=True, slots=True)
class BrokenCase:
    """A golden case and what a rule set reads instead."""

    case: GoldenCase
    found: tuple[str, ...]

    def describe(self) -> str:
        """One sentence for the person whose change breaks it."""
        wanted = ", ".join(self.case.facts) or "no fact"
        found = ", ".join(self.found) or "no fact"
        name = f"golden case {self.case.name} ({self.case.promise})"
        return f"{name}: “{self.case.message}” must give {wanted}, gives {found}"


def load_golden_cases() -> list[GoldenCase]:
    """The shipped cases, in the order of the file."""
    return [_read_case(raw) for raw in yaml.safe_load(SHIPPED_CASES.read_text(encoding="utf-8"))]


def list_broken_cases(rule_set: RuleSet, cases: Iterable[GoldenCase]) -> list[BrokenCase]:
    """The cases that a rule set reads otherwise. Pure."""
    broken: list[BrokenCase] = []
    for case in cases:
        said_at = datetime.combine(case.said_on, time(12), tzinfo=UTC)
        found = _name_facts(rule_set.read(case.message, said_at=said_at), case)
        if found != _wanted(case):
            broken.append(BrokenCase(case, found))
    return broken


def _wanted(case: GoldenCase) -> tuple[str, ...]:
    until = f" until {case.until}" if case.until else ""
    return tuple(sorted(f"{fact}{until}" for fact in case.facts))


def _name_facts(result: ReadResult, case: GoldenCase) -> tuple[str, ...]:
    return tuple(
        sorted(
            f"{r.knowledge_type}/{r.knowledge_key}={r.value}{f' until {r.expires_on}' if case.until else ''}"
            for r in result.readings
        )
    )


def _read_case(raw: dict[str, Any]) -> GoldenCase:
    return GoldenCase(
        name=str(raw["name"]),
        promise=str(raw["promise"]),
        message=str(raw["message"]),
        facts=tuple(sorted(str(fact) for fact in raw["facts"])),
        said_on=raw.get("said", _DEFAULT_DAY),
        until=raw.get("until"),
    )
