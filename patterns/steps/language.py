"""Which language a message is in: by script, and Arabizi by its own words (SPEC I-1)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from patterns.matching.lexicon import LexiconMatch
from patterns.steps.message import Message

_DIGIT_WORD = re.compile(r"[^\W\d_][235679][^\W\d_]|^[2357][^\W\d_]{3}")

MAX_WORDS = 150  # enough to know; the rest of a pasted text changes nothing


def detect_language(message: Message) -> str:
    """ru, en, ar, arabizi, mixed or other."""
    scripts = [word[4] for word in message.words[:MAX_WORDS] if len(word[0]) > 1]
    russian, arabic, latin = scripts.count("cyrillic"), scripts.count("arabic"), scripts.count("latin")
    if latin and not russian and not arabic:
        return _tell_latin(latin, _count_arabizi(message))
    if not russian and not arabic:
        return "other"
    if latin or (russian and arabic):
        return "mixed"
    return "ru" if russian else "ar"


def _tell_latin(words: int, arabizi: int) -> str:
    english = words - arabizi
    if arabizi and arabizi * 2 >= english:
        return "arabizi"
    return "mixed" if arabizi else "en"


def _count_arabizi(message: Message) -> int:
    count = 0
    for word, starting in zip(message.words[:MAX_WORDS], message.starts, strict=False):
        text = word[0]
        if word[4] != "latin" or len(text) < 2:
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
