"""A sample skill: the size that memory knows of a user, in another system.

It needs nothing of UNDE Memory but the shape of a call, so that it is a package of its own with no dependency. What it
knows of the user is in the pack that it is given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WORDS = Path(__file__).with_name("words.json")
CAPABILITY = "convert_size"


@dataclass(frozen=True)
class Result:
    """What the service reads of an execution: a reply, and a receipt of ids and codes."""

    reply: str
    receipt: Mapping[str, Any] = field(default_factory=dict)


class SizeSkill:
    """Says the user's size in the system that a message names, the European one where it names none."""

    name = "sizes"
    capabilities: Sequence[str] = (CAPABILITY,)

    def __init__(self) -> None:
        self._words: dict[str, Any] = json.loads(WORDS.read_text(encoding="utf-8")) if WORDS.exists() else {}

    @property
    def phrases(self) -> Mapping[str, Sequence[str]]:
        """What a message says that asks for this skill."""
        return {CAPABILITY: self._words.get("phrases", ())}

    def can_handle(self, understanding: Any) -> float:
        """Sure where the message names the capability first, less where it is one of several."""
        if understanding.intent_type == CAPABILITY:
            return 0.9
        return 0.5 if CAPABILITY in understanding.context_hints else 0.0

    def check(self) -> str:
        """The table of sizes is the one tool that it needs."""
        return "" if self._words.get("systems") else "table_missing"

    def run(self, call: Any) -> Result:
        """The size in words of the user's language. The receipt names the system and the fact that it rests on."""
        system = self._find_system(call.text)
        fact = self._find_fact(call.pack)
        place = self._find_place(fact["value"]) if fact else None
        if fact is None or place is None:
            return Result(self._say("unknown", call.language), {"system": system, "outcome": "size_unknown"})
        answer = self._words["systems"][system][place]
        text = self._say("known", call.language).format(size=fact["value"], system=system.upper(), answer=answer)
        return Result(text, {"system": system, "outcome": "converted", "fact_id": fact["id"]})

    def _find_system(self, text: str) -> str:
        words = [word.strip(".,!?؟:;") for word in text.casefold().split()]
        for system, names in self._words["names"].items():
            if any(word == name or (len(name) > 3 and word.startswith(name)) for word in words for name in names):
                return str(system)
        return "eu"

    def _find_place(self, size: Any) -> int | None:
        letters: list[str] = self._words["letters"]
        text = str(size).strip().upper()
        if text in letters:
            return letters.index(text)
        for system, sizes in self._words["systems"].items():
            number = text.removeprefix(system.upper()).strip()
            if text != number and number in sizes:
                return int(sizes.index(number))
        return None

    def _say(self, name: str, language: str) -> str:
        table: dict[str, str] = self._words[name]
        return table.get("ar" if language == "arabizi" else language, table["en"])

    @staticmethod
    def _find_fact(pack: Mapping[str, Any]) -> Mapping[str, Any] | None:
        facts = pack.get("facts", ())
        found = [f for f in facts if f["knowledge_type"] == "body_params" and f["knowledge_key"] == "size"]
        return next((fact for fact in found if not fact.get("is_disputed")), None)
