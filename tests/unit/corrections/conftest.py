"""A short way to say a case."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from corrections.recognition.detector import detect
from corrections.recognition.types import Detection
from memory.types import Fact
from patterns.rules.ruleset import RuleSet

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=ZoneInfo("Asia/Dubai"))  # a Monday


def make_fact(slot: str, value: Any = None, *, is_disputed: bool = False, days: int | None = None) -> Fact:
    """A stored fact; `slot` is "type/key"."""
    knowledge_type, knowledge_key = slot.split("/")
    default = knowledge_key.split("_")[0] if knowledge_type == "life_event" else knowledge_key
    return Fact(
        id=uuid4(),
        knowledge_type=knowledge_type,
        knowledge_key=knowledge_key,
        value=default if value is None else value,
        confidence=0.95,
        extracted_from="instant_pattern",
        provenance="confirmed_by_user",
        valid_at=NOW - timedelta(days=1),
        last_validated_at=NOW - timedelta(days=1),
        log_position=1,
        is_disputed=is_disputed,
        expires_at=NOW + timedelta(days=days) if days is not None else None,
    )


Reply = Callable[..., Detection]


@pytest.fixture
def reply(rule_set: RuleSet) -> Reply:
    """`reply(turn, words, *facts)`: what the words correct after that turn."""

    def run(turn: str | None, words: str, *facts: Fact, **more: Any) -> Detection:
        return detect(words, previous_turn=turn, facts=facts, said_at=NOW, rule_set=rule_set, **more)

    return run


def describe(detection: Detection) -> list[str]:
    """The operations in short: "set body_params/size S"."""
    return [
        f"{o.kind} {o.knowledge_type}/{o.knowledge_key}" + (f" {o.value}" if o.kind == "set" else "")
        for o in detection.operations
    ]
