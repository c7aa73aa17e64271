"""What the pure tests share: the shipped rules, compiled once, and short ways to say things to the gate."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from memory.extraction.judging.context import GateContext
from memory.extraction.model.prompt import make_material
from memory.extraction.types import Operation
from memory.ids import new_id
from memory.types import Fact, RecordedMessage
from patterns.rules.ruleset import RuleSet

DUBAI = ZoneInfo("Asia/Dubai")
NOW = datetime(2026, 3, 2, 12, tzinfo=DUBAI)
CHAT = new_id()
OPERATIONS = ("ADD", "UPDATE", "REMOVE", "CONFIRM")
"""What a model may ask for."""


@pytest.fixture(scope="session")
def rules(rule_set: RuleSet) -> RuleSet:
    return rule_set


def say(
    text: str, *, role: str = "user", minutes: int = 0, days: int = 0, seq: int = 1, conversation_id: UUID = CHAT
) -> RecordedMessage:
    """A message said some minutes and days after NOW."""
    said_at = NOW + timedelta(days=days, minutes=minutes)
    return RecordedMessage(
        id=new_id(),
        user_id=CHAT,
        tenant_id=CHAT,
        conversation_id=conversation_id,
        seq=seq,
        role=role,
        content=text,
        created_at=said_at,
        received_at=said_at,
    )


def know(knowledge_type: str, key: str, value: Any, **more: Any) -> Fact:
    """A fact that was said ten days before NOW."""
    said_at = NOW - timedelta(days=10)
    fields = {"confidence": 0.95, "extracted_from": "instant_pattern", "provenance": "confirmed_by_user", **more}
    return Fact(
        id=new_id(),
        knowledge_type=knowledge_type,
        knowledge_key=key,
        value=value,
        valid_at=said_at,
        last_validated_at=said_at,
        log_position=1,
        **fields,
    )


def propose(knowledge_type: str, key: str | None, value: Any, **more: Any) -> Operation:
    """An operation of a model that is sure of itself."""
    fields: dict[str, Any] = {
        "operation": "ADD",
        "knowledge_id": None,
        "evidence_message_ids": ("m1",),
        "subject": "user",
        "confidence": 0.95,
        **more,
    }
    return Operation(knowledge_type=knowledge_type, knowledge_key=key, value=value, **fields)


@pytest.fixture
def make_context(rules: RuleSet) -> Callable[..., GateContext]:
    def make(messages: Sequence[RecordedMessage | str], facts: Sequence[Fact] = (), **more: Any) -> GateContext:
        said = [
            say(message, minutes=number, seq=number) if isinstance(message, str) else message
            for number, message in enumerate(messages, start=1)
        ]
        return GateContext(
            material=make_material(messages=said, facts=facts),
            rules=rules,
            zone=DUBAI,
            now=NOW,
            session_gap=timedelta(minutes=30),
            event_days=30,
            rule_name="extraction.v1",
            rule_version=1,
            **more,
        )

    return make
