"""What else its writer says behind a statement: the value again, another one, a "but", what nobody understands
(SPEC X-3, D-24). Pure.

A statement that stands for itself is a fact at once. Where more is said of the value, or much follows that is not
understood, only its sense tells what the statement is worth: it waits for a second saying.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memory.extraction.judging.around.extents import list_plain
from memory.extraction.judging.recipes import GATE
from memory.extraction.judging.surroundings import Span, is_in
from memory.extraction.judging.value_places import UNITS, Place
from memory.extraction.judging.values import Wanted
from memory.extraction.judging.word_lists import list_phrases
from memory.extraction.judging.wordings import list_phrases_in
from patterns.steps.message import Message

COUNTED: Final = ("body_params", "budget")
"""Types whose value is a number or a letter."""
HELD_AGAINST: Final = ("allergy", "hard_ban", "budget")
"""Types that a "but" may take something from: a size stays what it is."""
NAMING: Final = (
    "fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand", "size_letter", "relation",
    "other", "specific_item", "garment_word", "generic", "shoe", "number",
)  # fmt: skip
"""What a "but" may speak of that is not the statement before it."""
COUNTING: Final = (
    "garment_word", "specific_item", "shoe", "month", "weekday", "period", "relation", "other", "past", "negator",
    "half", "unit_length", "unit_weight", "currency", "measure_word", "budget_word", "instead",
)  # fmt: skip
"""What says that a number or size is not another one for the same thing."""


def is_said_more(
    message: Message, span: Span, wanted: Wanted, *, places: Sequence[Place], read: Sequence[Span]
) -> bool:
    """Whether more is said behind a statement that may make it void.

    `span`: its tokens; `places`: where its value stands; `read`: the tokens of all readings of the message.
    """
    return (
        _is_named_again(message, span, wanted, places, read)
        or has_other_value(message, span[1], wanted, read)
        or _is_held_against(message, span, wanted)
        or (wanted.knowledge_type != "life_event" and _is_followed_by_strange_words(message, span))
    )


def _is_named_again(
    message: Message, span: Span, wanted: Wanted, places: Sequence[Place], read: Sequence[Span]
) -> bool:
    """Never denim... no, give denim back: the value stands in a later part, and nothing states it there."""
    if not wanted.categories:
        return False
    here = message.segment_of[span[1] - 1]
    later = [place for place in places if message.segment_of[place.start] > here]
    return any(not _is_within(place.start, read) and not _is_stated(message, place) for place in later)


def _is_stated(message: Message, place: Place) -> bool:
    """A "not" in the part of the sentence says it once more."""
    first, last = message.segment(place.start)
    if list_phrases_in(message, (first, last), list_phrases("removing_words")):
        return True
    return message.has_in("negator", first, last)


def has_other_value(message: Message, start: int, wanted: Wanted, read: Sequence[Span]) -> bool:
    """My size is L.. oh, the label: M. From `start` on stands another size or number that no reading has."""
    if wanted.knowledge_type not in COUNTED:
        return False
    is_letter = wanted.knowledge_type == "body_params" and wanted.knowledge_key not in UNITS
    letters = message.list_in("size_letter", start, len(message.tokens)) if is_letter else ()
    others = [m.start for m in letters if m.canonical != wanted.value and not _is_before_strange(message, m.end)]
    others += list(_list_numbers(message, start, str(wanted.value)))
    return any(not _is_within(index, read) and not _is_counted(message, index) for index in others)


def _is_before_strange(message: Message, index: int) -> bool:
    """A letter before a word that nobody knows is a preposition: "с карманами"."""
    return index < len(message.tokens) and message.strange[index]


def _list_numbers(message: Message, start: int, value: str) -> Iterator[int]:
    """Where another number as long as the value stands."""
    for index, token in enumerate(message.tokens[start:], start=start):
        if token.text.isdecimal() and len(token.text) == len(value) and token.text != value:
            yield index


def _is_counted(message: Message, index: int) -> bool:
    part = message.segment(index)
    return any(match.start != index for name in COUNTING for match in message.list_in(name, *part))


def _is_held_against(message: Message, span: Span, wanted: Wanted) -> bool:
    """Never on set, but every night out: behind a "but" nothing else is named, so it speaks of the statement."""
    if wanted.knowledge_type not in HELD_AGAINST:
        return False
    named = (*NAMING, "fondness") if wanted.knowledge_type in COUNTED else NAMING  # "but I like it loose"
    last = message.segment(span[1] - 1)[1]
    return any(
        part[0] >= last
        and message.at(part[0], "contrast") is not None
        and _is_about_statement(message, last, part, named)
        and not any(message.has_in(name, *part) for name in named)
        and all(token.kind != "number" for token in message.tokens[slice(*part)])
        for part in message.segments
    )


def _is_about_statement(message: Message, last: int, part: Span, named: Sequence[str]) -> bool:
    """Whether the "but" opens something, and nothing else was named between: "no polyester, linen though I love"."""
    is_more = any(token.kind == "word" for token in message.tokens[part[0] + 1 : part[1]])
    return is_more and not any(message.has_in(name, last, part[0]) for name in named)


def _is_followed_by_strange_words(message: Message, span: Span) -> bool:
    """Whether the sentences behind the statement's have words that neither vocabulary nor rules know."""
    last = message.clause(span[1] - 1)[1]
    strange = (message.strange[i] and not is_in(message, i, list_plain()) for i in range(last, len(message.tokens)))
    return sum(strange) >= GATE.strange_words


def _is_within(index: int, spans: Sequence[Span]) -> bool:
    return any(begin <= index < end for begin, end in spans)
