"""What kind of saying a message is, seen in its words: a bit set that ranking may use. Pure; no trait is a fact."""

from __future__ import annotations

import re
from enum import IntFlag
from functools import cache

from retrieval.arabic import normalise_arabic
from retrieval.wordlists import read_lines

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
MAX_CHARACTERS = 4_000  # a rule or a question stands near the beginning; long replies are not read to their end


class Traits(IntFlag):
    """`standing` and `first_person` describe sayings, `request` questions; `time` and `question` either."""

    NONE = 0
    STANDING = 1
    REQUEST = 2
    TIME = 4
    FIRST_PERSON = 8
    QUESTION = 16


def find_traits(text: str) -> Traits:
    """The traits of a message or a question in any of our languages."""
    low = normalise_arabic(text[:MAX_CHARACTERS].lower().replace("ё", "е").replace("’", "'"))
    found = Traits.QUESTION if low.rstrip().endswith(("?", "؟")) else Traits.NONE
    joined = f" {' '.join(_WORD.findall(low))} "
    for trait, pattern in _read_patterns():
        if pattern.search(joined):
            found |= trait
    return found


@cache
def _read_patterns() -> tuple[tuple[Traits, re.Pattern[str]], ...]:
    phrases: dict[str, list[str]] = {}
    for line in read_lines("traits.txt"):
        name, _, rest = line.partition(":")
        phrases.setdefault(name, []).extend(phrase.replace("_", " ") for phrase in rest.split())
    return tuple(
        (
            Traits[name.upper()],
            re.compile(" (?:" + "|".join(map(re.escape, sorted(words, key=len, reverse=True))) + ") "),
        )
        for name, words in phrases.items()
    )
