"""Which words of a message speak for a fact. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from corrections.recognition.detector import read_reply
from memory.types import Fact
from patterns.rules.ruleset import RuleSet
from patterns.steps.message import Message

RULE_BEGINNINGS: Final = {
    "allergy": ("allergy",),
    "hard_ban": ("ban",),
    "body_params": ("size", "height", "weight", "body"),
    "budget": ("budget",),
    "life_event": ("event",),
    "brand_preference": ("ban",),
}
CORRECTING: Final = ("denial", "negation", "affirm", "ended", "over", "recent", "topic")
"""What a reply says when it corrects something, by the names that the detector gives to its phrases."""
NEAR: Final = 40
"""Characters between what a rule matched and the value that it read there."""


def find_marks(text: str, *, fact: Fact, rule_set: RuleSet, said_at: datetime) -> list[tuple[int, int]]:
    """Runs of characters [start, end) that say the fact, its trigger and its value; empty where the words are others.

    As the rules read it today; else the value, in any word of the vocabulary, with the nearest words that a rule of
    its type looked at.
    """
    result = rule_set.read(text, said_at=said_at)
    same_type = [one for one in result.readings if one.knowledge_type == fact.knowledge_type]
    exact = [one for one in same_type if one.knowledge_key == fact.knowledge_key]
    values = find_values(text, fact=fact, rule_set=rule_set)
    if exact:
        spans = [(one.start, one.end) for one in exact]
        return [*spans, *find_near(values, spans)]
    looked_at = [(one.start, one.end) for one in result.rejections if _is_of_type(one.rule, fact.knowledge_type)]
    triggers = [*((one.start, one.end) for one in same_type), *looked_at]
    if not values or not triggers:
        return values or triggers
    nearest = min(triggers, key=lambda trigger: min(abs(measure_gap(value, trigger)) for value in values))
    return [*values, nearest]


def find_correction_marks(text: str, *, fact: Fact | None, rule_set: RuleSet) -> list[tuple[int, int]]:
    """Runs of characters that deny, confirm or end something, and those that say the fact that it is about."""
    read = read_reply(text, rule_set=rule_set)
    cues = [cue for name in CORRECTING for cue in read.cues.get(name, ())]
    spans = [_find_span(read.message, cue.start, cue.end) for cue in cues]
    return [*spans, *(find_values(text, fact=fact, rule_set=rule_set) if fact is not None else [])]


def find_values(text: str, *, fact: Fact, rule_set: RuleSet) -> list[tuple[int, int]]:
    """Where the fact's value stands: as the vocabulary says it in any language, else letter by letter."""
    message = rule_set.analyse(text)
    names = {str(fact.value), fact.knowledge_key}
    said = {
        _find_span(message, match.start, match.end)
        for matches in message.marks.values()
        for match in matches
        if match.canonical in names
    }
    return sorted(said) or find_written(text, fact.value) or find_written(text, fact.knowledge_key.replace("_", " "))


def find_near(values: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The value that stands just beside each match: rules that look for words alone leave numbers outside."""
    return [
        min(close, key=lambda place: measure_gap(place, span))
        for span in spans
        if (close := [place for place in values if 0 <= measure_gap(place, span) <= NEAR])
    ]


def find_written(text: str, value: object) -> list[tuple[int, int]]:
    """Where a value stands in a text letter by letter, as a whole word."""
    words = str(value).strip()
    if not words:
        return []
    return [found.span() for found in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE)]


def measure_gap(place: tuple[int, int], span: tuple[int, int]) -> int:
    """Characters between two runs; negative where they overlap."""
    return max(place[0] - span[1], span[0] - place[1])


def _find_span(message: Message, start: int, end: int) -> tuple[int, int]:
    """Tokens [start, end) as characters of the raw text."""
    tokens = message.tokens
    return message.normal.raw_span(tokens[start].start, tokens[end - 1].end)


def _is_of_type(rule: str, knowledge_type: str) -> bool:
    """Rules are named by what they read: `allergy-en-word`, `size-en-own`."""
    return rule.startswith(RULE_BEGINNINGS.get(knowledge_type, ()))
