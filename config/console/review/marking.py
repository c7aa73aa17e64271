"""Which words of a message speak for a fact. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from memory.types import Fact
from patterns.ruleset import RuleSet

RULE_BEGINNINGS: Final = {
    "allergy": ("allergy",),
    "hard_ban": ("ban",),
    "body_params": ("size", "height", "weight", "body"),
    "budget": ("budget",),
    "life_event": ("event",),
    "brand_preference": ("ban",),
}


NEAR: Final = 40
"""Characters between what a rule matched and the value that it read there."""


def find_marks(text: str, *, fact: Fact, rule_set: RuleSet, said_at: datetime) -> list[tuple[int, int]]:
    """Runs of characters [start, end) that say the fact; empty where the words are others.

    As the rules read it today, else what a rule of its type looked at, else the value as it is written.
    """
    result = rule_set.read(text, said_at=said_at)
    same_type = [one for one in result.readings if one.knowledge_type == fact.knowledge_type]
    exact = [one for one in same_type if one.knowledge_key == fact.knowledge_key]
    if exact or same_type:
        spans = [(one.start, one.end) for one in exact or same_type]
        return [*spans, *find_near(text, fact.value, spans)]
    looked_at = [(one.start, one.end) for one in result.rejections if _is_of_type(one.rule, fact.knowledge_type)]
    return looked_at or find_written(text, fact.value) or find_written(text, fact.knowledge_key.replace("_", " "))


def find_near(text: str, value: object, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where the value is written just beside a match: rules that look for words alone leave numbers outside."""
    return [
        min(close, key=lambda place: _measure_gap(place, span))
        for span in spans
        if (close := [place for place in find_written(text, value) if 0 <= _measure_gap(place, span) <= NEAR])
    ]


def find_written(text: str, value: object) -> list[tuple[int, int]]:
    """Where a value stands in a text letter by letter, as a whole word."""
    words = str(value).strip()
    if not words:
        return []
    return [found.span() for found in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE)]


def _measure_gap(place: tuple[int, int], span: tuple[int, int]) -> int:
    """Characters between two runs; negative where they overlap."""
    return max(place[0] - span[1], span[0] - place[1])


def _is_of_type(rule: str, knowledge_type: str) -> bool:
    """Rules are named by what they read: `allergy-en-word`, `size-en-own`."""
    return rule.startswith(RULE_BEGINNINGS.get(knowledge_type, ()))
