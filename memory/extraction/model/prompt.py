"""The question to the model: a versioned template with its schema, and the material as JSON beside it (KSP fix 1B).

Messages go in raw and whole as far as the grammar reads them; their ids are short names (m1, f1), so that an id of
another user cannot even be said.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from memory.extraction.types import ADAPTIVE_TYPES, Item, Material, Prompt
from memory.types import Fact, RecordedMessage

PROMPT_VERSION: Final = "v1"
ADAPTIVE_SUFFIX: Final = "-adaptive"
"""Ends the version of a prompt that asks for adaptive items too: its own precision, quarantine and stored answers."""
TEMPLATES: Final = Path(__file__).resolve().parents[2] / "templates" / "extraction"
MAX_MESSAGE_CHARACTERS: Final = 2_000
"""As far as the instant grammar reads: what stands behind could not pass the gate anyway."""
MAX_MESSAGES: Final = 80
MAX_CHARACTERS: Final = 24_000
"""Of all messages of a run: about 6,000 tokens of English, more of Arabic."""


@lru_cache(maxsize=4)
def load_template(version: str = PROMPT_VERSION) -> tuple[str, dict[str, Any]]:
    """The instruction of a version and the schema of its answer."""
    folder = TEMPLATES / version.removesuffix(ADAPTIVE_SUFFIX)
    schema: dict[str, Any] = json.loads((folder / "answer.schema.json").read_text(encoding="utf-8"))
    system = (folder / "system.txt").read_text(encoding="utf-8")
    if version.endswith(ADAPTIVE_SUFFIX):
        system += "\n" + (folder / "adaptive.txt").read_text(encoding="utf-8")
        schema["properties"]["operations"]["items"]["properties"]["knowledge_type"]["enum"] += ADAPTIVE_TYPES
    return system, schema


def choose_version(*, is_adaptive: bool) -> str:
    """The version of the prompt for a tenant's policy."""
    return PROMPT_VERSION + (ADAPTIVE_SUFFIX if is_adaptive else "")


def choose_messages(messages: Sequence[RecordedMessage]) -> list[RecordedMessage]:
    """The first of these that one prompt takes, at least one; the others wait for the next run."""
    chosen: list[RecordedMessage] = []
    size = 0
    for message in messages[:MAX_MESSAGES]:
        size += min(len(message.content), MAX_MESSAGE_CHARACTERS)
        if chosen and size > MAX_CHARACTERS:
            break
        chosen.append(message)
    return chosen


def make_material(
    *, messages: Sequence[RecordedMessage], facts: Sequence[Fact], items: Sequence[Item] = ()
) -> Material:
    """Messages, facts and items under their short names, in order."""
    return Material(
        messages={f"m{number}": message for number, message in enumerate(messages, start=1)},
        facts={f"f{number}": fact for number, fact in enumerate(facts, start=1)},
        items={f"i{number}": item for number, item in enumerate(items, start=1)},
    )


def build_prompt(material: Material, *, now: datetime, zone: ZoneInfo, version: str = PROMPT_VERSION) -> Prompt:
    """The prompt for this material. The same material at the same day gives the same prompt, byte for byte."""
    system, schema = load_template(version)
    body: dict[str, Any] = {
        "today": now.astimezone(zone).date().isoformat(),
        "current_facts": [_describe_fact(ref, fact) for ref, fact in material.facts.items()],
    }
    if version.endswith(ADAPTIVE_SUFFIX):
        body["current_items"] = [_describe_item(ref, item) for ref, item in material.items.items()]
    body["messages"] = [_describe_message(ref, message, zone) for ref, message in material.messages.items()]
    return Prompt(version, system, json.dumps(body, ensure_ascii=False, separators=(",", ":")), schema)


def _describe_fact(ref: str, fact: Fact) -> dict[str, Any]:
    described = {"id": ref, "type": fact.knowledge_type, "key": fact.knowledge_key, "value": fact.value}
    return {**described, "disputed": True} if fact.is_disputed else described


def _describe_item(ref: str, item: Item) -> dict[str, Any]:
    return {"id": ref, "type": item.item_type, "key": item.key, "value": item.value}


def _describe_message(ref: str, message: RecordedMessage, zone: ZoneInfo) -> dict[str, Any]:
    return {
        "id": ref,
        "role": message.role,
        "said_on": message.created_at.astimezone(zone).date().isoformat(),
        "text": message.content[:MAX_MESSAGE_CHARACTERS],
    }
