"""Which language a message is in: by script, and Arabizi by its own words (SPEC I-1)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from patterns.lexicon import LexiconMatch
from patterns.steps.message import Message

_DIGIT_WORD = re.compile(r"[^\W\d_][235679][^\W\d_]|^[2357][^\W\d_]{3}")

MAX_WORDS = 150  # enough to know; the rest of a pasted text changes nothing


def detect_language(message: Message) -> str:
    """ru, en, ar, arabizi, mixed or other."""
    scripts = [token[4] for token in message.words[:MAX_WORDS] if len(token[0]) > 1]
    russian, arabic, latin = scripts.count("cyrillic"), scripts.count("arabic"), scripts.count("latin")
    arabizi = _count_arabizi(message) if latin else 0
    english = latin - arabizi
    if arabizi and not russian and not arabic and arabizi * 2 >= english:
        return "arabizi"
    counts = (("ru", russian), ("en", english), ("ar", arabic), ("arabizi", arabizi))
    present = [language for language, count in counts if count]
    if not present:
        return "other"
    return present[0] if len(present) == 1 else "mixed"


def _count_arabizi(message: Message) -> int:
    count = 0
    for token, starting in zip(message.words[:MAX_WORDS], message.starts, strict=False):
        text = token[0]
        if token[4] != "latin" or len(text) < 2:
            continue
        if not text.isalpha() and _DIGIT_WORD.search(text):
            count += 1
        elif starting:
            count += _is_arabizi(starting)
    return count


def _is_arabizi(starting: Mapping[str, LexiconMatch]) -> bool:
    """Whether what begins at a word is Arabizi and nothing English."""
    found = False
    for match in starting.values():
        if match[2] == "en":
            return False
        found = found or match[2] == "arabizi"
    return found
