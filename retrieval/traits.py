"""What kind of saying a message is, seen in its words: a bit set that ranking may use. Pure; no trait is a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntFlag
from functools import cache
from itertools import chain, pairwise

from retrieval.arabic import MARKS, normalise_arabic
from retrieval.pieces import Piece, cut_pieces
from retrieval.wordlists import read_lines

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE = re.compile(r"[^.!?؟\n]+[.!?؟]*")
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


def find_traits(text: str) -> Traits:
    """The traits of a message or a question in any of our languages."""
    head = text[:MAX_CHARACTERS]
    return Traits(weigh_traits(head, cut_pieces(head)))


def weigh_traits(text: str, pieces: Sequence[Piece]) -> int:
    """As `find_traits`, as a number, of at most MAX_CHARACTERS that were cut into pieces (`cut_pieces`) already."""
    found = before = 0  # plain numbers: sums of flags are twenty times slower
    last = None
    for piece in pieces:
        said = piece.said
        if said < 0:
            said = _read(piece)
        found |= said
        beside = before << 2 & said
        if beside & _IS_NAME:
            found |= _NAMES
        if beside & _GOES_ON and last is not None and _go_on(last, piece):
            found |= _MAY_HOLD
        last, before = piece, said
    if found & _MAY_HOLD:
        found |= _find_phrases([word for piece in pieces for word in piece.spoken])
    found &= _ALL
    if "?" not in text and "؟" not in text:
        return found
    folded = _fold(text) if _UNFOLDED.search(text) else text
    if folded.rstrip().endswith(("?", "؟")):
        found |= _QUESTION
    return found | _weigh_questions(folded, sum([len(piece.spoken) for piece in pieces]))


def _read(piece: Piece) -> int:
    """What the words of a piece say alone, and what they may say with those of the next."""
    spoken = tuple(_WORD.findall(_fold(piece.text)))
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
    if _NAME.match(piece.text):
        said |= _IS_NAME
    if piece.text and piece.text[-1] in _BEFORE_NAME:
        said |= _IS_BEFORE_NAME
    piece.spoken = piece.words if spoken == piece.words else spoken
    piece.said = said  # last: another thread that sees it finds the words too
    return said


def _go_on(piece: Piece, following: Piece) -> bool:
    """Whether a phrase may begin with the last word of a piece and go on with the first of another."""
    if not piece.spoken or not following.spoken:
        return True
    return following.spoken[0] in _read_phrases()[1].get(piece.spoken[-1], ())


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


def _weigh_questions(low: str, words: int) -> int:
    """No bit without a question, `asks_some` up to a third of the words, `asks_much` up to two thirds, both above."""
    asked = 0
    for sentence in _SENTENCE.findall(low):
        if sentence.endswith(("?", "؟")):
            asked += len(_WORD.findall(sentence))
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
