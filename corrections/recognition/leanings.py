"""Tastes and habits that the user's own words deny (SPEC C-1, X-7). Pure; no facts are looked at.

They are guesses: closing one asks for less than closing a fact. Still the words must be the user's own present
statement, and about this one thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from corrections.recognition.texts import Text
from memory.extraction.judging.recipes import ADAPTIVE
from memory.extraction.judging.tastes import (
    Clause,
    find_places,
    has_disliking,
    has_liking,
    is_disliking,
    list_content_words,
)
from memory.extraction.types import Item
from patterns.statements.persons import find_subject
from patterns.statements.vetoes import find_statement_veto

NO_ANSWER: Final = ("negated", "denied", "past", "cancelled")
"""What may be wrong with a statement as a fact and still denies one."""
MOMENTARY: Final = ("day_word", "date_phrase", "weekday", "within")
"""Not today, not this week: that ends no taste."""
ENDING: Final = ("ended", "over")


def find_denied_leanings(
    text: Text, *, turn: Text | None, items: Sequence[Item], is_denial: bool
) -> list[tuple[Item, str]]:
    """Items that the reply denies, each with `user_denied` or `outdated`, in the order of the items.

    `turn`: the assistant's words right before. `is_denial`: the reply denies what the turn says of the user, and no
    fact bears that.
    """
    if text.has("request") or text.has("unreal"):
        return []
    found = []
    for item in items:
        words = list_content_words(item.value)
        is_spoken_of = turn is not None and _is_asserted(turn, words)
        kind = _find_denial(text, item, words, is_spoken_of=is_spoken_of)
        if kind is None and is_denial and is_spoken_of:
            kind = "user_denied"
        if kind is not None:
            found.append((item, kind))
    return found


def _find_denial(text: Text, item: Item, words: Sequence[str], *, is_spoken_of: bool) -> str | None:
    """The kind of denial in the first clause that speaks of all of an item, or of half of what was just spoken of."""
    for clause in text.message.normal.clauses:
        places = find_places(text.message, words, clause)
        is_meant = _is_half(places, words) if is_spoken_of else len(places) == len(words)
        if not (places and is_meant and _is_own_statement(text, clause, places)):
            continue
        if _is_opposite(text, item, clause, places[0]):
            return "outdated" if _is_ended(text, clause) else "user_denied"
    return None


def _is_own_statement(text: Text, clause: Clause, places: Sequence[int]) -> bool:
    message, start, end = text.message, places[0], places[-1] + 1
    if any(message.has_in(name, *clause) for name in MOMENTARY) or find_subject(message, start, end) == "other":
        return False
    veto = find_statement_veto(message, start, end)
    return veto is None or veto in NO_ANSWER


def _is_opposite(text: Text, item: Item, clause: Clause, place: int) -> bool:
    """The clause says the contrary: a "not" of what is liked, or a liking of what the item says "not" of."""
    is_negative = (
        text.is_negated(place, reach=place - clause[0])
        or has_disliking(text.message, clause)
        or _is_ended(text, clause)
    )
    if is_disliking(item.value):
        return has_liking(text.message, clause) and not is_negative
    is_short = len(text.message.words) <= ADAPTIVE.short_denial
    is_about_taste = has_liking(text.message, clause) or text.has("ended") or item.item_type != "preference"
    return is_negative and (is_short or is_about_taste)


def _is_ended(text: Text, clause: Clause) -> bool:
    return any(text.has(name, start=clause[0], end=clause[1]) for name in ENDING)


def _is_asserted(turn: Text, words: Sequence[str]) -> bool:
    """Whether a clause of the turn, which asks nothing, has half of the words or more."""
    return any(
        _is_half(find_places(turn.message, words, clause), words) and not turn.is_question(clause[0])
        for clause in turn.message.normal.clauses
    )


def _is_half(places: Sequence[int], words: Sequence[str]) -> bool:
    return bool(places) and len(places) + len(places) >= len(words)
