"""What kind of saying a message is, seen in its words: a bit set that ranking may use. Pure; no trait is a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntFlag
from functools import cache
from itertools import pairwise

from retrieval.arabic import normalise_arabic
from retrieval.pieces import Piece, cut_pieces
from retrieval.wordlists import read_lines

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE = re.compile(r"[^.!?؟\n]+[.!?؟]*")
_GROUP = re.compile(r"\(([^()]*)\)(\??)")
_NAME = re.compile(r"[A-ZА-ЯЁ][a-zа-яё]")
_BEFORE_NAME = re.compile(r"[a-zа-яё,]\Z")
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


_NAMES, _QUESTION = int(Traits.NAMES), int(Traits.QUESTION)
_ASKS_SOME, _ASKS_MUCH = int(Traits.ASKS_SOME), int(Traits.ASKS_MUCH)


def find_traits(text: str) -> Traits:
    """The traits of a message or a question in any of our languages."""
    head = text[:MAX_CHARACTERS]
    return Traits(weigh_traits(head, cut_pieces(head)))


def weigh_traits(text: str, pieces: Sequence[Piece]) -> int:
    """As `find_traits`, as a number, of at most MAX_CHARACTERS that were cut into pieces (`cut_pieces`) already."""
    found = 0  # a plain number: sums of flags are twenty times slower
    may_begin = is_before_name = False
    for piece in pieces:
        _, own, begins, is_name, ends = piece.traits or _read(piece)
        found |= own
        may_begin = may_begin or begins
        if is_name and is_before_name:
            found |= _NAMES
        is_before_name = ends
    if may_begin:
        found |= _find_phrases([word for piece in pieces for word in (piece.traits or _read(piece))[0]])
    if "?" not in text and "؟" not in text:
        return found
    low = _fold(text)
    if low.rstrip().endswith(("?", "؟")):
        found |= _QUESTION
    return found | _weigh_questions(low)


def _read(piece: Piece) -> tuple[Sequence[str], int, bool, bool, bool]:
    """The words of a piece, what they say alone, whether a longer phrase may begin with one of them, whether it looks
    like a name, and whether it may stand before one."""
    words = _WORD.findall(_fold(piece.text))
    singles, longer = _read_phrases()
    found = 0
    for word in words:
        found |= singles.get(word, 0)
    begins = any(word in longer for word in words)
    is_name = _NAME.match(piece.text) is not None
    piece.traits = read = words, found, begins, is_name, _BEFORE_NAME.search(piece.text) is not None
    return read


def _fold(text: str) -> str:
    return normalise_arabic(text.lower().replace("ё", "е").replace("’", "'"))


def _find_phrases(words: list[str]) -> int:
    """The traits whose phrases of several words are among the words."""
    found = 0
    longer = _read_phrases()[1]
    text = ""
    for word, following in pairwise(words):
        if word in longer and following in longer[word]:
            text = text or f" {' '.join(words)} "
            for phrase, trait in longer[word][following]:
                if not found & trait and phrase in text:
                    found |= trait
    return found


def _weigh_questions(low: str) -> int:
    """No bit without a question, `asks_some` up to a third of the words, `asks_much` up to two thirds, both above."""
    asked = told = 0
    for sentence in _SENTENCE.findall(low):
        words = len(_WORD.findall(sentence))
        if sentence.endswith(("?", "؟")):
            asked += words
        else:
            told += words
    if not asked:
        return 0
    share = asked / (asked + told)
    if share > 2 / 3:
        return _ASKS_SOME | _ASKS_MUCH
    return _ASKS_MUCH if share > 1 / 3 else _ASKS_SOME


@cache
def _read_phrases() -> tuple[dict[str, int], dict[str, dict[str, list[tuple[str, int]]]]]:
    """Traits by single words, and by the first and second word of longer phrases, these between spaces."""
    singles: dict[str, int] = {}
    longer: dict[str, dict[str, list[tuple[str, int]]]] = {}
    for line in read_lines("traits.txt"):
        name, _, rest = line.partition(":")
        trait = int(Traits[name.upper()])
        for phrase in (choice for written in rest.split() for choice in _list_choices(written)):
            words = [word for word in normalise_arabic(phrase).split("_") if word]
            if len(words) == 1:
                singles[words[0]] = singles.get(words[0], 0) | trait
            else:
                longer.setdefault(words[0], {}).setdefault(words[1], []).append((f" {' '.join(words)} ", trait))
    return singles, longer


def _list_choices(written: str) -> Iterator[str]:
    """What a phrase with `(a|b)` and `(a|b)?` can be."""
    group = _GROUP.search(written)
    if group is None:
        yield written.replace("?", "")
        return
    for choice in [*group[1].split("|"), *([""] if group[2] else [])]:
        yield from _list_choices(written[: group.start()] + choice + written[group.end() :])
