"""All lists together, as rows fill them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import NamedTuple, get_args, get_type_hints

from patterns.grammar.body import BodyLists
from patterns.grammar.events import EventLists
from patterns.grammar.kinds import AFFIXES, GRAMMAR_ROWS, WORDS, Affixes, Names, Words
from patterns.grammar.money import MoneyLists
from patterns.grammar.people import PeopleLists
from patterns.rows import Row
from patterns.text.normaliser import normalise, split_words


@dataclass(frozen=True, kw_only=True)
class Grammar(PeopleLists, MoneyLists, BodyLists, EventLists):
    """The lists of all languages together, each with the sentence that says what it is asked for."""


class GrammarList(NamedTuple):
    """A list as staff see it: the category of its rows, and what it is asked for."""

    category: str
    purpose: str


@cache
def list_grammar() -> Mapping[str, GrammarList]:
    """Every list that the steps ask for, by name."""
    hints = get_type_hints(Grammar, include_extras=True)
    found: dict[str, GrammarList] = {}
    for field in fields(Grammar):
        kind, purpose = get_args(hints[field.name])
        found[field.name] = GrammarList(AFFIXES if kind == Affixes else WORDS, purpose)
    return found


@cache
def list_of_names() -> frozenset[str]:
    """Which of the lists hold names of values (an event, a relation) in place of words of messages."""
    hints = get_type_hints(Grammar)
    return frozenset(field.name for field in fields(Grammar) if hints[field.name] is Names)


def build_grammar(entries: Iterable[Row]) -> Grammar:
    """The lists of the given rows, in the spelling that messages are read in; one without rows is empty."""
    found: dict[tuple[str, str], set[str]] = {}
    for entry in entries:
        if entry.category in GRAMMAR_ROWS:
            listed = found.setdefault((entry.category, entry.canonical), set())
            texts = (*entry.aliases, *entry.forms)
            listed.update(texts if entry.canonical in list_of_names() else (normalise(text).text for text in texts))
            listed.discard("")  # every word begins and ends with nothing
    lists: dict[str, Words | Affixes] = {}
    for name, (category, _) in list_grammar().items():
        listed = found.get((category, name), set())
        lists[name] = frozenset(listed) if category == WORDS else tuple(sorted(listed))
    return Grammar(**lists)  # type: ignore[arg-type]


def list_grammar_problems(entry: Row) -> list[str]:
    """Why a row of grammar would never be asked for, in words. Pure."""
    if entry.category not in GRAMMAR_ROWS:
        return []
    known = list_grammar().get(entry.canonical)
    if known is None:
        return [f"there is no list “{entry.canonical}”"]
    if known.category != entry.category:
        return [f"“{entry.canonical}” is a list of the category {known.category}"]
    if entry.canonical in list_of_names():
        return []  # "mother_in_law" is one name
    looked_for = "single words are" if entry.category == WORDS else "a part of one is"
    texts = {text: len(split_words(text)) for text in (*entry.aliases, *entry.forms)}
    empty = [
        f"“{text}” is nothing but marks that messages are read without" for text, count in texts.items() if not count
    ]
    many = [
        f"“{text}” is more than one word, and {looked_for} looked for" for text, count in texts.items() if count > 1
    ]
    return empty + many
