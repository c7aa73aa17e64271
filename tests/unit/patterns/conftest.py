"""Short ways to ask what a message says."""

from __future__ import annotations

from datetime import datetime

import pytest

from patterns.rules.ruleset import RuleSet

SAID_AT = datetime.fromisoformat("2026-03-02T12:00:00+04:00")  # a Monday


@pytest.fixture
def read(rule_set: RuleSet):
    """What a message says, as "type/key=value" (and "@days" for events)."""

    def read_facts(text: str, **options: object) -> set[str]:
        facts = set()
        for reading in rule_set.read(text, said_at=SAID_AT, **options).readings:
            fact = f"{reading.knowledge_type}/{reading.knowledge_key}"
            if reading.knowledge_type in ("body_params", "budget"):
                fact += f"={reading.value}"
            if reading.expires_on is not None:
                fact += f"@{(reading.expires_on - SAID_AT.date()).days}"
            facts.add(fact)
        return facts

    return read_facts


@pytest.fixture
def refusals(rule_set: RuleSet):
    """The reason codes of what was refused in a message."""
    return lambda text: {rejection.reason for rejection in rule_set.read(text, said_at=SAID_AT).rejections}
