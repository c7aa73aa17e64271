"""Which of a user's words stand in the assistant's as well, in a row: passed back, not said anew (SPEC M-5). Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

COPIED_WORDS: Final = 4
"""From this many words in a row on, they are taken for a copy."""
PASTED_WORDS: Final = 8
"""The same where the writer speaks of "I": only a text that was pasted agrees for so long."""
GIVEN_WORDS: Final = 2
"""The same where a receipt says that the assistant was told the fact by memory (D-23)."""
MAX_TEXT: Final = 2_000
"""Characters of a text that are looked at: as many as are read for facts."""
MAX_HEARD: Final = 8_000
"""Characters of each of the assistant's texts that are looked at."""

_WORDS: Final = re.compile(r"\w+")
_SENTENCES: Final = re.compile(r"[^.!?؟。！？\n]+[.!?؟。！？\n]*")
_ASKING: Final = frozenset("?؟？")
_GAP: Final = "."


class Span(NamedTuple):
    """Characters [start, end) of a text, and how many words they are."""

    start: int
    end: int
    words: int


def find_copied(text: str, heard: str, *, least: int) -> list[Span]:
    """The runs of at least `least` words of a text that stand in `heard` (see `join_heard`), in order."""
    words = [(_fold(match[0]), match.start(), match.end()) for match in _WORDS.finditer(text[:MAX_TEXT])]
    found: list[Span] = []
    place = 0
    while place < len(words):
        end = _find_end([word for word, _, _ in words], place, heard)
        if end - place >= least:
            found.append(Span(words[place][1], words[end - 1][2], end - place))
            place = end
        else:
            place += 1
    return found


def _find_end(words: list[str], place: int, heard: str) -> int:
    """Where the longest run that begins at a word and stands in `heard` ends."""
    run, end = " ", place
    while end < len(words) and (run := f"{run}{words[end]} ") in heard:
        end += 1
    return end


def join_heard(texts: Iterable[str]) -> str:
    """The words of the assistant's texts in a form to search in. What it asks is left out: who repeats it answers."""
    return _GAP.join(f" {_fold_text(text[:MAX_HEARD])} " for text in texts)


def _fold_text(text: str) -> str:
    return " ".join(_fold_sentence(sentence) for sentence in _SENTENCES.findall(text))


def _fold_sentence(sentence: str) -> str:
    if not _ASKING.isdisjoint(sentence):
        return _GAP
    return " ".join(_fold(word) for word in _WORDS.findall(sentence))


def _fold(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()
