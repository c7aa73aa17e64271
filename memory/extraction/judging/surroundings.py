"""What stands around a value, asked by the checks of licences, numbers, owners and endings. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from memory.extraction.judging.recipes import GATE
from memory.extraction.judging.wordings import list_forms, list_phrases_in, list_small_words
from patterns.steps.message import Message

Span = tuple[int, int]


def is_of(message: Message, index: int, categories: Sequence[str]) -> bool:
    """Whether a token is a mark, a small word, or inside a match of the categories."""
    if message.tokens[index].kind == "mark" or not list_small_words().isdisjoint(list_forms(message)[index]):
        return True
    return any(
        match.start <= index < match.end
        for name in categories
        for match in message.list_in(name, max(0, index - GATE.cover_reach), index + 1)
    )


def is_in(message: Message, index: int, words: frozenset[str]) -> bool:
    """Whether a token is one of the words, as the rules meet it or as it was typed."""
    return not words.isdisjoint(list_forms(message)[index])


def list_named(message: Message, part: Span, phrases: Sequence[Sequence[str]]) -> set[int]:
    """The tokens that phrases cover in a part."""
    return {index for begin, end in list_phrases_in(message, part, phrases) for index in range(begin, end)}


def list_covered(message: Message, start: int, last: int, categories: Sequence[str]) -> set[int]:
    """The tokens that matches of the categories cover in [start, last)."""
    return {
        index
        for name in categories
        for match in message.list_in(name, start, last)
        for index in range(match.start, match.end)
    }


def opens_with_and(message: Message, index: int) -> bool:
    """Whether an Arabic "and" is written together with what begins at the token."""
    return any(match.has_and for match in message.starts[index].values())


def is_held_against(message: Message, last: int) -> bool:
    """ "Suede though, daily": a "but" right behind the value with nothing of its own."""
    if last >= len(message.tokens) or message.tokens[last - 1].kind == "mark" or not message.at(last, "contrast"):
        return False
    return message.has_only(("contrast",), *message.segment(last))
