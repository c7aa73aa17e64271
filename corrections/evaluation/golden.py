"""Golden cases of replies: what no change of rules, words or phrases may alter (SPEC I-2, C-1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID, uuid5

import yaml

from corrections.recognition.detector import detect
from corrections.recognition.types import Detection
from memory.types import Fact
from patterns.rules.examiners import Fault
from patterns.rules.pack import PHRASES_FOLDER, SHIPPED

if TYPE_CHECKING:
    from patterns.rules.ruleset import RuleSet

SHIPPED_REPLIES: Final = SHIPPED / PHRASES_FOLDER / "golden.yaml"
SAID_AT: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
DISPUTED: Final = "!"
_FACTS: Final = UUID("7c1b4c1e-54a5-4d7e-9f63-6c8a4a1f2b3d")


@dataclass(frozen=True, slots=True)
class GoldenReply:
    """One reply after one turn, what is stored, and all that it does, in the form of `name_operations`."""

    name: str
    promise: str
    turn: str
    reply: str
    facts: tuple[Fact, ...]
    operations: tuple[str, ...]


def load_golden_replies() -> list[GoldenReply]:
    """The shipped cases, in the order of the file. Raises ValueError unless a fact is "type/key=value"."""
    return [_read_case(raw) for raw in yaml.safe_load(SHIPPED_REPLIES.read_text(encoding="utf-8"))]


def list_broken_replies(rule_set: RuleSet, cases: Iterable[GoldenReply] | None = None) -> list[Fault]:
    """The golden replies (the shipped ones where none are given) that a set understands otherwise. Pure."""
    faults: list[Fault] = []
    for case in _load_shipped() if cases is None else cases:
        detection = detect(case.reply, previous_turn=case.turn, facts=case.facts, said_at=SAID_AT, rule_set=rule_set)
        done = name_operations(detection)
        if done != case.operations:
            faults.append(Fault(f"reply {case.name}", _describe(case, done)))
    return faults


def name_operations(detection: Detection) -> tuple[str, ...]:
    """What a reply does, in short and sorted: "deactivate allergy/silk", "set body_params/size=S"."""
    return tuple(
        sorted(
            f"{one.kind} {one.knowledge_type}/{one.knowledge_key}" + (f"={one.value}" if one.kind == "set" else "")
            for one in detection.operations
        )
    )


def read_fact(text: str) -> Fact:
    """A stored fact from "type/key", "type/key=value", with "!" at the end where it is disputed. Raises ValueError."""
    slot, _, value = text.strip().removesuffix(DISPUTED).partition("=")
    knowledge_type, _, key = (part.strip() for part in slot.partition("/"))
    if not (knowledge_type and key):
        raise ValueError(text)
    is_event = knowledge_type == "life_event"
    known_at = SAID_AT - timedelta(days=1)
    return Fact(
        id=uuid5(_FACTS, f"{knowledge_type}/{key}"),
        knowledge_type=knowledge_type,
        knowledge_key=key,
        value=value.strip() or (key.partition("_")[0] if is_event else key),
        confidence=0.95,
        extracted_from="instant_pattern",
        provenance="confirmed_by_user",
        valid_at=known_at,
        last_validated_at=known_at,
        log_position=1,
        expires_at=SAID_AT + timedelta(days=30) if is_event else None,
        is_disputed=text.strip().endswith(DISPUTED),
    )


@lru_cache(maxsize=1)
def _load_shipped() -> tuple[GoldenReply, ...]:
    return tuple(load_golden_replies())


def _describe(case: GoldenReply, done: tuple[str, ...]) -> str:
    wanted, found = ", ".join(case.operations) or "nothing", ", ".join(done) or "nothing"
    said = f"after “{case.turn}” the reply “{case.reply}”"
    return f"golden reply {case.name} ({case.promise}): {said} must do {wanted}, does {found}"


def _read_case(raw: dict[str, Any]) -> GoldenReply:
    return GoldenReply(
        name=str(raw["name"]),
        promise=str(raw["promise"]),
        turn=str(raw["turn"]),
        reply=str(raw["reply"]),
        facts=tuple(read_fact(str(text)) for text in raw["facts"]),
        operations=tuple(sorted(str(text) for text in raw["does"])),
    )
