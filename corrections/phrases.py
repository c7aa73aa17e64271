"""Phrases with alternatives, found in tokens: "(where|how) (did|do) you (get|know) (that|)" is one line, not forty.

Pure. A phrase book is an automaton over words: every alternative is stored once, whatever stands before it, so that
long lists of variants stay small and matching costs what the text is long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from patterns.normaliser import Token, normalise

_GROUP = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Phrase:
    """One entry of the vocabulary: its category, its meaning within it, its language, and how it is written."""

    category: str
    meaning: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Cue:
    """Tokens [start, end) say something of `category`."""

    category: str
    meaning: str
    language: str
    start: int
    end: int


@dataclass(slots=True)
class _State:
    next: dict[str, list[int]] = field(default_factory=dict)
    accepts: list[tuple[str, str, str]] = field(default_factory=list)


class PhraseBook:
    """All phrases of all languages. Read-only after it is built, so shared freely by threads."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        """Raises ValueError for a phrase that says nothing."""
        self._states: list[_State] = [_State()]
        words: set[str] = set()
        arabizi: set[str] = set()
        others: set[str] = set()
        for phrase in phrases:
            found = self._add(phrase)
            words |= found
            (arabizi if phrase.language == "arabizi" else others).update(found)
        self.words = frozenset(words)
        self.arabizi_words = frozenset(word for word in arabizi - others if len(word) > 2 and word.isascii())

    def _add(self, phrase: Phrase) -> set[str]:
        frontier = [0]
        words: set[str] = set()
        for alternatives in split_slots(phrase.text):
            frontier = self._add_slot(frontier, alternatives, words)
        if 0 in frontier:
            raise ValueError(f"a phrase of {phrase.category} ({phrase.language}) may be empty: {phrase.text!r}")
        for state in frontier:
            self._states[state].accepts.append((phrase.category, phrase.meaning, phrase.language))
        return words

    def _add_slot(self, frontier: list[int], alternatives: list[tuple[str, ...]], words: set[str]) -> list[int]:
        end = self._new_state()
        after = [end]
        for tokens in alternatives:
            if not tokens:
                after.extend(state for state in frontier if state not in after)
                continue
            words.update(tokens)
            first = end if len(tokens) == 1 else self._new_state()
            for state in frontier:
                self._states[state].next.setdefault(tokens[0], []).append(first)
            here = first
            for place, word in enumerate(tokens[1:], start=2):
                target = end if place == len(tokens) else self._new_state()
                self._states[here].next.setdefault(word, []).append(target)
                here = target
        return after

    def _new_state(self) -> int:
        self._states.append(_State())
        return len(self._states) - 1

    def find_all(self, tokens: Sequence[Token]) -> list[Cue]:
        """For every place and category the longest phrase that begins there."""
        found: list[Cue] = []
        for start in range(len(tokens)):
            longest: dict[str, Cue] = {}
            for state, end in self._walk(tokens, start):
                for category, meaning, language in self._states[state].accepts:
                    kept = longest.get(category)
                    if kept is None or end > kept.end:
                        longest[category] = Cue(category, meaning, language, start, end)
            found.extend(longest.values())
        return found

    def has_any(self, tokens: Sequence[Token], categories: frozenset[str]) -> bool:
        """Whether a phrase of one of the categories occurs. Stops at the first."""
        return any(
            accepted[0] in categories
            for start in range(len(tokens))
            for state, _ in self._walk(tokens, start)
            for accepted in self._states[state].accepts
        )

    def _walk(self, tokens: Sequence[Token], start: int) -> Iterable[tuple[int, int]]:
        """Accepting states that are reached from `start`, with the token after each."""
        frontier = {0}
        for at in range(start, len(tokens)):
            reached: set[int] = set()
            for form in tokens[at].forms:
                for state in frontier:
                    reached.update(self._states[state].next.get(form, ()))
            if not reached:
                return
            for state in reached:
                if self._states[state].accepts:
                    yield state, at + 1
            frontier = reached


def split_slots(text: str) -> list[list[tuple[str, ...]]]:
    """The alternatives of each part of a phrase as normalised words: fixed words are a slot with one alternative."""
    slots: list[list[tuple[str, ...]]] = []
    place = 0
    for group in _GROUP.finditer(text):
        slots.extend([words] for words in [_words(text[place : group.start()])] if words)
        slots.append([_words(option) for option in group[1].split("|")])
        place = group.end()
    slots.extend([words] for words in [_words(text[place:])] if words)
    return slots


def _words(text: str) -> tuple[str, ...]:
    return tuple(token.text for token in normalise(text).tokens)
