"""Which hits say too little by themselves, and which of their neighbours carry the sense (KSP fix 5, SPEC S-5, K28)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from patterns.text.arabic import normalise_arabic
from patterns.text.data_files import read_words
from patterns.text.excerpts import SPAN_CHARACTERS, shorten
from retrieval.types import SpanMessage

SHORT_CHARACTERS = 50
SPAN_MESSAGES = 2
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A message before a hit, nearest first, with its similarity to the question (None without a vector)."""

    message_id: UUID
    role: str
    content: str
    similarity: float | None


def needs_span(content: str) -> bool:
    """Whether a message is under 50 characters or begins by pointing back ("второй!", "да, беру")."""
    text = content.strip()
    return len(text) < SHORT_CHARACTERS or _points_back(text)


def mark_core(neighbours: Sequence[Neighbour]) -> list[SpanMessage]:
    """The neighbours as span messages; the nearest assistant message is core context, exempt from the guard (D-19)."""
    core = next((neighbour.message_id for neighbour in neighbours if neighbour.role == "assistant"), None)
    return [
        SpanMessage(
            message_id=neighbour.message_id,
            role=neighbour.role,
            text=shorten(neighbour.content, limit=SPAN_CHARACTERS),
            is_core=neighbour.message_id == core,
            similarity=neighbour.similarity,
        )
        for neighbour in neighbours[:SPAN_MESSAGES]
    ]


def _points_back(text: str) -> bool:
    words = _WORDS.findall(normalise_arabic(text[:60].lower().replace("ё", "е")))[:2]
    pointing = _read_pointing()
    return bool(words) and (words[0] in pointing or "_".join(words) in pointing)


@cache
def _read_pointing() -> frozenset[str]:
    return read_words("pointing.txt")
