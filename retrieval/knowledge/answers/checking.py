"""Whether a model's answer says all of the items and only them (SPEC N-6). Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from retrieval.knowledge.answers.rendering import BULLET

LEFT_OUT, ADDED_LINE, ADDED_NAME, ADDED_NUMBER, TECHNICAL, EMPTY = (
    "left_out",
    "added_line",
    "added_name",
    "added_number",
    "technical",
    "empty",
)
_WORD: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_LINE: Final = re.compile(r"^\s*(?:[-*•–]|\d+[.)])\s+(?P<text>.+)$", re.MULTILINE)
_TECHNICAL: Final = re.compile(
    r"\[\d+\]|\bconfidence\b|\b[0-9a-f]{8}-[0-9a-f]{4}-|\b(?:doc|chunk|record)_?id\b", re.IGNORECASE
)


def find_fault(
    answer: str, *, items: Sequence[str], allowed_text: str, names: Collection[str], allowed_names: Collection[str]
) -> str:
    """Why an answer may not be given; empty where it may.

    `items` must all be in it, word for word but for case and punctuation. `allowed_text` is everything that it was
    given: question, items, texts. `names` are entities that the answer names for certain, by id or key.
    """
    folded = fold(answer)
    if not folded:
        return EMPTY
    if _TECHNICAL.search(answer) and not _TECHNICAL.search(allowed_text):
        return TECHNICAL
    if any(f" {fold(item)} " not in f" {folded} " for item in items):
        return LEFT_OUT
    known = [fold(item) for item in items]
    lines = [fold(match["text"]) for match in _LINE.finditer(answer)]
    if items and any(not any(item in line or line in item for item in known) for line in lines):
        return ADDED_LINE
    if items and len(lines) > len(items):
        return ADDED_LINE
    if set(names) - set(allowed_names):
        return ADDED_NAME
    numbers = set(_NUMBER.findall(allowed_text))
    if set(_NUMBER.findall(_LINE.sub(lambda match: match["text"], answer))) - numbers:
        return ADDED_NUMBER
    return ""


def fold(text: str) -> str:
    """The words of a text in small letters, one space between them."""
    return " ".join(_WORD.findall(text.casefold()))


def mark_lines(answer: str) -> str:
    """The lines of a list all with the same mark."""
    return _LINE.sub(lambda match: f"{BULLET}{match['text']}", answer).strip()
