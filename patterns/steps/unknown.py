"""Words that nobody knows beside a weak statement: where what stands around it is not understood, there is no fact.

 "I drive a size M van", "10 signs of a nickel allergy", "weights on the bar 60 kg": the value is plain, whose it is not.
"""

from __future__ import annotations

from patterns.steps.message import Message

_OF_PEOPLE = ("self", "both")
_MY_VERBS = ("аю", "яю", "ею", "ую", "аюсь", "яюсь", "уюсь")
_LETTERS = 3  # of a word that says something; shorter ones are small words that no list holds


def has_strange_beside(message: Message, start: int, end: int) -> bool:
    """Whether a word that nobody knows stands in the segments of a span."""
    return has_strange_in(message, message.segment(start)[0], message.segment(end - 1)[1])


def has_strange_in(message: Message, start: int, end: int) -> bool:
    """Whether a word that nobody knows stands in [start, end)."""
    return any(is_strange(message, index) for index in range(start, end))


def is_strange(message: Message, index: int) -> bool:
    """Whether a token is a word of some length that neither the vocabulary nor a trigger knows.

    A Russian verb of the first person says whose it is, whatever it means.
    """
    if message.tokens[index].text.endswith(_MY_VERBS):
        return False
    return message.strange[index] and len(message.tokens[index].text) >= _LETTERS


def is_nobodys(message: Message, start: int, end: int) -> bool:
    """Whether no "I" stands in the clause of a statement and a word that nobody knows stands beside it."""
    clause = message.clause(start)[0], message.clause(end - 1)[1]
    if any(message.has_in(name, *clause) for name in _OF_PEOPLE):
        return False
    return has_strange_beside(message, start, end)
