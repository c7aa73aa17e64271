"""Phrases with alternatives, found in tokens: "(where|how) (did|do) you (get|know) (that|)" is one line, not forty.

Pure. A phrase book is an automaton over words: every alternative is stored once, whatever stands before it, so that
long lists of variants stay small and matching costs what the text is long.

Phrases are rows of the lexicon whose category begins with "reply.": what people say when memory is wrong (SPEC C-1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple
from uuid import UUID

from patterns.matching.lexicon import Entry
from patterns.rollout import NOBODY_SPECIAL, get_bucket
from patterns.text.caches import WordCache, make_room
from patterns.text.folded_pieces import MAX_CACHED_WORDS, Token
from patterns.text.normaliser import split_words

PHRASES: Final = "reply."
"""What the category of an entry begins with whose words are phrases of replies."""
MAX_CHOICES: Final = 24
MAX_OPTIONAL: Final = 10
_NOTHING: Final[frozenset[int]] = frozenset()
_GROUP = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Phrase:
    """One entry of the vocabulary: its category, its meaning within it, its language, and how it is written.

    Users whose bucket is in [held_back_percent, rollout_percent) are read by it, as with rules (SPEC I-2).
    """

    category: str
    meaning: str
    language: str
    text: str
    held_back_percent: int = 0
    rollout_percent: int = 100

    @property
    def is_for_all(self) -> bool:
        """Whether no user is left out."""
        return self.held_back_percent == 0 and self.rollout_percent >= 100


def is_phrases(category: str) -> bool:
    """Whether the words of an entry of this category are phrases of replies."""
    return category.startswith(PHRASES)


def list_phrases(entries: Iterable[Entry]) -> list[Phrase]:
    """The phrases among the entries of a lexicon."""
    return [
        Phrase(
            entry.category.removeprefix(PHRASES),
            entry.canonical,
            entry.language,
            text,
            entry.held_back_percent,
            entry.rollout_percent,
        )
        for entry in entries
        if is_phrases(entry.category)
        for text in entry.aliases
    ]


def list_phrase_problems(text: str) -> list[str]:
    """Why a phrase cannot be used, each reason a sentence for the person who wrote it."""
    return list(_find_problems(text))


@lru_cache(maxsize=MAX_CACHED_WORDS)
def _find_problems(text: str) -> tuple[str, ...]:
    """Kept, since every draft is tried with the thousands of phrases beside it."""
    left = _GROUP.sub("", text)
    if "(" in left or ")" in left:
        return (f"“{text}”: brackets must close, and none may stand inside others",)
    if "|" in left:
        return (f"“{text}”: “|” parts the words of a choice and stands inside brackets, as in “(no|nope) thanks”",)
    slots = split_slots(text)
    if all(() in slot for slot in slots):
        return (f"“{text}” says nothing when all that may be missing is missing",)
    if len(slots) > MAX_CHOICES or sum(() in slot for slot in slots) > MAX_OPTIONAL:
        return (f"“{text}” has too many choices: at most {MAX_CHOICES}, of them {MAX_OPTIONAL} that may be missing",)
    return ()


_make_cue = tuple.__new__  # several times as fast as the class itself


class Cue(NamedTuple):
    """Tokens [start, end) say something of `category`."""

    category: str
    meaning: str
    language: str
    start: int
    end: int


@dataclass(slots=True)
class _State:
    next: dict[str, list[int]] = field(default_factory=dict)
    accepts: list[Phrase] = field(default_factory=list)


@dataclass(slots=True)
class _Front:
    """States that the words so far may have led to, taken together: where each next word leads, what ends here."""

    next: dict[str, frozenset[int]]
    accepts: list[Phrase]
    alone: list[tuple[str, str, str]]  # category, meaning and language of what ends here, the first of each category
    follow: dict[str, _Front] = field(default_factory=dict)  # where words that were met lead, in any of their forms


_UNMET: Final = _Front({}, [], [])  # stands for what no word has led to yet


class PhraseBook:
    """All phrases of all languages. Read-only after it is built, so shared freely by threads."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        """Raises ValueError for a phrase that says nothing."""
        self._states: list[_State] = [_State()]
        self._fronts: dict[frozenset[int], _Front] = {}
        self._has_trials = False
        words: set[str] = set()
        arabizi: set[str] = set()
        others: set[str] = set()
        for phrase in phrases:
            found = self._add(phrase)
            words |= found
            (arabizi if phrase.language == "arabizi" else others).update(found)
        self._first = self._join_states(frozenset((0,)))
        self._opened: WordCache[str, _Front | None] = WordCache()  # what words that were met open: most open nothing
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
            self._states[state].accepts.append(phrase)
        self._has_trials |= not phrase.is_for_all
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

    def find_all(self, tokens: Sequence[Token], *, user_id: UUID | None = None) -> list[Cue]:
        """For every place and category the longest phrase that begins there.

        `user_id` decides which side of a trial reads the tokens; without one what is in force does.
        """
        found: list[Cue] = []
        opened = self._opened
        last = len(tokens)
        for start, front in [
            (place, front) for place, token in enumerate(tokens) if (front := opened.get(token[0], _UNMET)) is not None
        ]:
            first = self._open(tokens[start]) if front is _UNMET else front
            if first is None:
                continue
            end = start + 1
            if self._has_trials or (end < last and first.next and _may_go_on(first, tokens[end])):
                found.extend(self._follow(first, tokens, start, user_id))
                continue
            for category, meaning, language in first.alone:
                found.append(_make_cue(Cue, (category, meaning, language, start, end)))
        return found

    def _follow(self, first: _Front, tokens: Sequence[Token], start: int, user_id: UUID | None) -> list[Cue]:
        """The longest phrase of each category that begins at a place and goes on behind it."""
        sides: dict[str, int] = {}
        longest: dict[str, tuple[Phrase, int]] = {}
        front: _Front | None = first
        end, last = start + 1, len(tokens)
        while front is not None:
            for phrase in front.accepts:
                if self._has_trials and not _is_reached(phrase, user_id, sides):
                    continue
                if phrase.category not in longest or longest[phrase.category][1] < end:
                    longest[phrase.category] = (phrase, end)
            if end == last or not _may_go_on(front, tokens[end]):
                break
            front = front.follow.get(tokens[end][0]) or self._step(front, tokens[end])
            end += 1
        return [
            _make_cue(Cue, (phrase.category, phrase.meaning, phrase.language, start, stop))
            for phrase, stop in longest.values()
        ]

    def _open(self, token: Token) -> _Front | None:
        if len(self._opened) >= MAX_CACHED_WORDS:
            make_room(self._opened)
        found = self._opened[token[0]] = self._step(self._first, token)
        return found

    def _step(self, front: _Front, token: Token) -> _Front | None:
        """Where a word leads in any of its forms; noted for the next time where it leads somewhere."""
        text, forms = token[0], token[5]
        if len(forms) == 1:
            reached = front.next.get(text)
        else:
            reached = _NOTHING.union(*(front.next.get(form, ()) for form in forms))
        if not reached:
            return None
        known = self._fronts.get(reached)
        if len(front.follow) >= MAX_CACHED_WORDS:
            make_room(front.follow)
        front.follow[text] = found = known if known is not None else self._join_states(reached)
        return found

    def _join_states(self, numbers: frozenset[int]) -> _Front:
        """States taken together, made when a text first leads there."""
        following: dict[str, set[int]] = {}
        accepts: list[Phrase] = []
        for number in numbers:
            accepts.extend(self._states[number].accepts)
            for word, targets in self._states[number].next.items():
                following.setdefault(word, set()).update(targets)
        named: dict[str, tuple[str, str, str]] = {}
        for phrase in accepts:
            named.setdefault(phrase.category, (phrase.category, phrase.meaning, phrase.language))
        alone = list(named.values())
        front = _Front({word: frozenset(targets) for word, targets in following.items()}, accepts, alone)
        self._fronts[numbers] = front
        return front


def _may_go_on(front: _Front, token: Token) -> bool:
    """Whether a word may lead on from here: most do not, and are not looked for in their other forms."""
    return token[0] in front.next or (len(token[5]) > 1 and bool(front.next))


def _is_reached(phrase: Phrase, user_id: UUID | None, sides: dict[str, int]) -> bool:
    if phrase.is_for_all:
        return True
    name = f"{PHRASES}{phrase.category}/{phrase.meaning}/{phrase.language}"
    if name not in sides:
        sides[name] = NOBODY_SPECIAL if user_id is None else get_bucket(slug=name, user_id=user_id)
    return phrase.held_back_percent <= sides[name] < phrase.rollout_percent


def split_slots(text: str) -> list[list[tuple[str, ...]]]:
    """The alternatives of each part of a phrase as normalised words: fixed words are a slot with one alternative."""
    slots: list[list[tuple[str, ...]]] = []
    place = 0
    for group in _GROUP.finditer(text):
        slots.extend([words] for words in [split_words(text[place : group.start()])] if words)
        slots.append([split_words(option) for option in group[1].split("|")])
        place = group.end()
    slots.extend([words] for words in [split_words(text[place:])] if words)
    return slots
