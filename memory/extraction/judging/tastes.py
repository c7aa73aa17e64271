"""The words of tastes: what an item is about, and whether a clause likes or dislikes (SPEC X-7). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from memory.extraction.judging.adaptive import is_like, list_dislikes, list_likes
from memory.extraction.judging.clauses import has_phrase
from memory.extraction.judging.recipes import ADAPTIVE
from memory.extraction.judging.values import fold_words
from memory.extraction.judging.wordings import list_small_words
from patterns.steps.message import Message

Clause = tuple[int, int]
NEGATOR: Final = "negator"


def may_speak_of_taste(message: Message) -> bool:
    """The cheap gate: False where a message has no "not", and no word of liking or disliking."""
    if NEGATOR in message.categories:
        return True
    # Most messages have none of the words that such phrases begin with.
    begins = not _list_first_words().isdisjoint(word.text for word in message.words)
    return begins and has_liking(message, (0, len(message.tokens)))


def list_content_words(value: str) -> list[str]:
    """The words of a taste that say what it is about: without "like", "not", and words that anything may have."""
    phrases = {word for phrase in (*list_likes(), *list_dislikes()) for word in phrase}
    words = [word for word in fold_words(value) if len(word) >= ADAPTIVE.content_characters and word not in phrases]
    return [word for word in words if word not in list_small_words()] or words


def is_disliking(value: str) -> bool:
    """Whether a taste says what the user does not like."""
    words = fold_words(value)
    return any(words[i : i + len(one)] == one for one in list_dislikes() for i in range(len(words)))


def has_liking(message: Message, clause: Clause) -> bool:
    """Whether a clause has a word of liking or of disliking."""
    return has_phrase(message, [*list_likes(), *list_dislikes()], clause)


def has_disliking(message: Message, clause: Clause) -> bool:
    """Whether a clause has a word of disliking."""
    return has_phrase(message, list_dislikes(), clause)


def find_places(message: Message, words: Sequence[str], clause: Clause) -> list[int]:
    """For each of the words, in whatever form, that a clause has, where it stands first; in order."""
    tokens = message.tokens
    found = (
        next((i for i in range(*clause) if tokens[i].text == word or is_like(tokens[i].text, word)), None)
        for word in words
    )
    return sorted(place for place in found if place is not None)


@lru_cache(maxsize=1)
def _list_first_words() -> frozenset[str]:
    return frozenset(phrase[0] for phrase in (*list_likes(), *list_dislikes()))
