"""What a message wants, by rules: the form that BRAIN 2.2 gives it. Pure; the phrases are data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from retrieval.knowledge.planning.wording import Word, fold_word, split_question

DATA: Final = Path(__file__).resolve().parent / "data"
MAX_GAP: Final = 3  # words between two words of a phrase
SHORT: Final = 4  # words: a greeting in a longer message only introduces what it is about
EXACT: Final = "="
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


@dataclass(frozen=True, slots=True)
class _Phrase:
    words: tuple[tuple[str, bool], ...]
    row: Mapping[str, Any]


@cache
def read_data(name: str) -> Any:
    """A data file of the wing."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@cache
def _list_phrases() -> tuple[_Phrase, ...]:
    rows = read_data("intents")["intents"]
    return tuple(
        _Phrase(tuple(_read_word(word) for word in phrase.split()), row)
        for row in rows
        for phrases in row["phrases"].values()
        for phrase in phrases
    )


def _read_word(word: str) -> tuple[str, bool]:
    low, stem = fold_word(word.removeprefix(EXACT))
    return (low, True) if word.startswith(EXACT) else (stem, False)


@cache
def _get_question_words() -> frozenset[str]:
    return frozenset(fold_word(word)[0] for words in read_data("intents")["question_words"].values() for word in words)


def understand(text: str, *, facts: Sequence[Mapping[str, Any]] = ()) -> Understanding:
    """The intent of a message: the longest phrase that it holds decides, else whether it asks.

    `facts` are those that the message stated; they are what it speaks of. A message that greets and goes on is about
    what comes after.
    """
    words = split_question(text)
    entities = {str(fact["knowledge_key"]): fact["value"] for fact in facts}
    found = [phrase for phrase in _list_phrases() if _holds(words, phrase)]
    best = max(found, key=lambda phrase: len(phrase.words), default=None)
    if best is not None:
        row = best.row
        confidence = SURE if len(best.words) > 1 else LIKELY
        hints = tuple(dict.fromkeys(str(each.row["type"]) for each in found))
        return Understanding(row["action"], row["type"], confidence, entities, hints, row["depth"], row["phase"])
    is_question = "?" in text or "؟" in text or (words and words[0].low in _get_question_words())
    if is_question:
        return Understanding(False, "question", LIKELY, entities, (), "question", "advising")
    return Understanding(False, "chat", UNSURE, entities, (), "small_talk" if len(words) <= SHORT else "", "none")


@cache
def _get_polite_words() -> frozenset[str]:
    return frozenset(fold_word(word)[0] for word in read_data("intents")["polite_words"])


def _holds(words: Sequence[Word], phrase: _Phrase) -> bool:
    if phrase.row.get("short") and len(words) > SHORT:
        return False
    starts = range(len(words))
    if phrase.row.get("opens"):
        polite = _get_polite_words()
        opening = next((place for place in starts if words[place].low not in polite), None)
        starts = range(opening, opening + 1) if opening is not None else range(0)
    return any(_follows(words, phrase.words, start) for start in starts)


def _follows(words: Sequence[Word], wanted: Sequence[tuple[str, bool]], at: int) -> bool:
    """Whether the wanted words stand in this order, the first of them here."""
    for place, (form, is_exact) in enumerate(wanted):
        ahead = words[at : at + (MAX_GAP + 1 if place else 1)]
        hit = next((i for i, word in enumerate(ahead) if (word.low if is_exact else word.stem) == form), None)
        if hit is None:
            return False
        at += hit + 1
    return True
