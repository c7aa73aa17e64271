"""Where a message says a value: by vocabulary, numbers, sizes, events, or letter by letter (D-24, D-25). Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from memory.extraction.judging.recipes import GATE
from memory.extraction.judging.values import Wanted, fold_words, is_same_value
from memory.extraction.judging.word_lists import list_capital_brands
from patterns.kinds.body.size_values import MAX_NUMBER, MIN_NUMBER, Size, find_size
from patterns.kinds.budget.amounts import read_amount
from patterns.kinds.event.reading import find_date, find_relation, name_event
from patterns.matching.lexicon import LexiconMatch
from patterns.steps.message import Message
from patterns.steps.numbers import find_number

BRAND: Final = "brand_preference"
"""The soft type: no grammar reads it, so it takes a wording of the writer's own about the brand."""
UNITS: Final = {"height": "unit_length", "weight": "unit_weight"}
"""Words that must follow a number which the grammar alone does not read as a measure."""


@dataclass(frozen=True, slots=True)
class Place:
    """Tokens [start, end) that say the value; for an event the day that is said with it, and the token it begins at."""

    start: int
    end: int
    expires_on: date | None = None
    dated_at: int | None = None


def list_places(message: Message, wanted: Wanted, *, said_on: date, is_read: bool) -> Iterator[Place]:
    """Every place that says the value, in order. `is_read`: the instant grammar reads this very fact in the message."""
    if not message.tokens:
        return
    if wanted.is_literal:
        yield from _list_literal(message, wanted)
    elif wanted.categories:
        yield from _list_vocabulary(message, wanted)
    elif wanted.knowledge_type == "life_event":
        yield from _list_events(message, wanted, said_on)
    elif wanted.knowledge_type == "budget":
        yield from _list_amounts(message, wanted)
    elif wanted.knowledge_key in UNITS:
        yield from _list_measures(message, wanted, is_read)
    else:
        yield from _list_sizes(message, wanted, is_read)


def list_capitals(message: Message, wanted: Wanted, text: str) -> list[Place]:
    """Where a brand stands in capitals that is a word of every day in small letters: COS. `text`: as it was typed."""
    names = list_capital_brands().get(wanted.knowledge_key, frozenset())
    if not names or wanted.knowledge_type != BRAND:
        return []
    spans = [message.normal.raw_span(token.start, token.end) for token in message.tokens]
    return [Place(index, index + 1) for index, span in enumerate(spans) if text[slice(*span)] in names]


def _list_literal(message: Message, wanted: Wanted) -> Iterator[Place]:
    """An allergen that the vocabulary lacks: its own words, endings apart."""
    words = fold_words(str(wanted.value))
    tokens = [token.text for token in message.tokens]
    for start in range(len(tokens) - len(words) + 1):
        if words and all(_is_form(tokens[start + i], word) for i, word in enumerate(words)):
            yield Place(start, start + len(words))


def _is_form(token: str, word: str) -> bool:
    """Whether a token is the word, perhaps with another ending."""
    if token == word:
        return True
    stem = word[: max(4, len(word) - 2)]
    return len(stem) >= 4 and token.startswith(stem) and len(token) - len(stem) <= 4


def _list_vocabulary(message: Message, wanted: Wanted) -> Iterator[Place]:
    for category in wanted.categories:
        for match in message.marks.get(category, ()):
            if match.canonical == wanted.knowledge_key and not _is_inside_longer(message, match, wanted):
                yield Place(match.start, match.end)


def _is_inside_longer(message: Message, match: LexiconMatch, wanted: Wanted) -> bool:
    """The print in "animal print" is no print in general."""
    others = (other for category in wanted.categories for other in message.marks.get(category, ()))
    length = match.end - match.start
    return any(
        other.start <= match.start and other.end >= match.end and other.end - other.start > length for other in others
    )


def _list_events(message: Message, wanted: Wanted, said_on: date) -> Iterator[Place]:
    for category in ("event", "work_party"):
        for match in message.marks.get(category, ()):
            when = find_date(message, match, said_on)
            key = name_event(message, match, find_relation(message, match), when)
            if match.canonical == wanted.value and key == wanted.knowledge_key:
                dated = (when.on, when.start) if when is not None else ()
                yield Place(match.start, match.end, *dated)


def _list_amounts(message: Message, wanted: Wanted) -> Iterator[Place]:
    end = len(message.tokens)
    covered = 0
    for start in range(end):
        amount = read_amount(message, start, end) if start >= covered else None
        if amount is not None:
            covered = amount.end
            if is_same_value(amount.value, wanted.value):
                yield Place(amount.start, amount.end)


def _list_measures(message: Message, wanted: Wanted, is_read: bool) -> Iterator[Place]:
    end = len(message.tokens)
    for start in range(end):
        number = find_number(message, start, end=end)
        if number is None or not _is_measure(number.value, wanted):
            continue
        is_named = message.has_in("measure_word", max(0, start - GATE.measure_reach), start)
        if is_read or is_named or message.at(number.end, UNITS[wanted.knowledge_key]):
            yield Place(start, number.end)


def _is_measure(number: float, wanted: Wanted) -> bool:
    value = wanted.value
    if not isinstance(value, int):
        return False
    is_metres = wanted.knowledge_key == "height" and 1 < number < 3 and round(number * 100) == value
    return number == value or is_metres


def _list_sizes(message: Message, wanted: Wanted, is_read: bool) -> Iterator[Place]:
    end = len(message.tokens)
    covered = 0
    for start in range(end):
        size = find_size(message, start, end) if start >= covered else None
        if size is None:
            continue
        covered = size.end
        if size.value == wanted.value and (is_read or _is_clothing(message, size)):
            yield Place(size.start, size.end)


def _is_clothing(message: Message, size: Size) -> bool:
    """A bare number is a size only beside a word of sizes, and with nothing there that has numbers of its own."""
    if size.form != "number":
        # "1,75 м" is metres.
        return size.start == 0 or message.tokens[size.start - 1].kind != "number"
    segment = message.segment(size.start)
    is_in_range = MIN_NUMBER <= int(size.value.split("-")[0]) <= MAX_NUMBER
    is_measured = any(message.at(size.end, name) for name in ("unit_length", "unit_weight", "currency", "month"))
    is_other = any(message.has_in(name, *segment) for name in ("shoe", "anti_anchor", "not_body"))
    return is_in_range and message.has_in("size_word", *segment) and not (is_measured or is_other)
