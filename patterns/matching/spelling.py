"""A pattern in the spelling that rules meet: what staff type as they would write it, folded as messages are (I-4)."""

from __future__ import annotations

import re
from typing import Final

from patterns.text.normaliser import normalise

# What is syntax and not text: escapes with their class names, group openers, classes, counts.
_SYNTAX: Final = re.compile(
    r"\\[pP]\{[^}]*\}|\\[pP].|\\.|\(\?P<[^>]*>|\(\?[a-zA-Z-]*:|\(\?[a-zA-Z]+\)|\{\d*,?\d*\}|[()|*+?.^$]"
)
_CLASS: Final = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")


def spell_pattern(pattern: str) -> str:
    """The pattern with its text in normalised spelling; syntax stays as it is. Pure, idempotent.

    Small letters for capitals, е for ё, ا for أ, no vowel signs, ASCII digits: as messages look when rules see them.
    """
    parts: list[str] = []
    start = 0
    while start < len(pattern):
        found = _CLASS.match(pattern, start) if pattern[start] == "[" else _SYNTAX.match(pattern, start)
        if found is not None:
            parts.append(_spell_class(found[0]) if found[0][0] == "[" else found[0])
            start = found.end()
            continue
        end = _find_end(pattern, start)
        parts.append(_spell_text(pattern[start:end]))
        start = end
    return "".join(parts)


def _find_end(pattern: str, start: int) -> int:
    end = start + 1
    while end < len(pattern) and pattern[end] != "[" and _SYNTAX.match(pattern, end) is None:
        end += 1
    return end


def _spell_text(text: str) -> str:
    if text.isascii():
        return text.lower()
    words = [normalise(word).text.strip() if not word.isascii() else word.lower() for word in text.split(" ")]
    return " ".join(words)


def _spell_class(text: str) -> str:
    """A class letter by letter: a letter that folds to another becomes it; ranges and escapes stay."""
    if "-" in text.strip("[]^") or text.isascii():
        return text if not text.isascii() or "\\" in text else text.lower()
    return "".join((normalise(c).text.strip() or c) if c.isalpha() and not c.isascii() else c for c in text)
