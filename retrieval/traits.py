"""What kind of saying a message is, seen in its words: a bit set that ranking may use. Pure; no trait is a fact."""

from __future__ import annotations

import re
from enum import IntFlag
from functools import cache

from retrieval.arabic import normalise_arabic
from retrieval.wordlists import read_lines

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE = re.compile(r"[^.!?؟\n]+[.!?؟]*")
_NAME_INSIDE = re.compile(r"(?<=[a-zа-яё,] )[A-ZА-ЯЁ][a-zа-яё]+")
ASKING_SHARES = (0.0, 0.25, 0.5, 0.85)  # of a message's words, by `asks_some` + 2 x `asks_much`
MAX_CHARACTERS = 4_000  # a rule or a question stands near the beginning; long replies are not read to their end


class Traits(IntFlag):
    """`standing`, `rule`, `first_person`, `second_person` and `names` describe sayings, `request`, `recall` and `when`
    questions, `time` and `question` either. `asks_some` and `asks_much` say how much of a message is questions."""

    NONE = 0
    STANDING = 1
    REQUEST = 2
    TIME = 4
    FIRST_PERSON = 8
    QUESTION = 16
    ASKS_SOME = 32
    ASKS_MUCH = 64
    SECOND_PERSON = 128
    NAMES = 256
    RULE = 512
    RECALL = 1024
    WHEN = 2048


def find_traits(text: str) -> Traits:
    """The traits of a message or a question in any of our languages."""
    head = text[:MAX_CHARACTERS]
    low = normalise_arabic(head.lower().replace("ё", "е").replace("’", "'"))
    found = Traits.QUESTION if low.rstrip().endswith(("?", "؟")) else Traits.NONE
    joined = f" {' '.join(_WORD.findall(low))} "
    for trait, pattern in _read_patterns():
        if pattern.search(joined):
            found |= trait
    if _NAME_INSIDE.search(head):
        found |= Traits.NAMES
    return found | _weigh_questions(low)


def _weigh_questions(low: str) -> Traits:
    """No bit without a question, `asks_some` up to a third of the words, `asks_much` up to two thirds, both above."""
    asked = told = 0
    for sentence in _SENTENCE.findall(low):
        words = len(_WORD.findall(sentence))
        if sentence.endswith(("?", "؟")):
            asked += words
        else:
            told += words
    if not asked:
        return Traits.NONE
    share = asked / (asked + told)
    if share > 2 / 3:
        return Traits.ASKS_SOME | Traits.ASKS_MUCH
    return Traits.ASKS_MUCH if share > 1 / 3 else Traits.ASKS_SOME


@cache
def _read_patterns() -> tuple[tuple[Traits, re.Pattern[str]], ...]:
    phrases: dict[str, list[str]] = {}
    for line in read_lines("traits.txt"):
        name, _, rest = line.partition(":")
        phrases.setdefault(name, []).extend(normalise_arabic(phrase.replace("_", " ")) for phrase in rest.split())
    return tuple(
        (Traits[name.upper()], re.compile(" (?:" + "|".join(sorted(words, key=len, reverse=True)) + ") "))
        for name, words in phrases.items()
    )
