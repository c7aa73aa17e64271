"""Where a statement begins and ends within its part of the sentence (SPEC X-3, D-24). Pure; words are data.

"I'm vegan so never show fur", "after my surgery I don't wear heels": a reason leads up to a statement. "Rash on my
arms every time I run": behind it something else is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from memory.extraction.judging.numbers import NAMES
from memory.extraction.judging.surroundings import Span, is_in, opens_with_and
from memory.extraction.judging.value_places import Place
from memory.extraction.judging.values import Wanted
from memory.extraction.judging.word_lists import list_phrases, list_words
from memory.extraction.judging.wordings import list_followers, list_phrases_in, list_small_words
from patterns.steps.message import Message

LISTED_TYPES: Final = ("allergy", "hard_ban")
"""Types of which one trigger may state several values."""
PASSING: Final = ("period", "occasion", "event")
"""What passes: "it's a no-buy month, so don't show velvet" is no ban for good."""
LEADING: Final = ("quote", "untrue", "wish", "relation", "other")
"""What makes the part that names a value somebody else's, or unsure."""
STARTING: Final = ("whole_of", "doctor", "relation", "skin", "pronoun")
"""What begins another statement with an Arabic "and" before it that the vocabulary knows as a part of it."""
REASONS: Final = ("reason_words", "since_words", "cause_words")
"""Lists of words behind which a reason stands, or since when something holds."""
OPENING: Final = ("self", "budget_word", "size_word", "measure_word", "allergy_word")
"""What begins a statement behind an "and"."""


def find_beginning(message: Message, place: Place, wanted: Wanted, *, span: Span, told: Sequence[Span]) -> int:
    """The first token of what belongs to the statement in `span`; `told`: tokens of the triggers of its type."""
    if _is_taken_up(message, place, span, wanted):
        return message.segment(span[1] - 1)[0]
    first = _find_governing(message, message.segment(span[0])[0])
    return _skip_reminder(message, _find_opened(message, first, span[0], wanted, told), span[0])


def _is_taken_up(message: Message, place: Place, span: Span, wanted: Wanted) -> bool:
    """Orange washes me out, never show it: a later part states it, and what was said of the value is its reason."""
    first = message.segment(place.start)[0]
    begun = message.segment(span[1] - 1)[0]
    if wanted.knowledge_type not in LISTED_TYPES or begun < place.end:
        return False
    return not any(message.has_in(name, first, begun) for name in LEADING)


def _find_governing(message: Message, first: int) -> int:
    """Rumour has it that: a part that begins with "that" hangs on the one before it."""
    while first > 0 and message.clause_of[first - 1] == message.clause_of[first]:
        if not message.at(first, "that_word"):
            break
        first = message.segment(first - 1)[0]
    return first


def _find_opened(message: Message, first: int, start: int, wanted: Wanted, told: Sequence[Span]) -> int:
    """My sister is slim and I'm an XL, I'm vegan so never show fur: where the statement begins."""
    is_listed, is_ban = wanted.knowledge_type in LISTED_TYPES, wanted.knowledge_type == "hard_ban"
    opened = [
        i for i in range(first, start + 1) if opens_with_and(message, i) and any(message.at(i, n) for n in OPENING)
    ]
    begun = {begin for begin, _ in told}
    joined = message.list_in("conj", first, start + 1)
    opened += [
        m.start
        for m in joined
        if message.at(m.end, "self") or (is_ban and not begun.isdisjoint((m.start, _skip_small(message, m.end))))
    ]
    opened += [i + 1 for i in range(first, start) if message.tokens[i].is_picture]
    if any(begin == first for begin, _ in list_phrases_in(message, (first, start), list_phrases("cause_words"))):
        opened.append(start)
    if is_listed:
        links = message.list_in("clause_link", first, start)
        opened += [m.end for m in links if not any(message.has_in(name, first, m.start) for name in PASSING)]
    if is_ban and any(
        begin == first for begin, _ in list_phrases_in(message, (first, start), list_phrases("since_words"))
    ):
        opened += [m.start for m in message.list_in("self", first, start)]
    return max(opened, default=first)


def _skip_reminder(message: Message, first: int, start: int) -> int:
    """Don't forget that, write down: what only asks to note the statement begins none."""
    found = list_phrases_in(message, (first, start), list_phrases("reminding_words"))
    ends = [end for begin, end in found if all(is_in(message, i, list_plain()) for i in range(first, begin))]
    return max(ends, default=first)


def _skip_small(message: Message, index: int) -> int:
    """The first token from `index` on that is no small word: "and in general I never wear"."""
    while index < len(message.tokens) and is_in(message, index, list_plain()) and not message.at(index, "negator"):
        index += 1
    return index


def list_breaks(message: Message, start: int, last: int, wanted: Wanted) -> list[int]:
    """The tokens of [start, last) at which something else is said behind a statement: an "and", a reason, an emoji."""
    opened = [
        begin
        for begin, _ in list_phrases_in(
            message, (start, last), [phrase for name in REASONS for phrase in list_phrases(name)]
        )
    ]
    if _is_reaction(message, start, last, wanted):
        opened += [begin for begin, _ in list_phrases_in(message, (start, last), list_phrases("exposure_words"))]
    limits = {begin for begin, _ in list_phrases_in(message, (start, last), list_phrases("limiting_openers"))}
    opened = [begin for begin in opened if begin not in limits]
    opened += [m.start for m in message.list_in("clause_link", start, last)]
    joined = [m.start for m in message.list_in("conj", start, last) if not message.at(m.start, "with")]
    starting = [m.start for name in STARTING for m in message.list_in(name, start, last)]
    opened += [index for index in starting if begins_with_and(message, index)]
    if wanted.knowledge_type in NAMES:  # "L, not M any more"
        opened += [m.start for m in message.list_in("negator", start, last) if _is_number(message, m.end, last)]
    if wanted.knowledge_type not in LISTED_TYPES:  # there an "and" may add to the list
        opened += [i for i in range(start, last) if message.strange[i] and begins_with_and(message, i)]
    return [
        i
        for i in range(start, last)
        if message.tokens[i].is_picture or i in joined or opens_with_and(message, i) or i in opened
    ]


def _is_reaction(message: Message, start: int, last: int, wanted: Wanted) -> bool:
    """A rash every time I run: the writer's body reacts, and behind it nobody else is spoken of."""
    is_reaction = message.has_in("body_reaction", *message.segment(start - 1))
    is_other = any(message.has_in(name, start, last) for name in ("relation", "other"))
    return wanted.knowledge_type == "allergy" and is_reaction and not is_other


def _is_number(message: Message, index: int, last: int) -> bool:
    """Whether a size or number stands at the token."""
    is_letter = message.at(index, "size_letter") is not None
    return index < last and (is_letter or message.tokens[index].kind == "number")


def begins_with_and(message: Message, index: int) -> bool:
    """Whether a word begins with the letter of an "and", and is known with it: "and all"."""
    return message.tokens[index].text.startswith(tuple(message.grammar.and_letters))


@lru_cache(maxsize=1)
def list_plain() -> frozenset[str]:
    """Words that turn no statement round, wherever they stand in it."""
    names = (
        "closing_words",
        "reason_words",
        "ending_tails",
        "ending_leads",
        "since_words",
        "joining_words",
        "plain_words",
    )
    return frozenset().union(list_small_words(), list_followers(), *(list_words(name) for name in names))
