"""Whether a number is what its trigger names: not one that is mended, former, compared or of somebody else. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.extraction.judging.surroundings import Span, is_in, is_of
from memory.extraction.judging.value_places import UNITS, Place
from memory.extraction.judging.values import Wanted
from memory.extraction.judging.word_lists import list_phrases, list_words
from memory.extraction.judging.wordings import list_phrases_in
from patterns.steps.message import Message

NAMES: Final = {"body_params": ("size_word", "measure_word"), "budget": ("budget_word", "limit_word")}
"""Words that say what a number is, besides the triggers of a type."""
NAMING: Final = (
    "self",
    "conj",
    "oath",
    "laugh",
    "please",
    "article",
    "size_filler",
    "now",
    "approximately",
    "currency",
)
"""What may stand between a number and the words that say what it is."""
POINTING: Final = ("pronoun", "thing", "weak_thing")
"""What points back to a number: "that is my budget"."""
GOODS: Final = ("specific_item", "garment_word", "event_thing", "shoe", "thing", "price")
"""What a number in another part of the sentence is the price of."""
WORN: Final = ("generic",)
"""Clothes in general: with them on, a weight is no weight."""
COUNTED: Final = (
    "past", "relation", "other", "size_system", "half", "garment_word", "currency", "unit_length", "unit_weight",
    "measure_word", "budget_word", "size_word", "month", "event",
)  # fmt: skip
"""What says what a number counts, or whose it is."""


def is_named_number(message: Message, place: Place, wanted: Wanted, *, span: Span, triggers: Sequence[Span]) -> bool:
    """Whether the number or size is the one that is stated. `span`: its reading; `triggers`: those of its type."""
    if _is_mended(message, place, wanted) or _is_former(message, place, span):
        return False
    if _is_of_shoes(message, place, wanted) or _is_worn(message, place, wanted) or _is_of_firm(message, place, wanted):
        return False
    return _is_named(message, place, wanted, triggers, span)


def _is_of_shoes(message: Message, place: Place, wanted: Wanted) -> bool:
    """The thirty-eighth, Italian pumps: a number with no word for sizes, and a shoe in the sentence."""
    clause = message.clause(place.start)
    if "size" not in wanted.knowledge_key or message.at(place.start, "size_letter") is not None:
        return False
    return message.has_in("shoe", *clause) and not message.has_in("size_word", *clause)


def _is_worn(message: Message, place: Place, wanted: Wanted) -> bool:
    """With clothes on I weigh 62 kg: a weight or height together with what is worn."""
    if wanted.knowledge_key not in UNITS:
        return False
    if _is_of_an_age(message, place):
        return True
    worn = [m for name in WORN for m in message.list_in(name, *message.segment(place.start))]
    return any(message.at(m.start - 1, "scope_opener") is not None for m in worn)


def _is_of_an_age(message: Message, place: Place) -> bool:
    """I weigh 60 kg at 18: behind the measure a preposition and a bare number."""
    last = message.segment(place.end - 1)[1]
    return any(
        m.end < last and message.tokens[m.end].kind == "number"
        for m in message.list_in("scope_opener", place.end, last)
    )


def _is_of_firm(message: Message, place: Place, wanted: Wanted) -> bool:
    """I'm an M in this brand: right behind the size stands whose size it is."""
    last = message.segment(place.end - 1)[1]
    return "size" in wanted.knowledge_key and any(
        message.at(m.start - 1, "thing") is not None for m in message.list_in("firm", place.end, last)
    )


def _is_named(message: Message, place: Place, wanted: Wanted, triggers: Sequence[Span], span: Span) -> bool:
    """A number or size before its trigger: nothing else stands between, or what it is comes as an afterthought."""
    marked = [m for name in NAMES[wanted.knowledge_type] for m in message.list_in(name, *span)]
    here = sorted([*(t for t in triggers if span[0] <= t[0] < span[1]), *((m.start, m.end) for m in marked)])
    if not here or here[0][0] < place.end:
        return True
    start = here[0][0]
    segment, other = message.segment(place.start), message.segment(start)
    if other == segment:
        return not _is_compared(message, place) and _is_small(message, place.end, start)
    points_back = any(message.has_in(name, other[0], start + 1) for name in POINTING) or any(
        is_in(message, index, list_words("pointing_words")) for index in range(other[0], start + 1)
    )
    return points_back or _is_small(message, segment[0], place.start)


def _is_compared(message: Message, place: Place) -> bool:
    """500 is more than my budget: behind the number stand several words of "more", and then the budget."""
    more = message.at(place.end, "maximum")
    return more is not None and more.end > more.start + 1 and message.at(more.end, "budget_word") is not None


def _is_mended(message: Message, place: Place, wanted: Wanted) -> bool:
    """Another number follows that takes its place: "156, sorry, 165", "a thousand, no, let it be 700"."""
    first, last = message.segment(place.end - 1)[1], _find_end(message, place)
    is_turned = message.find_in("self_correction", place.end, last)
    if is_turned is not None and _has_other(message, place, is_turned.end, last):
        return True
    if "size" in wanted.knowledge_key and _is_resized(message, first, last):
        return True
    if "size" in wanted.knowledge_key:
        return _is_lettered_anew(message, place)
    if _is_put_right(message, place):
        return True
    return any(
        _is_other_number(message, index, str(wanted.value))
        and not any(message.has_in(name, *message.segment(index)) for name in GOODS)
        for index in range(first, last)
    )


def _is_lettered_anew(message: Message, place: Place) -> bool:
    """I'm an M... hold on, checking... L: a later part of the message is nothing but another letter."""
    own = message.at(place.start, "size_letter")
    parts = [part for part in message.segments if part[0] >= place.end]
    return own is not None and any(
        any(m.canonical != own.canonical for m in message.list_in("size_letter", *part))
        and not message.has_in("half", *part)
        and all(is_of(message, i, ("size_letter", "clause_link")) for i in range(*part))
        for part in parts
    )


def _is_put_right(message: Message, place: Place) -> bool:
    """My budget is 500 no 700: a "no" and another number right behind the amount."""
    denied = message.at(place.end, "negator")
    return denied is not None and denied.end < len(message.tokens) and message.tokens[denied.end].kind == "number"


def _find_end(message: Message, place: Place) -> int:
    """The end of the statement's sentence, or of the next one where that opens by correcting: "L.. no no, M"."""
    last = message.clause(place.start)[1]
    behind = next((first for first, _ in message.normal.clauses if first >= last), None)
    if behind is None or message.at(behind, "self_correction") is None:
        return last
    return message.clause(behind)[1]


def _has_other(message: Message, place: Place, start: int, last: int) -> bool:
    """Another number, or behind a size letter another one."""
    if any(token.kind == "number" for token in message.tokens[start:last]):
        return True
    own = message.at(place.start, "size_letter")
    return own is not None and any(m.canonical != own.canonical for m in message.list_in("size_letter", start, last))


def _is_resized(message: Message, first: int, last: int) -> bool:
    """Size M, sorry, wrong, L: another letter stands in the next part with a word that nobody knows and no owner."""
    if first >= last or not message.has_in("size_letter", *message.segment(first)):
        return False
    part = message.segment(first)
    if any(message.has_in(name, *part) for name in (*COUNTED, "negator", "self", "conj")):
        return False
    return any(message.strange[index] for index in range(*part))


def _is_other_number(message: Message, index: int, value: str) -> bool:
    """A number as long as the value, with nothing in its part of the sentence that denies or counts it."""
    text, part = message.tokens[index].text, message.segment(index)
    if not text.isdecimal() or len(text) != len(value) or text == value:
        return False
    return not any(message.has_in(name, *part) for name in (*COUNTED, "negator"))


def _is_former(message: Message, place: Place, span: Span) -> bool:
    """72 kg is my old weight."""
    first, last = message.segment(span[0])[0], message.segment(max(span[1], place.end) - 1)[1]
    if last < message.clause(span[0])[1]:
        last = message.segment(last)[1]
    return bool(list_phrases_in(message, (first, last), list_phrases("former_words")))


def _is_small(message: Message, start: int, end: int) -> bool:
    return all(is_of(message, index, NAMING) for index in range(start, end))
