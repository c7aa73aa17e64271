"""What a message wants, by rules: the form that BRAIN 2.2 gives it. Pure; the phrases are data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from retrieval.knowledge.planning.phrases import PhraseHit, PhraseTable, list_words

Abilities = tuple[tuple[str, tuple[str, ...]], ...]
"""Phrases by capability, as a value that can be a key."""
ABILITY: Final[Mapping[str, Any]] = MappingProxyType({"action": True, "depth": "planning", "phase": "acting"})
"""How the words of a skill are read: something is to be done."""

DATA: Final = Path(__file__).resolve().parent / "data"
SHORT: Final = 4  # words: a greeting in a longer message only introduces what it is about
SURE, LIKELY, UNSURE = 0.9, 0.7, 0.5
"""Confidence of a phrase of several words, of a phrase of one word or a question, and of small talk."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a message wants. `depth` is the intent of the pack; `phase` chooses the guide for the model.

    `context_hints` are every intent whose words the message holds, and every capability of a skill: a skill is chosen
    by them.
    """

    action_required: bool
    intent_type: str
    confidence: float
    extracted_entities: Mapping[str, Any] = field(default_factory=dict)
    context_hints: Sequence[str] = ()
    depth: str = ""
    phase: str = "none"
    made_by: str = "rules"


@cache
def read_data(name: str) -> Any:
    """A data file of the wing."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@cache
def get_rows() -> Mapping[str, Mapping[str, Any]]:
    """The intents that ship, by name; rows of one type have names of their own."""
    return {row.get("name", row["type"]): row for row in read_data("intents")["intents"]}


@cache
def _make_table(added: Abilities) -> PhraseTable:
    """The phrases of all languages by intent, with those that skills bring."""
    rows = get_rows().items()
    phrases = {name: [phrase for each in row["phrases"].values() for phrase in each] for name, row in rows}
    return PhraseTable(phrases | {name: [*phrases.get(name, ()), *more] for name, more in added})


@cache
def _get_question_words() -> frozenset[str]:
    return frozenset(
        low for words in read_data("intents")["question_words"].values() for low in list_words(" ".join(words))
    )


def understand(
    text: str, *, facts: Sequence[Mapping[str, Any]] = (), abilities: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> Understanding:
    """The intent of a message: the longest phrase that it holds decides, else whether it asks.

    `facts` are those that the message stated; they are what it speaks of. `abilities` are phrases that skills bring, by
    capability. A message that greets and goes on is about what comes after.
    """
    words = list_words(text)
    entities = {str(fact["knowledge_key"]): fact["value"] for fact in facts}
    added: Abilities = tuple((name, tuple(phrases)) for name, phrases in abilities.items())
    found = [hit for hit in _make_table(added).find(text) if _counts(hit, words)]
    best = max(found, key=lambda hit: hit.length, default=None)
    if best is not None:
        row = get_rows().get(best.name, {**ABILITY, "type": best.name})
        confidence = SURE if best.length > 1 else LIKELY
        hints = tuple(dict.fromkeys(hit.name for hit in found))
        return Understanding(row["action"], row["type"], confidence, entities, hints, row["depth"], row["phase"])
    is_question = "?" in text or "؟" in text or (words and words[0] in _get_question_words())
    if is_question:
        return Understanding(False, "question", LIKELY, entities, (), "question", "advising")
    return Understanding(False, "chat", UNSURE, entities, (), "small_talk" if len(words) <= SHORT else "", "none")


@cache
def _get_polite_words() -> frozenset[str]:
    return frozenset(list_words(" ".join(read_data("intents")["polite_words"])))


def _counts(hit: PhraseHit, words: Sequence[str]) -> bool:
    """Whether the message is short enough for the row, and the phrase opens it where it has to."""
    row = get_rows().get(hit.name, ABILITY)
    if row.get("short") and len(words) > SHORT:
        return False
    if row.get("opens"):
        polite = _get_polite_words()
        return hit.first == next((at for at, word in enumerate(words) if word not in polite), None)
    return True
