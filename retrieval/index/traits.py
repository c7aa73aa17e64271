"""What kind of saying a message is, seen in its words: a bit set that ranking may use. Pure; no trait is a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntFlag
from functools import cache
from itertools import accumulate, chain, pairwise

import numpy as np

from patterns.text.arabic import MARKS, may_be_normalised, normalise_arabic
from patterns.text.data_files import read_lines
from patterns.text.token_pieces import Piece, cut_pieces

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE = re.compile(r"[^.!?؟\n]+[.!?؟]*")
_STOPS = ".!?؟"
_STOP = re.compile(rf"[{_STOPS}\n]")
_ASKING = ("?", "؟")
_GROUP = re.compile(r"\(([^()]*)\)(\??)")
_NAME = re.compile(r"[A-ZА-ЯЁ][a-zа-яё]")
_BEFORE_NAME = frozenset("abcdefghijklmnopqrstuvwxyzабвгдежзийклмнопрстуфхцчшщъыьэюяё,")
_UNFOLDED = re.compile(f"{MARKS}|İ")  # what is more or fewer words once it is folded
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
_ALL = (1 << 16) - 1
# Of a piece, beside its traits: two of them are what the second of two neighbours must be, two places above the first.
_BEGINS, _IS_BEFORE_NAME, _GOES_ON, _IS_NAME, _MAY_HOLD = (1 << place for place in range(16, 21))
# A sentence ends with it, and it is a question; a stop stands within it, or what is seen once it is folded is another.
_ENDS, _ASKS, _IS_UNEVEN = (1 << place for place in range(21, 24))
_shared: dict[int, int] = {}
"""What pieces say. Few differ in it: those that agree share one number, which is at hand where theirs would not be."""


def find_traits(text: str) -> Traits:
    """The traits of a message or a question in any of our languages."""
    head = text[:MAX_CHARACTERS]
    return Traits(weigh_traits([head], [cut_pieces(head)])[0])


def weigh_traits(texts: Sequence[str], cut: Sequence[Sequence[Piece]]) -> list[int]:
    """As `find_traits`, as numbers, of texts of at most MAX_CHARACTERS, cut into pieces (`cut_pieces`) already."""
    if not texts:
        return []
    said = _join_said(cut)
    return [_weigh(*each) for each in zip(texts, cut, said, strict=True)]


def _join_said(cut: Sequence[Sequence[Piece]]) -> list[int]:
    """What the pieces of each text say, alone and beside the one before them.

    All texts at once: it is a few bits of each of many pieces.
    """
    pieces = list(chain.from_iterable(cut))
    said = np.array([piece.said if piece.said >= 0 else _read(piece) for piece in pieces], np.int32)
    starts = np.array([0, *accumulate(map(len, cut[:-1]))])
    beside = said[:-1] << 2 & said[1:] & (_IS_NAME | _GOES_ON)
    beside[starts[1:] - 1] = 0  # the last piece of a text stands beside nothing
    for place in beside.nonzero()[0].tolist():
        if beside[place] & _IS_NAME:
            said[place] |= _NAMES
        if beside[place] & _GOES_ON and _go_on(pieces[place], pieces[place + 1]):
            said[place] |= _MAY_HOLD
    found: list[int] = np.bitwise_or.reduceat(said, starts).tolist()
    return found


def _weigh(text: str, pieces: Sequence[Piece], found: int) -> int:
    if found & _MAY_HOLD:
        found |= _find_phrases([word for piece in pieces for word in piece.spoken])
    if "?" not in text and "؟" not in text:
        return found & _ALL
    words = sum([len(piece.spoken) for piece in pieces])
    if found & _IS_UNEVEN:
        folded = _fold(text) if _UNFOLDED.search(text) else text
        asked = _count_asked(folded)
    else:
        folded, asked = text, _count_asked_by_pieces(pieces)
    if folded.rstrip().endswith(_ASKING):
        found |= _QUESTION
    return found & _ALL | _weigh_questions(asked, words)


def _read(piece: Piece) -> int:
    """What the words of a piece say alone, and what they may say with those of the next."""
    folded = _fold(piece.text)
    spoken = (folded,) if folded.isalpha() else tuple(_WORD.findall(folded))
    singles, longer, further = _read_phrases()
    said = 0
    begins = goes_on = not spoken  # what has no words may stand within a phrase
    for word in spoken:
        said |= singles.get(word, 0)
        begins = begins or word in longer
        goes_on = goes_on or word in further
    said |= begins * _BEGINS | goes_on * _GOES_ON
    if begins and goes_on and len(spoken) > 1:
        said |= _MAY_HOLD
    if piece.text[:1].isupper() and _NAME.match(piece.text):
        said |= _IS_NAME
    if piece.text and piece.text[-1] in _BEFORE_NAME:
        said |= _IS_BEFORE_NAME
    if len(folded) != len(piece.text):
        said |= _IS_UNEVEN
    elif not folded.isalpha():
        said |= _read_stops(piece.text)
    piece.spoken = piece.words if spoken == piece.words else spoken
    said = _shared.setdefault(said, said)
    piece.said = said  # last: another thread that sees it finds the words too
    return said


def _read_stops(text: str) -> int:
    """Whether a sentence ends with a piece, and whether it is a question."""
    bare = text.rstrip(_STOPS)
    if _STOP.search(bare):
        return _IS_UNEVEN
    if len(bare) == len(text):
        return 0
    return _ENDS | _ASKS if text.endswith(_ASKING) else _ENDS


def _go_on(piece: Piece, following: Piece) -> bool:
    """Whether a phrase may begin with the last word of a piece and go on with the first of another."""
    if not piece.spoken or not following.spoken:
        return True
    return following.spoken[0] in _read_phrases()[1].get(piece.spoken[-1], ())


def _fold(text: str) -> str:
    low = text.lower()
    if low.isascii():
        return low
    low = low.replace("ё", "е").replace("’", "'")
    return normalise_arabic(low) if may_be_normalised(low) else low


def _find_phrases(words: list[str]) -> int:
    """The traits whose phrases of several words are among the words."""
    found = 0
    longer = _read_phrases()[1]
    text = ""
    for word, following in pairwise(words):
        followers = longer.get(word)
        if followers is not None and following in followers:
            text = text or f" {' '.join(words)} "
            for phrase, trait in followers[following]:
                if not found & trait and phrase in text:
                    found |= trait
    return found


def _count_asked(low: str) -> int:
    """How many words stand in questions."""
    return sum([len(_WORD.findall(sentence)) for sentence in _SENTENCE.findall(low) if sentence.endswith(_ASKING)])


def _count_asked_by_pieces(pieces: Sequence[Piece]) -> int:
    """As `_count_asked`, of a text whose sentences end with pieces."""
    asked = words = 0
    for piece in pieces:
        words += len(piece.spoken)
        if piece.said & _ENDS:
            asked += words if piece.said & _ASKS else 0
            words = 0
    return asked


def _weigh_questions(asked: int, words: int) -> int:
    """No bit without a question, `asks_some` up to a third of the words, `asks_much` up to two thirds, both above."""
    if not asked:
        return 0
    share = asked / words
    if share > 2 / 3:
        return _ASKS_SOME | _ASKS_MUCH
    return _ASKS_MUCH if share > 1 / 3 else _ASKS_SOME


@cache
def _read_phrases() -> tuple[dict[str, int], dict[str, dict[str, list[tuple[str, int]]]], frozenset[str]]:
    """Traits by single words, by the first and second word of longer phrases (between spaces), and all second words."""
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
    return singles, longer, frozenset(chain.from_iterable(longer.values()))


def _list_choices(written: str) -> Iterator[str]:
    """What a phrase with `(a|b)` and `(a|b)?` can be."""
    group = _GROUP.search(written)
    if group is None:
        yield written.replace("?", "")
        return
    for choice in [*group[1].split("|"), *([""] if group[2] else [])]:
        yield from _list_choices(written[: group.start()] + choice + written[group.end() :])
