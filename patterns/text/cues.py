"""Phrases that say what a message does: asks, thanks, changes the subject, decides (`data/episode_cues.txt`). Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from patterns.text.data_files import read_lines
from patterns.text.tokens import clean_text

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_APOSTROPHES = str.maketrans("’`", "''")
CUES = "episode_cues.txt"

Cues = dict[str, list[int]]
"""By kind of phrase: at which words one begins."""


def split_spoken(text: str) -> list[str]:
    """The words of a text as phrases of the data have them: lower case, normalised, apostrophes kept."""
    return _WORD.findall(clean_text(text).lower().replace("ё", "е").translate(_APOSTROPHES))


def find_cues(words: Sequence[str]) -> Cues:
    """Which phrases begin at which of the words (`split_spoken`)."""
    found: Cues = {}
    phrases = _read_phrases()
    for place in [place for place, word in enumerate(words) if word in phrases]:
        for rest, kind in phrases[words[place]]:
            if not rest or tuple(words[place + 1 : place + 1 + len(rest)]) == rest:
                found.setdefault(kind, []).append(place)
    return found


@cache
def _read_phrases() -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """By first word: the words that follow it, and the kind."""
    found: dict[str, dict[tuple[tuple[str, ...], str], None]] = {}
    for line in read_lines(CUES):
        kind, _, phrases = line.partition(":")
        for phrase in phrases.split():
            first, *rest = split_spoken(phrase.replace("_", " "))
            found.setdefault(first, {})[tuple(rest), kind.strip()] = None
    return {first: tuple(phrases) for first, phrases in found.items()}
