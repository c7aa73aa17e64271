"""Which intents the words of a question ask for. Pure.

A trigger with a place for a name, `what films did {name} act in`, is a shape: the whole question must fit it. One
without is a phrase: its words stand in the question in this order, with a few others between them. Words match by
stem; `=` before a word of a phrase asks for this very form.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from retrieval.knowledge.planning.intents import Intent
from retrieval.knowledge.planning.wording import Word, fold_word

MAX_GAP: Final = 3  # words between two words of a phrase: more, and they seldom belong together
EXACT: Final = "="
_PLACE: Final = re.compile(r"\{[^{}]*\}|<[^<>]*>|\[[^\[\]]*\]")
_PIECE: Final = re.compile(r"(=?)([^\W_]+)")

Shape = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Phrase:
    words: tuple[tuple[str, bool], ...]
    """The words of the phrase: a stem, or the word as written and True."""
    intent: int


@dataclass(frozen=True, slots=True)
class Match:
    """An intent whose trigger fits: how many words say so, and which words of the question they are."""

    intent: Intent
    order: int
    strength: int
    places: frozenset[int]


@dataclass(frozen=True, slots=True)
class ShapeMatch:
    """Intents whose shape is the question, and where the name stands in it (code points)."""

    intents: tuple[Intent, ...]
    start: int
    end: int


@dataclass(slots=True)
class CompiledPlan:
    """The triggers of a plan, ready to be looked up."""

    intents: tuple[Intent, ...]
    shapes: dict[Shape, list[int]] = field(default_factory=dict)
    phrases: dict[str, list[_Phrase]] = field(default_factory=lambda: defaultdict(list))
    vetoes: dict[int, list[_Phrase]] = field(default_factory=lambda: defaultdict(list))


def compile_plan(intents: Sequence[Intent]) -> CompiledPlan:
    """The intents with look-up tables of their triggers."""
    plan = CompiledPlan(tuple(intents))
    for number, intent in enumerate(intents):
        for trigger in intent.triggers:
            place = _PLACE.search(trigger)
            if place:
                shape = make_shape(trigger[: place.start()], trigger[place.end() :])
                plan.shapes.setdefault(shape, []).append(number)
            elif phrase := _read_phrase(trigger, number):
                plan.phrases[phrase.words[0][0]].append(phrase)
        plan.vetoes[number] = [phrase for one in intent.unless if (phrase := _read_phrase(one, number))]
    return plan


def make_shape(before: str, after: str) -> Shape:
    """The words around a name, in small letters."""
    return _list_low(before), _list_low(after)


def find_shape(plan: CompiledPlan, words: Sequence[Word]) -> ShapeMatch | None:
    """The shape that the whole question fits with the fewest words left for the name."""
    if not plan.shapes:
        return None
    low = tuple(word.low for word in words)
    count = len(low)
    for length in range(1, count + 1):
        for start in range(count - length + 1):
            numbers = plan.shapes.get((low[:start], low[start + length :]))
            if numbers:
                intents = tuple(plan.intents[number] for number in numbers)
                return ShapeMatch(intents, words[start].start, words[start + length - 1].end)
    return None


def find_phrases(
    plan: CompiledPlan, words: Sequence[Word], *, masked: frozenset[int], language: str = ""
) -> list[Match]:
    """The intents that a phrase among the words asks for; words at `masked` places belong to names."""
    found: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for place, word in enumerate(words):
        if place in masked:
            continue
        for phrase in _list_beginning_with(plan, word):
            if places := _follow(phrase, words, place, masked):
                found[phrase.intent].append(places)
    return [
        Match(plan.intents[number], number, max(map(len, hits)), frozenset().union(*hits))
        for number, hits in sorted(found.items())
        if _speaks(plan.intents[number], language) and not _is_vetoed(plan, number, words)
    ]


def _speaks(intent: Intent, language: str) -> bool:
    return not intent.languages or not language or language in intent.languages


def _is_vetoed(plan: CompiledPlan, number: int, words: Sequence[Word]) -> bool:
    return any(
        _follow(phrase, words, place, frozenset()) for phrase in plan.vetoes[number] for place in range(len(words))
    )


def _list_beginning_with(plan: CompiledPlan, word: Word) -> Iterable[_Phrase]:
    yield from plan.phrases.get(word.stem, ())
    if word.low != word.stem:
        yield from plan.phrases.get(word.low, ())


def _follow(phrase: _Phrase, words: Sequence[Word], at: int, masked: frozenset[int]) -> tuple[int, ...]:
    """The places of the phrase's words when its first stands at a place; empty when it does not."""
    places: list[int] = []
    for wanted, is_exact in phrase.words:
        ahead = range(at, min(len(words), at + (MAX_GAP + 1 if places else 1)))
        place = next((one for one in ahead if one not in masked and _fits(words[one], wanted, is_exact)), None)
        if place is None:
            return ()
        places.append(place)
        at = place + 1
    return tuple(places)


def _fits(word: Word, wanted: str, is_exact: bool) -> bool:
    return (word.low if is_exact else word.stem) == wanted


def _read_phrase(trigger: str, number: int) -> _Phrase | None:
    words = tuple(_read_words(trigger))
    return _Phrase(words, number) if words else None


def _read_words(trigger: str) -> Iterator[tuple[str, bool]]:
    for mark, word in _PIECE.findall(trigger):
        low, stem = fold_word(word)
        yield (low, True) if mark == EXACT else (stem, False)


def _list_low(text: str) -> tuple[str, ...]:
    return tuple(fold_word(word)[0] for _, word in _PIECE.findall(text))
