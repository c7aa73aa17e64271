"""Forms of a size: letters, words, numbers, systems and ranges of two neighbours."""

from __future__ import annotations

import re
from dataclasses import dataclass

from patterns.steps.message import Message
from patterns.steps.numbers import find_number

LADDER = ("XXS", "XS", "S", "M", "L", "XL", "XXL", "XXXL", "4XL", "5XL")
MIN_NUMBER, MAX_NUMBER = 32, 60
MIN_BOTTOM = 22  # jeans are measured in inches of waist
MAX_SYSTEM = 60
_NO_PREFIX = ("EU", "RU")
_RANGE_MARKS = frozenset("/-")
_GLUED_SYSTEM = re.compile(r"([a-z]{2})(\d)")


@dataclass(frozen=True, slots=True)
class Size:
    """A size expression on tokens [start, end). `form`: letter | word | number | system.

    `is_ordinal`: a number said as an order ("сорок шестой"), as only sizes are among what people wear.
    """

    value: str
    start: int
    end: int
    form: str
    is_ordinal: bool = False


def find_size(message: Message, index: int, end: int) -> Size | None:
    """The size expression that begins at a token, ranges of two neighbours included; None when there is none."""
    if index >= len(message.tokens):
        return None
    system = _read_system(message, index, end)
    if system is not None:
        return system
    letter = _read_letter(message, index, end)
    if letter is not None:
        return _join_range(message, letter, end)
    return _read_number(message, index, end)


def _read_system(message: Message, index: int, end: int) -> Size | None:
    """UK 10, US size 6, us6, Italian size 42."""
    glued = _GLUED_SYSTEM.fullmatch(message.tokens[index].text)
    if glued and glued[1].upper() in ("UK", "US", "IT", "FR", "EU"):
        return Size(with_system(glued[1].upper(), glued[2]), index, index + 1, "system")
    match = message.at(index, "size_system")
    if match is None:
        return None
    place = match.end
    while place < end and (message.at(place, "size_word") or message.tokens[place].text in ("(", "-", ":", ".")):
        word = message.at(place, "size_word")
        place = word.end if word is not None else place + 1
    number = _plain_number(message, place, end)
    if number is None and place < end and message.at(place, "number") is not None:
        spoken = find_number(message, place, end=end, can_group=False)  # "a UK ten"
        is_said = spoken is not None and spoken.is_word and spoken.value <= MAX_SYSTEM
        number, place = (int(spoken.value), spoken.end - 1) if spoken is not None and is_said else (None, place)
    if number is None or number > MAX_SYSTEM:
        return None
    if match.canonical in _NO_PREFIX and not MIN_NUMBER <= number <= MAX_NUMBER:
        return None
    return Size(with_system(match.canonical, str(number)), index, place + 1, "system")


def with_system(system: str, number: str) -> str:
    return number if system in _NO_PREFIX else system + number


def _plain_number(message: Message, index: int, end: int) -> int | None:
    if index >= end:
        return None
    token = message.tokens[index]
    return int(token.text) if token.kind == "number" and token.text.isdigit() and len(token.text) <= 2 else None


def _read_letter(message: Message, index: int, end: int) -> Size | None:
    match = message.at(index, "size_letter")
    if match is None or match.end > end:
        return None
    text = message.tokens[index].text
    if text in message.grammar.letter_or_word and match.end == index + 1 and not _stands_alone(message, match.end, end):
        return None
    letters = message.grammar.size_letters
    is_word = match.end - index > 1 or (len(text) > 2 and not all(c in letters or c.isdigit() for c in text))
    return Size(match.canonical, index, match.end, "word" if is_word else "letter")


def _stands_alone(message: Message, index: int, end: int) -> bool:
    return index >= end or message.tokens[index].kind == "mark" or message.at(index, "conj") is not None


def _join_range(message: Message, first: Size, end: int) -> Size:
    """S/M, S-M, between S and M, M or L: two neighbours become one value, smaller first."""
    place = first.end
    if place >= end:
        return first
    if message.tokens[place].text in _RANGE_MARKS:
        place += 1
    else:
        conj = message.at(place, "conj") or message.at(place, "range_word")
        attached = message.at(place, "size_letter")  # بين السمول والميديم
        if conj is None and not (attached is not None and attached.has_and):
            return first
        place = place if conj is None else conj.end + (message.at(conj.end, "article") is not None)
    second = _read_letter(message, place, end) if place < end else None
    if second is None or abs(LADDER.index(first.value) - LADDER.index(second.value)) != 1:
        return first
    low, high = sorted((first.value, second.value), key=LADDER.index)
    return Size(f"{low}-{high}", first.start, second.end, first.form)


def _read_number(message: Message, index: int, end: int) -> Size | None:
    number = _plain_number(message, index, end)
    if number is None:
        return _read_spoken(message, index, end)
    place = index + 1
    if place < end and message.at(place, "unit_weight") is not None:
        return None
    if (
        place < end
        and message.tokens[place].text == "-"
        and place + 1 < end
        and message.at(place + 1, "ordinal_suffix") is not None
    ):
        place += 1
    if place < end and message.at(place, "ordinal_suffix") is not None:
        place += 1
    system = message.at(place, "size_system") if place < end else None
    if system is None and place + 1 < end and _leads_to_system(message, place):
        system = message.at(place + 1, "size_system")
    if system is not None and number <= MAX_SYSTEM and not _is_said_on(message, system.end):
        return Size(with_system(system.canonical, str(number)), index, system.end, "system")
    tie = _range_end(message, place, end) or _either_end(message, place, end)
    if tie is not None:
        other = _plain_number(message, tie, end)
        if other is not None and 0 < abs(other - number) <= 2 and in_range(number, False) and in_range(other, False):
            return Size(f"{min(number, other)}-{max(number, other)}", index, tie + 1, "number")
    return Size(str(number), index, place, "number", is_ordinal=place > index + 1)


def _is_said_on(message: Message, place: int) -> bool:
    """44 it is: a word that is a system as well begins what is said next."""
    if place >= len(message.tokens) or message.tokens[place].text not in message.grammar.after_it:
        return False
    return message.tokens[place - 1].text in message.grammar.words_too


def _leads_to_system(message: Message, index: int) -> bool:
    """38 (EU), 38 in EU."""
    return message.tokens[index].text == "(" or message.tokens[index].text in message.grammar.in_system


def _range_end(message: Message, index: int, end: int) -> int | None:
    """Where the second half of a range begins: 40-42, 40 to 42."""
    if index + 1 >= end:
        return None
    if message.tokens[index].text in _RANGE_MARKS:
        return index + 1
    word = message.at(index, "range_word")
    return word.end if word is not None else None


def _either_end(message: Message, index: int, end: int) -> int | None:
    """A 42 or a 44."""
    if index + 1 >= end or message.tokens[index].text not in message.grammar.either_words:
        return None
    return index + 1 + (message.at(index + 1, "article") is not None)


def _read_spoken(message: Message, index: int, end: int) -> Size | None:
    """Forty-six, сорок шесть."""
    if message.at(index, "number") is None:
        return None
    number = find_number(message, index, end=end, can_group=False)
    if number is None or not number.is_word or number.value > MAX_NUMBER:
        return None
    place = number.end + (number.end < end and _leads_to_system(message, number.end))
    system = message.at(place, "size_system") if place < end else None
    if system is not None:
        return Size(with_system(system.canonical, str(int(number.value))), index, system.end, "system")
    if number.value < MIN_BOTTOM:
        return None
    is_ordinal = message.at(number.end - 1, "ordinal_number") is not None
    return Size(str(int(number.value)), index, number.end, "number", is_ordinal=is_ordinal)


def in_range(number: int, is_bottom: bool) -> bool:
    return (MIN_BOTTOM if is_bottom else MIN_NUMBER) <= number <= MAX_NUMBER
