"""What the writer tells of their work: "as a nurse I see latex allergy every week" (KNOWLEDGE, labelling guide)."""

from __future__ import annotations

from patterns.steps.message import Message

NAMED = 2  # tokens between "I" and the trade


def is_told_of_work(message: Message, start: int) -> bool:
    """Whether a weak statement stands behind the writer's trade or workplace, with no word of having before it."""
    first = message.clause(start)[0]
    place = find_trade(message, first, start)
    if place is None:
        place = _find_workplace(message, first, start)
    if place is None:
        place = _find_treating(message, first, start)
    if place is None:
        return False
    grammar = message.grammar
    lead = message.tokens[max(place, message.segment(start)[0]) : start + 1]
    texts = [text for token in lead for text in (token.text, *map(token.text.removeprefix, grammar.and_letters))]
    return grammar.possessing.isdisjoint(texts)


def find_trade(message: Message, first: int, end: int) -> int | None:
    """I'm a florist, as a waitress, я ведущая: the token of the writer's trade in [first, end)."""
    names = message.grammar.trade_names
    for place in range(first, end):
        if message.tokens[place].text not in names:
            continue
        lead = range(max(first, place - NAMED), place)
        is_nominative = message.at(place, "doctor") is not None  # "my doctor", "мне врач" is somebody else
        if any(_is_i(message, i, is_nominative) or message.tokens[i].text in message.grammar.as_word for i in lead):
            return place
    return None


def _is_i(message: Message, index: int, is_nominative: bool) -> bool:
    if is_nominative:
        return message.tokens[index].text in message.grammar.i_words - message.grammar.told_one
    return message.at(index, "self") is not None


def _find_workplace(message: Message, first: int, end: int) -> int | None:
    """I work at a clinic, I run a lab: a verb of working and a place for it."""
    grammar, words = message.grammar, message.tokens
    working = next((i for i in range(first, end) if words[i].text in grammar.working), end)
    for place in range(first, end):
        is_own = place > first and message.at(place - 1, "self") is not None  # "in my clinic"
        if words[place].text in grammar.workplaces and (is_own or place > working):
            return place
    return None


def _find_treating(message: Message, first: int, end: int) -> int | None:
    """I treated a wool rash today: a verb of treating others."""
    return next((i for i in range(first, end) if message.tokens[i].text in message.grammar.treating), None)
