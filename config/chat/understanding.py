"""What a message wants, by rules: the form that BRAIN 2.2 gives it. Pure; the phrases are data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from retrieval.knowledge.planning.phrases import PhraseHit, PhraseTable, list_words

DATA: Final = Path(__file__).resolve().parent / "data"
SHORT: Final = 4  # words: a greeting in a longer message only introduces what it is about
SURE, LIKELY, UNSURE = 0.9, 0.7, 0.5
"""Confidence of a phrase of several words, of a phrase of one word or a question, and of small talk."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a message wants. `depth` is the intent of the pack; `phase` chooses the guide for the model."""

    action_required: bool
    intent_type: str
    confidence: float
    extracted_entities: Mapping[str, Any] = field(default_factory=dict)
    context_hints: Sequence[str] = ()
    depth: str = ""
    phase: str = "none"


@cache
def read_data(name: str) -> Any:
    """A data file of the wing."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@cache
def _get_rows() -> Mapping[str, Mapping[str, Any]]:
    return {row["type"]: row for row in read_data("intents")["intents"]}


@cache
def _get_table() -> PhraseTable:
    """The phrases of all languages by intent."""
    return PhraseTable(
        {
            name: [phrase for phrases in row["phrases"].values() for phrase in phrases]
            for name, row in _get_rows().items()
        }
    )


@cache
def _get_question_words() -> frozenset[str]:
    return frozenset(
        low for words in read_data("intents")["question_words"].values() for low in list_words(" ".join(words))
    )


def understand(text: str, *, facts: Sequence[Mapping[str, Any]] = ()) -> Understanding:
    """The intent of a message: the longest phrase that it holds decides, else whether it asks.

    `facts` are those that the message stated; they are what it speaks of. A message that greets and goes on is about
    what comes after.
    """
    words = list_words(text)
    entities = {str(fact["knowledge_key"]): fact["value"] for fact in facts}
    found = [hit for hit in _get_table().find(text) if _counts(hit, words)]
    best = max(found, key=lambda hit: hit.length, default=None)
    if best is not None:
        row = _get_rows()[best.name]
        confidence = SURE if best.length > 1 else LIKELY
        hints = tuple(hit.name for hit in found)
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
    row = _get_rows()[hit.name]
    if row.get("short") and len(words) > SHORT:
        return False
    if row.get("opens"):
        polite = _get_polite_words()
        return hit.first == next((at for at, word in enumerate(words) if word not in polite), None)
    return True
