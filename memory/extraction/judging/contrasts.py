"""Values that are set against a statement and not part of it: "never fur, velvet is gorgeous" (SPEC X-3). Pure.

A second look at what the instant grammar read as one list. The words are data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.extraction.judging.surroundings import list_covered
from memory.extraction.judging.value_places import Place
from memory.extraction.judging.values import Wanted
from memory.extraction.judging.word_lists import list_phrases
from memory.extraction.judging.wordings import list_phrases_in
from patterns.steps.message import Message

CONTRASTED_TYPES: Final = ("allergy", "hard_ban")
"""What is kept away from: praise of it says the opposite."""


def is_contrasted(message: Message, place: Place, wanted: Wanted, triggers: Sequence[tuple[int, int]]) -> bool:
    """Whether the value is set against the statement. `triggers`: tokens of those of its type."""
    if wanted.knowledge_type == "life_event":
        return _has_date_of_another(message, place)
    if wanted.knowledge_type not in CONTRASTED_TYPES:
        return False
    segment = message.segment(place.start)
    before = list_phrases_in(message, (segment[0], place.start), list_phrases("only_words"))
    is_all_that_is_left = any(end == place.start for _, end in before)
    return (
        is_all_that_is_left or _is_praised(message, place, segment, triggers) or _is_told_of(message, place, triggers)
    )


def _is_praised(message: Message, place: Place, segment: tuple[int, int], triggers: Sequence[tuple[int, int]]) -> bool:
    """A word of praise in the value's part of the sentence, with no trigger between the two."""
    lasting = list_covered(message, *segment, ("lasting",))  # "off my list for good"
    for start, end in list_phrases_in(message, segment, list_phrases("praise_words")):
        inner = (end, place.start) if start < place.start else (place.end, start)
        if _is_polite(message, start, segment, place) or start in lasting:
            continue
        is_inside = any(begin < end and start < finish for begin, finish in triggers)
        if not is_inside and not any(inner[0] <= begin < inner[1] for begin, _ in triggers):
            return True
    return False


def _is_polite(message: Message, start: int, segment: tuple[int, int], place: Place) -> bool:
    """Не предлагай розовый и неон пожалуйста: behind a value that an "and" joins to the list, "please" asks."""
    is_asking = start >= place.end and message.at(start, "please") is not None
    return is_asking and message.has_in("conj", segment[0], place.start)


def _is_told_of(message: Message, place: Place, triggers: Sequence[tuple[int, int]]) -> bool:
    """An "I" right behind the value and more behind that: "allergic to cats and the fur I have for years"."""
    own = message.at(place.end, "self")
    last = message.segment(place.end - 1)[1]
    if own is None or any(begin >= place.end or end == place.start for begin, end in triggers):
        return False
    if message.at(own.end, "negator") is not None:
        return False  # "no turtlenecks, I can't breathe in them"
    return any(message.tokens[index].kind != "mark" for index in range(own.end, last))


def is_name(message: Message, place: Place, text: str) -> bool:
    """Whether the value is part of a name: it and its neighbour begin with capitals in a text that has few."""
    words = [text[slice(*message.normal.raw_span(token.start, token.end))] for token in message.tokens]
    if not words[place.start][:1].isupper():
        return False
    neighbours = [index for index in (place.start - 1, place.end) if 0 <= index < len(words)]
    capitals = sum(word[:1].isupper() for word in words)
    is_beside = any(
        words[index][:1].isupper() and index != message.clause(index)[0] and not _is_of_people(message, index)
        for index in neighbours
    )
    return is_beside and 2 * capitals < len(words) + 2


def _is_of_people(message: Message, index: int) -> bool:
    return any(category in message.starts[index] for category in ("self", "relation", "size_letter", "event", "month"))


def _has_date_of_another(message: Message, place: Place) -> bool:
    """The date stands in another part of the sentence, which has an "I" or an event of its own."""
    if place.dated_at is None or message.segment(place.dated_at) == message.segment(place.start):
        return False
    part = message.segment(place.dated_at)
    if part[0] <= place.start < part[1]:
        return False
    return any(message.has_in(category, *part) for category in ("self", "event", "work_party"))
