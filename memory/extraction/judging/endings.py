"""Whether a wording that ends a fact, or likes a brand, stands for itself (SPEC X-2, X-3). Pure."""

from __future__ import annotations

from typing import Final

from memory.extraction.judging.surroundings import Span, is_held_against, list_covered, list_named
from memory.extraction.judging.word_lists import list_phrases
from memory.extraction.judging.wordings import list_phrases_in
from patterns.steps.message import Message

UNREAL: Final = ("wish", "conditional", "hedge")
"""What makes a wording that ends a fact a wish or a guess."""
LEADING: Final = ("oath", "laugh", "please", "greeting", "now", "relation", "addressed")
"""What may stand before a wording that ends a fact."""
TRAILING: Final = ("oath", "laugh", "please", "now", "addressed")
"""What may stand behind it."""


def is_ending(message: Message, span: Span, *, is_taste: bool) -> bool:
    """Whether a wording that ends a fact stands alone in its part of the sentence: nothing limits or lends it.

    A taste that is praised right after ("I don't love it, I adore it") is not over.
    """
    first, last = message.segment(span[0])
    if any(message.has_in(name, *message.clause(span[0])) for name in UNREAL):
        return False
    if is_held_against(message, last) or _is_limited(message, (first, last)) or _is_said_behind(message, last):
        return False
    if is_taste and message.has_in("fondness", span[1], message.clause(span[0])[1]):
        return False
    if is_taste and any(message.has_in(name, first, last) for name in ("date_phrase", "weekday", "day_word", "scope")):
        return False
    return _is_led_up_to(message, first, span[0]) and _is_rounded_off(message, span[1], last)


def _is_said_behind(message: Message, last: int) -> bool:
    """My size is not M, said the app: a verb of saying opens the next part of the sentence."""
    if last >= len(message.tokens) or message.clause_of[last] != message.clause_of[last - 1]:
        return False
    told = message.at(last, "quote")
    return told is not None and message.at(told.end, "self") is None


def is_own_words(message: Message, span: Span) -> bool:
    """Whether nobody lends a wording of liking: no word that is not understood leads up to it, no wish, no guess."""
    first = message.segment(span[0])[0]
    is_lent = any(message.strange[index] for index in range(first, span[0]))
    return not is_lent and not any(message.has_in(name, *message.clause(span[0])) for name in UNREAL)


def _is_limited(message: Message, part: Span) -> bool:
    known = list_named(message, part, list_phrases("ending_tails"))
    return any(begin not in known for begin, _ in list_phrases_in(message, part, list_phrases("limiting_words")))


def _is_led_up_to(message: Message, first: int, start: int) -> bool:
    if first < start and list_phrases_in(message, (first, start), list_phrases("since_words")):
        return True
    known = list_named(message, (first, start), list_phrases("ending_leads")) | list_covered(
        message, first, start, LEADING
    )
    return all(message.tokens[i].kind == "mark" or i in known for i in range(first, start))


def _is_rounded_off(message: Message, start: int, last: int) -> bool:
    known = list_named(message, (start, last), list_phrases("ending_tails")) | list_covered(
        message, start, last, TRAILING
    )
    reasons = {
        begin
        for begin, _ in list_phrases_in(
            message, (start, last), [*list_phrases("reason_words"), *list_phrases("since_words")]
        )
    }
    for index in range(start, last):
        if index in reasons:
            return True
        if message.tokens[index].kind != "mark" and index not in known:
            return False
    return True
