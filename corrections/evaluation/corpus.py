"""Labelled corrections: reading a corpus and judging the detector on it. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from corrections.recognition.detector import detect
from corrections.recognition.types import Detection
from memory.types import Fact
from patterns.kinds.table import VALUED_TYPES

if TYPE_CHECKING:
    from patterns.rules.ruleset import RuleSet

Outcome = tuple[str, str, str, str | None]


@dataclass(frozen=True, slots=True)
class LabelledCase:
    """One reply with what it must do."""

    id: str
    language: str
    said_at: datetime
    turn: str
    reply: str
    facts: tuple[Fact, ...]
    action: str
    outcomes: frozenset[Outcome]
    correction_type: str | None


@dataclass(slots=True)
class Verdict:
    """How the detector did on a corpus: exact sets of operations, by expected action and by language."""

    total: int = 0
    exact: int = 0
    types_right: int = 0
    types_asked: int = 0
    by_action: dict[str, Counter[str]] = field(default_factory=dict)
    by_language: dict[str, Counter[str]] = field(default_factory=dict)
    mistakes: list[tuple[LabelledCase, frozenset[Outcome]]] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Cases with exactly the expected operations, 0 to 1."""
        return self.exact / self.total if self.total else 0.0


def read_cases(path: Path) -> Iterator[LabelledCase]:
    """The cases of a JSON Lines file, or of all in a folder (tests/data/README.md).

    Raises ValueError naming the file and the line that is not one.
    """
    if path.is_dir():
        for file in sorted(path.glob("*.jsonl")):
            yield from read_cases(file)
        return
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    yield make_case(json.loads(line))
                except (KeyError, TypeError, ValueError) as error:
                    raise ValueError(f"{path.name}, line {number}: not a labelled correction ({error})") from None


def make_case(row: dict[str, Any]) -> LabelledCase:
    """One line of a corpus as a case. Raises KeyError, TypeError, ValueError where it has not the form."""
    said_at = datetime.fromisoformat(row["now"])
    expect = row["expect"]
    return LabelledCase(
        id=row["id"],
        language=row["language"],
        said_at=said_at,
        turn=row["assistant"],
        reply=row["user"],
        facts=tuple(_make_fact(each, said_at) for each in row["facts"]),
        action=expect["action"],
        outcomes=frozenset(_make_outcome(o["op"], o["type"], o["key"], o.get("value")) for o in expect["ops"]),
        correction_type=expect.get("correction_type"),
    )


def _make_fact(row: dict[str, Any], said_at: datetime) -> Fact:
    days = row.get("expires_days")
    known_at = said_at - timedelta(days=1)
    return Fact(
        id=uuid4(),
        knowledge_type=row["type"],
        knowledge_key=row["key"],
        value=row["value"],
        confidence=0.95,
        extracted_from="instant_pattern",
        provenance="confirmed_by_user",
        valid_at=known_at,
        last_validated_at=known_at,
        log_position=1,
        expires_at=said_at + timedelta(days=days) if days is not None else None,
        is_disputed=bool(row.get("disputed")),
    )


def _make_outcome(kind: str, knowledge_type: str, knowledge_key: str, value: Any) -> Outcome:
    is_valued = kind == "set" and knowledge_type in VALUED_TYPES
    return (kind, knowledge_type, knowledge_key, str(value) if is_valued else None)


def list_outcomes(detection: Detection) -> frozenset[Outcome]:
    """The operations of a detection as a corpus names them."""
    return frozenset(_make_outcome(o.kind, o.knowledge_type, o.knowledge_key, o.value) for o in detection.operations)


def judge_cases(cases: Iterable[LabelledCase], *, rule_set: RuleSet) -> Verdict:
    """Run the detector over labelled cases."""
    verdict = Verdict()
    for case in cases:
        detection = detect(
            case.reply, previous_turn=case.turn, facts=case.facts, said_at=case.said_at, rule_set=rule_set
        )
        _note(verdict, case, detection)
    return verdict


def _note(verdict: Verdict, case: LabelledCase, detection: Detection) -> None:
    outcomes = list_outcomes(detection)
    is_exact = outcomes == case.outcomes
    verdict.total += 1
    verdict.exact += is_exact
    for groups, name in ((verdict.by_action, case.action), (verdict.by_language, case.language)):
        counter = groups.setdefault(name, Counter())
        counter["total"] += 1
        counter["exact"] += is_exact
    if is_exact and case.correction_type:
        verdict.types_asked += 1
        verdict.types_right += detection.correction_type == case.correction_type
    if not is_exact:
        verdict.mistakes.append((case, outcomes))
