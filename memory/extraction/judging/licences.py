"""What a statement must look like for a value to be a part of it: the second look at a reading (SPEC X-3). Pure.

The instant step refuses what speaks against a reading. A model cites what suits it, so here a reading must have a
licence besides: a value that is no direct object of its trigger counts only where nothing but a list ties the two, and
where nothing is said of it alone. Which words say nothing of it is data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.extraction.judging.around.afterthoughts import is_withdrawn
from memory.extraction.judging.around.extents import LISTED_TYPES
from memory.extraction.judging.numbers import is_named_number
from memory.extraction.judging.owners import (
    is_believed_by_others,
    is_ironic,
    is_lent,
    is_of_writer,
    is_only_imagined,
    is_own_event,
    is_resumed,
    is_taken_back,
)
from memory.extraction.judging.recipes import GATE
from memory.extraction.judging.surroundings import (
    Span,
    is_held_against,
    is_in,
    is_of,
    list_covered,
    list_named,
)
from memory.extraction.judging.value_places import Place
from memory.extraction.judging.values import Wanted
from memory.extraction.judging.word_lists import list_phrases, list_words
from memory.extraction.judging.wordings import list_phrases_in
from patterns.steps.message import Message

FOR_LETTER: Final = "\u0644"
"""The Arabic letter that means "for" before a word."""
OCCASIONS: Final = ("date_phrase", "weekday", "month", "event", "work_party")
"""What a ban may be for alone."""
THINGS: Final = ("generic", "garment_word", "body_part")
"""Words for what is made of a value: a blouse, anything."""
JOINING: Final = ("conj", "negator", "self", "now", "lasting", "oath", "laugh", "please", *THINGS)
"""What may stand between the values of a list besides marks."""
NUMBERED_TYPES: Final = ("body_params", "budget")
ASIDE: Final = ("conj", "oath", "laugh", "please", *THINGS)
"""What may stand behind the last value of a list besides marks."""


def is_licensed(
    message: Message, place: Place, wanted: Wanted, *, span: Span, triggers: Sequence[Span], telling: Sequence[Span]
) -> bool:
    """Whether the value is part of what its triggers state.

    `span`: the tokens of its reading, or its clause; `triggers`: tokens of those of its type; `telling`: of those
    among them that say it at a distance too.
    """
    if is_ironic(message) or is_taken_back(message, span) or is_believed_by_others(message, span):
        return False
    if is_withdrawn(message, span, wanted) or is_lent(message, span):
        return False
    if wanted.knowledge_type == "life_event":
        return is_own_event(message, place, wanted)
    if wanted.knowledge_type == "allergy" and not is_of_writer(message, place, span):
        return False
    if wanted.knowledge_type == "hard_ban" and (_is_for_a_time(message, place, triggers) or is_resumed(message, span)):
        return False
    if wanted.knowledge_type in LISTED_TYPES:
        inside = [t for t in triggers if span[0] <= t[0] < span[1]]
        return _is_listed(message, place, wanted, inside, telling) and not _is_of_thing(message, place, wanted, inside)
    if wanted.knowledge_type in NUMBERED_TYPES:
        if is_only_imagined(message, span):
            return False
        return is_named_number(message, place, wanted, span=span, triggers=triggers)
    return True


def _is_of_thing(message: Message, place: Place, wanted: Wanted, triggers: Sequence[Span]) -> bool:
    """Allergic to synthetic smiles: right behind the value stands a word that nobody knows."""
    if wanted.knowledge_type != "allergy" or not any(end <= place.start for _, end in triggers):
        return False
    last = message.segment(place.end - 1)[1]
    if place.end >= last or not message.strange[place.end]:
        return False
    text = message.tokens[place.end].text
    return not text.startswith(tuple(message.grammar.and_letters)) and not is_closed(message, place.end, wanted, ())


def _is_for_a_time(message: Message, place: Place, triggers: Sequence[Span]) -> bool:
    """No heels for tomorrow, no jeans for Friday's party: a ban with a day or an occasion of its own."""
    last = message.segment(place.end - 1)[1]
    part = message.segment(place.start)
    first = min((start for start, _ in triggers if part[0] <= start), default=place.start)
    if part[0] < min(first, place.start) and _is_attached_to(message, part[0]):
        return True
    if message.has_in("lasting", *part):
        return False
    known = list_named(message, (place.end, last), list_phrases("closing_words"))
    if any(m.start not in known for name in OCCASIONS for m in message.list_in(name, place.end, last)):
        return True
    return place.end < last and _is_attached_to(message, place.end) and place.end not in known


def _is_attached_to(message: Message, index: int) -> bool:
    """An Arabic "for" that is written together with what it is for."""
    text = message.tokens[index].text
    return len(text) > GATE.long_verb and text.startswith(FOR_LETTER)


def _is_listed(
    message: Message, place: Place, wanted: Wanted, triggers: Sequence[Span], telling: Sequence[Span]
) -> bool:
    before = [t for t in triggers if t[1] <= place.start]
    if not before:
        return wanted.knowledge_type != "hard_ban" or _is_taken_up(message, place, triggers)
    if _is_stated_behind(message, place, wanted, telling):
        return True
    first = max(end for _, end in before)
    if message.has_in("clause_link", first, place.start):
        return False
    if not _is_continued(message, first, place, wanted):
        return True
    if _is_one_of_several(message, place):
        return True
    is_tied = _is_joining(message, first, place.start, wanted)
    return is_tied and is_closed(message, place.end, wanted, telling)


def _is_taken_up(message: Message, place: Place, triggers: Sequence[Span]) -> bool:
    """A refusal in a later part of the sentence: a word that points back, or nothing else between the two."""
    start = min((begin for begin, _ in triggers if begin >= place.end), default=place.end)
    part = message.segment(start) if start < len(message.tokens) else message.segment(place.start)
    if part == message.segment(place.start) or message.has_in("pronoun", *part):
        return True
    return not any(message.strange[index] for index in range(part[0], start))


def _is_stated_behind(message: Message, place: Place, wanted: Wanted, triggers: Sequence[Span]) -> bool:
    """A trigger of its own behind the value, with nothing but small words between."""
    behind = [start for start, _ in triggers if start >= place.end and start < message.segment(place.end - 1)[1]]
    return bool(behind) and _is_joining(message, place.end, min(behind), wanted)


def _is_one_of_several(message: Message, place: Place) -> bool:
    """Wool or silk: an "or" begins no statement of its own."""
    before = place.start - 1
    while before >= 0 and is_in(message, before, list_words("article_words")):
        before -= 1
    return before >= 0 and is_in(message, before, list_words("or_words"))


def _is_continued(message: Message, first: int, place: Place, wanted: Wanted) -> bool:
    """Whether the value is not what stands right behind the trigger: another value, a comma or an "and" is between."""
    if message.segment(first - 1) != message.segment(place.start):
        return True
    if any(message.has_in(category, first, place.start) for category in (*wanted.categories, "conj")):
        return True
    matches = [message.at(place.start, category) for category in wanted.categories]
    return any(match is not None and match.has_and for match in matches)


def _is_joining(message: Message, start: int, end: int, wanted: Wanted) -> bool:
    """Whether [start, end) is marks, small words, "and" and other values of the kind."""
    categories = (*JOINING, *wanted.categories)
    return all(
        is_in(message, index, list_words("joining_words")) or is_of(message, index, categories)
        for index in range(start, end)
    )


def is_closed(message: Message, start: int, wanted: Wanted, triggers: Sequence[Span]) -> bool:
    """Whether nothing is said of a value that ends at `start` before its part of the sentence ends."""
    last = message.segment(start - 1)[1]
    if is_held_against(message, last):
        return False
    opened = {begin for begin, _ in list_phrases_in(message, (start, last), list_phrases("reason_words"))}
    closing = list_named(message, (start, last), list_phrases("closing_words"))
    covered = list_covered(message, start, last, (*ASIDE, *wanted.categories))
    for index in range(start, last):
        if index in opened or any(begin == index for begin, _ in triggers):
            return True
        if message.tokens[index].kind != "mark" and index not in closing and index not in covered:
            return False
    return True
