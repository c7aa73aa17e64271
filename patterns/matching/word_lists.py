"""Lists of grammar as staff look for them: by name, by what they are asked for, section by section. Pure."""

from __future__ import annotations

from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from inspect import cleandoc
from typing import Final, NamedTuple

from patterns.grammar.grammar import Grammar, list_grammar
from patterns.grammar.kinds import GRAMMAR_ROWS

UNASKED: Final = "this list is no longer used: its words have no effect"


class Section(NamedTuple):
    """Lists that belong together, with a sentence on what they have in common."""

    sentence: str
    names: tuple[str, ...]


def is_listed(category: str) -> bool:
    """Whether rows of a category are words of the grammar rather than vocabulary."""
    return category in GRAMMAR_ROWS


def find_purpose(*, category: str, canonical: str) -> str | None:
    """What the list of a row is asked for; None for vocabulary and for a list that nothing asks for any more."""
    known = list_grammar().get(canonical)
    return known.purpose if known is not None and known.category == category else None


@cache
def list_sections() -> tuple[Section, ...]:
    """Every list in its section, in the order in which they are written down."""
    return tuple(
        Section(cleandoc(base.__doc__ or "").removesuffix("."), tuple(field.name for field in fields(base)))
        for base in Grammar.__bases__
    )


def search_lists(text: str) -> list[str]:
    """Names of the lists whose name or purpose holds the text, in any case: "they said" is “they_said” too."""
    wanted = text.strip().casefold()
    name = wanted.replace(" ", "_")
    return [key for key, known in list_grammar().items() if name in key or wanted in known.purpose.casefold()]


def suggest_lists(name: str) -> list[str]:
    """Names that a mistyped one may stand for, the likeliest first."""
    return get_close_matches(name.strip().casefold().replace(" ", "_"), list_grammar(), n=3)
