"""Snippets made by rule: the part of a long message that says most, cut out and not made up (SPEC E-3). Pure.

Never the beginning, where there is anything else: a model would take that for a summary (KSP fix 4B).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from patterns.text.excerpts import HARD_TYPES, MIN_SNIPPET_CONTENT
from patterns.text.tokens import CONCEPT_PREFIX, tokenise

MAX_SNIPPET_CHARACTERS = 120
MAX_CHARACTERS = 8_000  # of a message: what stands behind is not looked at
RULE = "extractive-1"
ELLIPSIS = "…"
_SENTENCES = re.compile(r"[^.!?؟。！？\n]+")
_CLAUSES = re.compile(r"[^,;:،؛，；：–—]+")


def is_wanted(*, role: str, content: str, memory_type: str, description: str | None) -> bool:
    """Whether a message gets a snippet: long, no fact or event, and without a description that serves for one."""
    has_description = role == "assistant" and bool(description)
    return len(content) >= MIN_SNIPPET_CONTENT and memory_type not in HARD_TYPES and not has_description


def make_snippet(content: str) -> str:
    """At most 120 characters of the message, word for word but for `…` where it was cut."""
    text = content[:MAX_CHARACTERS]
    weights = weigh_words(text)
    pieces = list(dict.fromkeys(list_pieces(text)))
    return max(pieces[1:] or pieces, key=lambda piece: (measure_piece(piece, weights), -len(piece)), default="")


def list_pieces(text: str) -> Iterator[str]:
    """The sentences of a text in order; of those too long the clauses, of these the stretches of words that fit."""
    for sentence in _SENTENCES.findall(text):
        whole = " ".join(sentence.split())
        if len(whole) <= MAX_SNIPPET_CHARACTERS:
            yield from [whole] if whole else []
            continue
        for clause in _CLAUSES.findall(whole):
            yield from cut(clause.strip())


def cut(clause: str) -> Iterator[str]:
    """A clause in stretches that fit, whole words where there are any, with `…` on the sides that were cut."""
    room = MAX_SNIPPET_CHARACTERS - 2 * len(ELLIPSIS)
    start = 0
    while start < len(clause):
        end = min(start + room, len(clause))
        if end < len(clause):
            space = clause.rfind(" ", start + room // 2, end)
            end = space if space > 0 else end
        stretch = clause[start:end].strip()
        if stretch:
            yield f"{ELLIPSIS if start else ''}{stretch}{ELLIPSIS if end < len(clause) else ''}"
        start = max(end, start + 1)


def weigh_words(text: str) -> dict[str, float]:
    """What each content word of a message says about it: more when it comes again, whatever is asked."""
    counts = Counter(list_stems(text))
    return {stem: math.log1p(count) for stem, count in counts.items()}


def measure_piece(piece: str, weights: dict[str, float]) -> float:
    """What a piece says of its message, for the room it takes."""
    said = sum(weights.get(stem, 0.0) for stem in set(list_stems(piece)))
    return said / math.sqrt(len(piece) + 20)


def list_stems(text: str) -> list[str]:
    """The stems of content words, with those that come again."""
    stems = (token.lexemes[0][0] for token in tokenise(text, is_query=True))
    return [stem for stem in stems if not stem.startswith(CONCEPT_PREFIX)]


def is_label(snippet: str, *, content: str) -> bool:
    """Whether what a model wrote may be a message's label: short, one line, and in words of the message."""
    stems = set(list_stems(snippet))
    is_short = 0 < len(snippet.strip()) <= MAX_SNIPPET_CHARACTERS and "\n" not in snippet
    return is_short and bool(stems) and len(stems & set(list_stems(content[:MAX_CHARACTERS]))) * 2 >= len(stems)
