"""What a writer adds to a complete statement: "silk brings me out in hives and so does viscose", "mohair too"."""

from __future__ import annotations

from collections.abc import Sequence, Set

from patterns.matching.lexicon import LexiconMatch
from patterns.steps.message import Message
from patterns.steps.values import read_values_after

_PASSED = frozenset(",.-;(")
_CLOSING = ("lasting", "oath", "laugh", "please", "polite", "too_word", "filler", "generic")
_SMALL = ("lasting", "laugh", "please", "polite", "statement_tail")
_BEFORE = ("whole_of", "generic", "article")
MAX_PASSED = 3


def list_likewise(
    message: Message, end: int, *, categories: Sequence[str], language: str, items_refuse: Set[str] = frozenset()
) -> tuple[LexiconMatch, ...]:
    """The values behind a statement that only says the same of them; nothing where it says more or asks. Pure.

    `end`: the token after the statement.
    """
    if "likewise" not in message.marks and "too_word" not in message.marks:
        return ()
    place = _pass(message, end)
    if place is None:
        return ()
    led = message.at(place, "likewise")
    first = led.end if led is not None else _pass_small(message, place, categories)
    last = message.clause(place)[1]
    if (
        first >= last
        or message.tokens[last - 1].text == "?"
        or (led is None and not _opens(message, first, categories))
    ):
        return ()
    found = read_values_after(message, first, categories=categories, language=language, items_refuse=items_refuse)
    if not found.items or (led is None and not _says_too(message, found.end)):
        return ()
    stop = message.segment(found.end - 1)[1]
    return found.items if message.has_only(_CLOSING, found.end, stop) else ()


def _says_too(message: Message, end: int) -> bool:
    """Cashmere too, розовый цвет тоже: right behind the value or the word for its sort."""
    sort = message.at(end, "generic")
    return message.at(sort.end if sort is not None else end, "too_word") is not None


def _pass(message: Message, end: int) -> int | None:
    """Where something new begins: right behind the statement, over marks and one "and"; None at the end."""
    place = end
    for _ in range(MAX_PASSED):
        small = [m.end for name in _SMALL if (m := message.at(place, name)) is not None]
        place = max(small, default=place)
        if place < len(message.tokens) and message.tokens[place].text in _PASSED:
            place += 1
    conj = message.at(place, "conj") or message.at(place, "contrast")
    if conj is not None and message.at(place, "likewise") is None:
        place = conj.end
    return place if place < len(message.tokens) else None


def _pass_small(message: Message, place: int, categories: Sequence[str]) -> int:
    """Аллергия на латекс. На никель тоже: the preposition goes on with the word of allergy.

    So do "all" and the word for a sort: "and all synthetics too", "w el lon el pink kaman".
    """
    place += message.tokens[place].text in message.grammar.also_to
    for _ in range(MAX_PASSED):
        if place >= len(message.tokens) or _opens(message, place, categories):
            break
        place = max((m.end for name in _BEFORE if (m := message.at(place, name)) is not None), default=place)
    return place


def _opens(message: Message, place: int, categories: Sequence[str]) -> bool:
    return any(name in message.starts[place] for name in categories)
