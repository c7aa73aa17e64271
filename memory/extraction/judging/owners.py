"""Whose a statement is and when it was so: the writer's, and still (SPEC X-3). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.extraction.judging.recipes import GATE
from memory.extraction.judging.surroundings import Span, is_in, opens_with_and
from memory.extraction.judging.value_places import Place
from memory.extraction.judging.values import Wanted
from memory.extraction.judging.word_lists import list_phrases, list_signs, list_words
from memory.extraction.judging.wordings import list_phrases_in
from patterns.steps.message import Message

WRITER: Final = ("self", "first_person", "both", "request")
"""What shows that a statement is the writer's."""


def is_ironic(message: Message) -> bool:
    """Whether a sign of irony stands anywhere."""
    return any(token.text in list_signs("irony_signs") for token in message.tokens)


def is_taken_back(message: Message, span: Span) -> bool:
    """They say I'm allergic to wool, that's an error."""
    last = message.clause(span[0])[1]
    return bool(list_phrases_in(message, (span[1], last), list_phrases("untrue_words")))


def is_believed_by_others(message: Message, span: Span) -> bool:
    """Mum is sure I'm allergic to dye: before the statement a relation, and behind them what they believe."""
    first = message.clause(span[0])[0]
    people = message.list_in("relation", first, span[0])
    said = list_phrases_in(message, (people[-1].end, span[0]), list_phrases("believed_words")) if people else ()
    return bool(said)


def is_lent(message: Message, span: Span) -> bool:
    """According to my chart, if anybody asks: what leads up to the statement makes it not so, or only in part."""
    first = message.clause(span[0])[0]
    return bool(list_phrases_in(message, (first, span[0]), list_phrases("lending_words")))


def is_resumed(message: Message, span: Span) -> bool:
    """No heels at work, but every night out I'm in them: what was refused is taken up again."""
    last = message.clause(span[0])[1]
    found = list_phrases_in(message, (span[1], last), list_phrases("resumed_words"))
    return any(not message.has_in("negator", max(0, begin - 1), begin) for begin, _ in found)


def is_only_imagined(message: Message, span: Span) -> bool:
    """With 1500 I'd be there every week: what the number would do is told."""
    last = message.clause(span[0])[1]
    return bool(list_phrases_in(message, (span[1], last), list_phrases("would_words")))


def is_dated_back(message: Message, place: Place, year: int) -> bool:
    """Whether a year before this one stands behind a word that dates: "75 kg in 2018"; "since 2018" is still so."""
    first, last = message.segment(place.start)
    return any(
        _is_year_before(message.tokens[index].text, year) and is_in(message, index - 1, list_words("dating_words"))
        for index in range(first + 1, last)
        if not place.start <= index < place.end
    )


def _is_year_before(text: str, year: int) -> bool:
    """Four digits of a year that people remember."""
    return len(text) == len(str(year)) and text.isdecimal() and GATE.first_year <= int(text) < year


def is_of_writer(message: Message, place: Place, span: Span) -> bool:
    """Whether the writer is named where the allergy is stated, or else nobody and nothing that is not understood.

    "A reviewer got a rash", "we test for formaldehyde, it is bad for the allergic" tell of somebody else.
    """
    parts = [message.segment(span[0]), message.segment(span[1] - 1)]
    if parts[0] == parts[1] or place.start > span[0]:
        return _names_writer(message, parts[0][0], parts[1][1]) or not _has_strange(message, parts, span)
    return _names_writer(message, *parts[1]) or not _has_strange(message, parts[1:], span)


def _names_writer(message: Message, start: int, end: int) -> bool:
    if any(message.has_in(name, start, end) for name in WRITER):
        return True
    endings = (*message.grammar.my_verb_endings, *message.grammar.at_me_endings)
    words = (message.tokens[i] for i in range(start, end) if not _is_value(message, i))
    return any(
        word.kind == "word" and len(word.text) >= GATE.long_verb and word.text.endswith(endings) for word in words
    )


def _is_value(message: Message, index: int) -> bool:
    return any(message.at(index, name) for name in ("fabric", "irritant", "material"))


def _has_strange(message: Message, parts: Sequence[Span], span: Span) -> bool:
    """A word that neither the vocabulary nor a rule knows, outside what is read and before what an "and" adds."""
    for part in parts:
        for index in range(*part):
            if index >= span[1] and (message.at(index, "conj") or opens_with_and(message, index)):
                break
            if message.strange[index] and not span[0] <= index < span[1]:
                return True
    return False


def is_own_event(message: Message, place: Place, wanted: Wanted) -> bool:
    """Whether an event is the writer's or a relation's, and not over."""
    if message.has_in("other_value", message.segment(place.start)[0], place.start):
        return False  # "my cat's birthday"
    return not (_is_of_client(message, place, wanted) or _is_done(message, place) or _is_worked_at(message, place))


def _is_worked_at(message: Message, place: Place) -> bool:
    """My sister photographs a wedding: between the person and the event stands a verb that nobody knows."""
    people = message.list_in("relation", message.segment(place.start)[0], place.start)
    if not people:
        return False
    between = (people[-1].end, place.start)
    return message.has_in("other", *between) or any(message.unnamed[index] for index in range(*between))


def _is_done(message: Message, place: Place) -> bool:
    """Nailed my presentation, back from my trip: what leads up to the event tells of what is over."""
    first = message.segment(place.start)[0]
    if any(
        message.at(begin, "day_word") is None and message.at(begin, "within") is None
        for begin, _ in list_phrases_in(message, (first, place.start), list_phrases("return_words"))
    ):
        return True  # "after tomorrow" is ahead
    endings = tuple(list_words("done_endings"))
    words = [message.tokens[i] for i in range(message.segment(place.start)[0], place.start) if message.strange[i]]
    return any(len(word.text) > GATE.long_verb and word.text.endswith(endings) for word in words)


def _is_of_client(message: Message, place: Place, wanted: Wanted) -> bool:
    """A wedding for a client: right behind the event stands a person who is no relation."""
    if wanted.knowledge_key != wanted.value:
        return False
    person = message.find_in("other", place.end, min(place.end + GATE.owner_reach, message.segment(place.end - 1)[1]))
    return person is not None and person.canonical == "person" and person.start not in message.consumed
