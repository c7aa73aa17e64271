"""Numbers as people type them: 1,500 / 1 500 / 2k / 2,5 тыс / ألفين / five hundred."""

from __future__ import annotations

import re
from dataclasses import dataclass

from patterns.steps.message import Message

_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_GLUED = re.compile(r"(\d)([^\W\d_]+)")
MAX_WORDS = 5


@dataclass(frozen=True, slots=True)
class Number:
    """A number on tokens [start, end). `is_word`: written in words; `unit`: canonical unit glued to the digits."""

    value: float
    start: int
    end: int
    is_word: bool = False
    suffix: str = ""


def has_attached_to(message: Message, index: int) -> bool:
    """Whether an Arabic "to" is written onto the word: من خمسمية لألف."""
    token = message.tokens[index]
    return token.script == "arabic" and token.text.startswith(message.grammar.to_letters) and len(token.forms) > 1


def parse_digits(text: str) -> float:
    """ "1,500" is 1500, "1.5" and "1,5" are 1.5."""
    if _GROUPED.fullmatch(text):
        return float(text.replace(",", "").replace(".", ""))
    return float(text.replace(",", ".")) if text.count(",") + text.count(".") <= 1 else 0.0


def find_number(message: Message, index: int, *, end: int, can_group: bool = True) -> Number | None:
    """The number that begins at a token; `can_group` joins "1 500" and multiplies by a following "thousand"."""
    if index >= end:
        return None
    token = message.tokens[index]
    spelt = message.at(index, "number")
    if token.kind == "number" and (spelt is None or spelt.end == index + 1):  # "3 miya" is a word of two tokens
        number = Number(parse_digits(token.text), index, index + 1)
        return _scale(message, _group(message, number, end), end) if can_group else number
    glued = _GLUED.fullmatch(token.text)
    if glued and message.at(index, "number") is None:
        return _read_glued(message, index, glued)
    return _read_words(message, index, end, can_group)


def _group(message: Message, number: Number, end: int) -> Number:
    """1 500: groups of exactly three digits after one space."""
    index = number.end
    value = number.value
    if value >= 1000 or value != int(value):
        return number
    while index < end and message.tokens[index].kind == "number":
        text = message.tokens[index].text
        gap = message.tokens[index].start - message.tokens[index - 1].end
        if len(text) != 3 or not text.isdigit() or gap != 1:
            break
        value = value * 1000 + int(text)
        index += 1
    return Number(value, number.start, index)


def _scale(message: Message, number: Number, end: int) -> Number:
    if not number.is_word and number.value < 100 and number.end < end:
        spelt = message.at(number.end, "number")
        if spelt is not None and spelt.canonical == "100" and spelt.end == spelt.start + 1:  # 4 hundred
            return Number(number.value * 100, number.start, spelt.end)
    unit = message.at(number.end, "unit_thousand") if number.end < end else None
    if unit is not None and number.value < 1000 and not has_attached_to(message, number.end):
        return Number(number.value * 1000, number.start, unit.end, number.is_word)
    return number


def _read_glued(message: Message, index: int, glued: re.Match[str]) -> Number | None:
    suffix = glued[2]
    if suffix in message.grammar.glued_thousands:
        return Number(float(glued[1]) * 1000, index, index + 1)
    return Number(float(glued[1]), index, index + 1, suffix=suffix)


def _read_words(message: Message, index: int, end: int, can_scale: bool) -> Number | None:
    """Number words that follow each other: hundreds, tens, units; an "and" between them is attached or free."""
    total = 0.0
    place = index
    last = float("inf")
    is_tied, complete = False, index  # an "and" of its own stands before
    is_joined = False  # Arabic says the units first: four and forty
    for _ in range(MAX_WORDS):
        match = message.at(place, "number") if place < end else None
        if (
            match is None
            or match.end > end
            or (place > index and match.canonical == "2" and match.end - match.start > 1)
            or (place > index and has_attached_to(message, place))
        ):
            break
        value = float(match.canonical)
        if value == 100 and 1 <= total < 20:  # eleven hundred
            total, last = total * 100, 100
        elif value == 1000 and 1 <= total < 1000:
            total, last = total * 1000, 1000
        elif value < last or (is_joined and total % 100 < 10 and 20 <= value <= 90):
            total, last = total + value, value if value >= 10 else 0
        else:
            place = complete if is_tied else place  # "between five and seven hundred" names two
            break
        place, is_tied = match.end, False
        conj = message.at(place, "conj") if place < end else None
        complete = place
        is_joined = place < end and message.tokens[place].text.startswith(message.grammar.and_letters)
        if conj is not None and message.at(conj.end, "number") is not None and (last >= 100 or total < 10):
            place, is_joined, is_tied = conj.end, True, True
    if place == index:
        return None
    number = Number(total, index, place, is_word=True)
    if not can_scale:
        return number
    return _add_figures(message, _scale(message, _add_tens(message, number, end), end), end)


def _add_tens(message: Message, number: Number, end: int) -> Number:
    """Three fifty is 350."""
    tens = message.at(number.end, "number") if number.value < 10 and number.end < end else None
    if tens is None or tens.language != "en" or not 10 <= float(tens.canonical) < 100:
        return number
    more = _read_words(message, number.end, end, False)
    if more is None or not 10 <= more.value < 100:
        return number
    return Number(number.value * 100 + more.value, number.start, more.end, is_word=True)


def _add_figures(message: Message, number: Number, end: int) -> Number:
    """ألف و٣٠٠, alf w 500: hundreds in figures behind thousands in words. Behind "between" they are two numbers."""
    conj = message.at(number.end, "conj") if number.end < end else None
    is_round = number.value >= 1000 and number.value % 1000 == 0
    if conj is None or conj.end >= end or not is_round or _is_after_between(message, number):
        return number
    text = message.tokens[conj.end].text
    is_hundreds = message.tokens[conj.end].kind == "number" and text.isdigit() and 100 <= int(text) < 1000
    is_and = conj.language in ("ar", "arabizi") and conj.end == conj.start + 1
    return Number(number.value + int(text), number.start, conj.end + 1) if is_hundreds and is_and else number


def _is_after_between(message: Message, number: Number) -> bool:
    words = message.grammar.two_follow
    return any(message.tokens[i].text in words for i in range(max(0, number.start - 2), number.start))
