"""Which language a message is in: by script, and Arabizi by its own words (SPEC I-1)."""

from __future__ import annotations

import re

from patterns.steps.message import Message

_DIGIT_WORD = re.compile(r"[^\W\d_][235679][^\W\d_]|^[2357][^\W\d_]{3}")

MAX_WORDS = 150  # enough to know; the rest of a pasted text changes nothing


def detect_language(message: Message) -> str:
    """ru, en, ar, arabizi, mixed or other."""
    counts = {"ru": 0, "en": 0, "ar": 0, "arabizi": 0}
    for index, token in enumerate(message.tokens[:MAX_WORDS]):
        if token.kind != "word" or len(token.text) < 2:
            continue
        if token.script == "cyrillic":
            counts["ru"] += 1
        elif token.script == "arabic":
            counts["ar"] += 1
        elif token.script == "latin":
            counts["arabizi" if _is_arabizi(message, index, token.text) else "en"] += 1
    if counts["arabizi"] and not counts["ru"] and not counts["ar"] and counts["arabizi"] * 2 >= counts["en"]:
        return "arabizi"
    present = [language for language, count in counts.items() if count]
    if not present:
        return "other"
    return present[0] if len(present) == 1 else "mixed"


def _is_arabizi(message: Message, index: int, text: str) -> bool:
    if _DIGIT_WORD.search(text):
        return True
    languages = {match.language for match in message.starts[index].values()}
    return "arabizi" in languages and "en" not in languages
