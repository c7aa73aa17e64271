"""Names, dates and amounts of a talk, seen by how they are written (SPEC L-1). Pure; no entity is a fact."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from msgspec import Struct

from memory.episodes import recipe
from patterns.text.data_files import read_forms, read_groups, read_words

NAME, DATE, AMOUNT = "name", "date", "amount"
_CAPITAL = r"[A-ZА-ЯЁ][\w'’-]*"
# What stands before a name is asked behind its first letter: so the search skips to the next capital.
_NAMES = re.compile(rf"[A-ZА-ЯЁ](?<![\w'’].)[\w'’-]*(?:\s+{_CAPITAL}){{0,3}}", re.DOTALL)
_NUMBER = r"\d(?:[\d.,]*\d)?"
_AMOUNTS = re.compile(
    rf"[$€£₽]\s?{_NUMBER}|\b{_NUMBER}\s?[%$€£₽]|\b{_NUMBER}\s?[A-Z]{{2,4}}\b|\b{_NUMBER}[^\W\d_]{{1,4}}\b"
)
_DATES = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)?\s+(?P<after>[^\W\d_]{3,})(?:\s+\d{4})?"
    r"|\b(?P<before>[^\W\d_]{3,})\s+\d{1,2}\b(?:,?\s+\d{4})?"
)
_DIGIT = re.compile(r"\d")
_OPENS = re.compile(r"(?:^|[.!?:*\"“«(])\W*$")
"""What stands before the first word of a sentence, a heading or a quotation."""
_SHORTEST = 2
_HEADING_SHARE = 0.6


class Entity(Struct, frozen=True):
    """A name, a date or an amount as it was written, and the places of the messages that say it."""

    text: str
    kind: str
    places: list[int]


def list_entities(sentences: Iterable[tuple[str, int]]) -> list[Entity]:
    """Of sentences, each with the place of its message: those said most often first."""
    found: dict[str, tuple[str, str, list[int]]] = {}
    opening: list[tuple[str, int]] = []
    for text, place in sentences:
        if _DIGIT.search(text):  # no date and no amount is without one
            _note_numbers(found, text, place)
        names = [(_strip_function_words(match[0]), match) for match in _NAMES.finditer(text)]
        if not any(name for name, _ in names) or _is_heading(text):
            continue
        for name, match in names:
            if not name:
                continue
            if _OPENS.search(text, 0, match.start()) and not _is_surely_a_name(name):
                opening.append((name, place))
            else:
                _note(found, name, NAME, place)
    for name, place in opening:  # a capital at the beginning says nothing, unless the word has one elsewhere too
        if name.casefold() in found:
            _note(found, name, NAME, place)
    ranked = sorted(found.values(), key=lambda one: (-len(one[2]), one[2][0], one[0]))
    return [Entity(text, kind, places) for text, kind, places in ranked[: recipe.MOST_ENTITIES]]


def _note_numbers(found: dict[str, tuple[str, str, list[int]]], text: str, place: int) -> None:
    dates = _find_dates(text)
    for entity in dates:
        _note(found, entity, DATE, place)
    for amount in _AMOUNTS.findall(text):
        if not any(amount in entity or entity in amount for entity in dates):
            _note(found, amount.strip(), AMOUNT, place)


def _note(found: dict[str, tuple[str, str, list[int]]], text: str, kind: str, place: int) -> None:
    if len(text) < _SHORTEST:
        return
    places = found.setdefault(text.casefold(), (text, kind, []))[2]
    if place not in places:
        places.append(place)


def _find_dates(text: str) -> list[str]:
    months = read_forms("months.txt")
    found = _DATES.finditer(text)
    return [match[0] for match in found if (match["after"] or match["before"]).lower().replace("ё", "е") in months]


def _is_heading(text: str) -> bool:
    """Whether nearly all words have a capital: then none of them says anything."""
    words = [word for word in text.split() if word[:1].isalpha()]
    return len(words) > 1 and sum(word[0].isupper() for word in words) > _HEADING_SHARE * len(words)


def _strip_function_words(name: str) -> str:
    """The name without words that are written with a capital for another reason: I, The, a month.

    A weekday alone is none either; one of several words ("Black Friday") is.
    """
    words = [word for word in name.split() if not _says_nothing(word)]
    if all(_fold(word) in _read_weekdays() for word in words):
        return ""
    return " ".join(words)


def _says_nothing(word: str) -> bool:
    return _fold(word) in _read_silent()


def _fold(word: str) -> str:
    return word.lower().replace("ё", "е").replace("’", "'").partition("'")[0]


@cache
def _read_weekdays() -> frozenset[str]:
    groups = read_groups("time_words.txt").items()
    return frozenset(word for tag, words in groups if tag.startswith("weekday=") for word in words)


@cache
def _read_silent() -> frozenset[str]:
    words = read_words("stopwords.en.txt") | read_words("stopwords.ru.txt")
    return words | read_forms("months.txt").keys()


def _is_surely_a_name(name: str) -> bool:
    """Capitals within a word: NATO, YouTube."""
    return any(letter.isupper() for word in name.split() for letter in word[1:])
