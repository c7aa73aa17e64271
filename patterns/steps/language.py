"""Which language a message is in: by script, and Arabizi by its own words (SPEC I-1)."""

from __future__ import annotations

import re

from patterns.steps.message import Message

_DIGIT_WORD = re.compile(r"[^\W\d_][235679][^\W\d_]|^[2357][^\W\d_]{3}")

MAX_WORDS = 150  # enough to know; the rest of a pasted text changes nothing


def detect_language(message: Message) -> str:
    """ru, en, ar, arabizi, mixed or other."""
    russian = english = arabic = arabizi = 0
    for index, token in enumerate(message.tokens[:MAX_WORDS]):
        if token.kind != "word" or len(token.text) < 2:
            continue
        script = token.script
        if script == "cyrillic":
            russian += 1
        elif script == "arabic":
            arabic += 1
        elif script == "latin":
            if _is_arabizi(message, index, token.text):
                arabizi += 1
            else:
                english += 1
    if arabizi and not russian and not arabic and arabizi * 2 >= english:
        return "arabizi"
    counts = (("ru", russian), ("en", english), ("ar", arabic), ("arabizi", arabizi))
    present = [language for language, count in counts if count]
    if not present:
        return "other"
    return present[0] if len(present) == 1 else "mixed"


def _is_arabizi(message: Message, index: int, text: str) -> bool:
    if not text.isalpha() and _DIGIT_WORD.search(text):
        return True
    found = message.starts[index]
    if not found:
        return False
    languages = {match.language for match in found.values()}
    return "arabizi" in languages and "en" not in languages
