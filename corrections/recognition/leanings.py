"""Tastes and habits that the user's own words deny (SPEC C-1, X-7). Pure; no facts are looked at.

They are guesses: closing one asks for less than closing a fact. Still the words must be the user's own present
statement, and about this one thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from corrections.recognition.texts import Text
from memory.extraction.judging.adaptive import is_like, list_dislikes, list_likes
from memory.extraction.judging.clauses import has_phrase
from memory.extraction.judging.values import fold_words
from memory.extraction.judging.wordings import list_small_words
from memory.extraction.types import Item
from patterns.statements.persons import find_subject
from patterns.statements.vetoes import find_statement_veto
from patterns.steps.message import Message

NO_ANSWER: Final = ("negated", "denied", "past", "cancelled")
"""What may be wrong with a statement as a fact and still denies one."""
MOMENTARY: Final = ("day_word", "date_phrase", "weekday", "within")
"""Not today, not this week: that ends no taste."""
MIN_CHARACTERS: Final = 3
MAX_SHORT_WORDS: Final = 5
Clause = tuple[int, int]


def may_deny_leaning(message: Message) -> bool:
    """The cheap gate: False where a message has no "not", and no word of liking or disliking."""
    return "negator" in message.categories or not _list_first_words().isdisjoint(word.text for word in message.words)


@lru_cache(maxsize=1)
def _list_first_words() -> frozenset[str]:
    return frozenset(phrase[0] for phrase in (*list_likes(), *list_dislikes()))


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


def list_content_words(value: str) -> list[str]:
    """The words of a taste that say what it is about: without "like", "not", and words that anything may have."""
    words = fold_words(value)
    phrases = {word for phrase in (*list_likes(), *list_dislikes()) for word in phrase}
    kept = [word for word in words if len(word) >= MIN_CHARACTERS and word not in phrases]
    return [word for word in kept if word not in list_small_words()] or kept


def is_negative(text: Text, clause: Clause, before: int) -> bool:
    """Whether a clause says "not", "no longer" or "hate" of what begins at a place."""
    if text.is_negated(before, reach=before - clause[0]) or has_phrase(text.message, list_dislikes(), clause):
        return True
    return any(text.has(name, start=clause[0], end=clause[1]) for name in ("ended", "over"))


def _find_denial(text: Text, item: Item, words: Sequence[str], *, is_spoken_of: bool) -> str | None:
    """The kind of denial in the first clause that speaks of all of an item, or of half of what was just spoken of."""
    wanted = -(-len(words) // 2) if is_spoken_of else len(words)
    for clause in text.message.normal.clauses:
        places = _find_places(text, words, clause)
        if not places or len(places) < wanted or not _is_own_statement(text, clause, places):
            continue
        if _is_opposite(text, item, clause, places[0]):
            ended = any(text.has(name, start=clause[0], end=clause[1]) for name in ("ended", "over"))
            return "outdated" if ended else "user_denied"
    return None


def _find_places(text: Text, words: Sequence[str], clause: Clause) -> list[int]:
    """For each of the words that a clause has, where it stands first; in order."""
    tokens = text.message.tokens
    found = (
        next((i for i in range(*clause) if tokens[i].text == word or is_like(tokens[i].text, word)), None)
        for word in words
    )
    return sorted(place for place in found if place is not None)


def _is_own_statement(text: Text, clause: Clause, places: Sequence[int]) -> bool:
    message, start, end = text.message, places[0], places[-1] + 1
    if any(message.has_in(name, *clause) for name in MOMENTARY) or find_subject(message, start, end) == "other":
        return False
    veto = find_statement_veto(message, start, end)
    return veto is None or veto in NO_ANSWER


def _is_opposite(text: Text, item: Item, clause: Clause, place: int) -> bool:
    """The clause says the contrary: a "not" of what is liked, or a liking of what the item says "not" of."""
    message = text.message
    speaks_of_liking = has_phrase(message, [*list_likes(), *list_dislikes()], clause)
    if _is_negative_value(item.value):
        return speaks_of_liking and not is_negative(text, clause, place)
    if not is_negative(text, clause, place):
        return False
    is_short = len(message.words) <= MAX_SHORT_WORDS
    return speaks_of_liking or is_short or item.item_type != "preference" or text.has("ended")


def _is_negative_value(value: str) -> bool:
    words = fold_words(value)
    phrases = list_dislikes()
    return any(words[i : i + len(one)] == one for one in phrases for i in range(len(words)))


def _is_asserted(turn: Text, words: Sequence[str]) -> bool:
    """Whether a clause of the turn, which asks nothing, has half of the words or more."""
    for clause in turn.message.normal.clauses:
        if not turn.is_question(clause[0]) and 2 * len(_find_places(turn, words, clause)) >= max(1, len(words)):
            return bool(words)
    return False
