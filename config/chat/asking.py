"""A model says what a message wants, where the rules are not sure; what it says is checked, and the rules stand by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from config.chat.understanding import ABILITY, LIKELY, UNSURE, Understanding, get_rows, read_data
from memory.extraction.model.openai_client import ModelFailed, OpenAICompatibleClient
from memory.extraction.types import Prompt

VERSION: Final = "chat-understanding-1"
PLAIN: Final[Mapping[str, Mapping[str, Any]]] = {
    "question": {"action": False, "depth": "question", "phase": "advising"},
    "chat": {"action": False, "depth": "", "phase": "none"},
}
"""Intents without phrases of their own."""

Key = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[a-z][a-z0-9_]*$")]


class Said(msgspec.Struct, frozen=True):
    """What the model has to answer. Everything else in its answer is ignored."""

    intent_type: Annotated[str, Meta(max_length=100)]
    confidence: Annotated[float, Meta(ge=0, le=1)]
    extracted_entities: Annotated[dict[Key, str], Meta(max_length=10)] = {}
    context_hints: Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=10)] = []


def is_unsure(understanding: Understanding) -> bool:
    """Whether the rules would rather have somebody else look."""
    return understanding.confidence < LIKELY


def ask_model(
    text: str, *, rules: Understanding, capabilities: Sequence[str], model: OpenAICompatibleClient
) -> Understanding:
    """The model's reading of a message where it holds, else that of the rules. Never raises."""
    kinds = _list_kinds(capabilities)
    try:
        answer = model.complete(_make_prompt(text, kinds)).text
        said = msgspec.json.decode(answer, type=Said)
    except (ModelFailed, msgspec.MsgspecError, UnicodeError):
        return rules
    return check(said, text=text, rules=rules, kinds=kinds)


def check(said: Said, *, text: str, rules: Understanding, kinds: Mapping[str, Mapping[str, Any]]) -> Understanding:
    """What of an answer may be believed: an intent that is known, and entities that are words of the message.

    Whether something is to be done follows from the intent, never from the model. The readings of the rules stay.
    """
    if said.intent_type not in kinds or said.confidence < UNSURE:
        return rules
    row, low = kinds[said.intent_type], text.casefold()
    found = {key: value for key, value in said.extracted_entities.items() if value and value.casefold() in low}
    return replace(
        rules,
        action_required=row["action"],
        intent_type=row.get("type", said.intent_type),
        confidence=said.confidence,
        extracted_entities={**found, **rules.extracted_entities},
        context_hints=tuple(dict.fromkeys([said.intent_type, *(h for h in said.context_hints if h in kinds)])),
        depth=row["depth"],
        phase=row["phase"],
        made_by="model",
    )


def _list_kinds(capabilities: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
    """Every intent that may be named: those that ship, and what the skills can do."""
    return {**{name: {**ABILITY, "type": name} for name in capabilities}, **PLAIN, **get_rows()}


def _make_prompt(text: str, kinds: Mapping[str, Mapping[str, Any]]) -> Prompt:
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["intent_type", "confidence", "extracted_entities", "context_hints"],
        "properties": {
            "intent_type": {"type": "string", "enum": sorted(kinds)},
            "confidence": {"type": "number"},
            "extracted_entities": {"type": "object", "additionalProperties": {"type": "string"}},
            "context_hints": {"type": "array", "items": {"type": "string", "enum": sorted(kinds)}},
        },
    }
    question = msgspec.json.encode({"intents": sorted(kinds), "message": text}).decode()
    return Prompt(VERSION, read_data("prompts")["understanding"], question, schema)
