"""A question as a plan sees it: its words, the entities that it names, the intents that its words ask for. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from retrieval.knowledge.entities.types import Match as NameMatch
from retrieval.knowledge.planning.matching import CompiledPlan, Match, ShapeMatch, find_phrases, find_shape
from retrieval.knowledge.planning.wording import (
    Word,
    find_script,
    has_phrase,
    read_phrases,
    read_words,
    split_question,
    stem_phrase,
)


class Hit(Protocol):
    """An entity that a stretch of text may name, as the resolver answers it."""

    @property
    def entity_id(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def match(self) -> NameMatch: ...
    @property
    def is_strict(self) -> bool: ...


def is_as_written(hit: Hit) -> bool:
    """Whether the text has a name letter for letter, but for case and accents."""
    return hit.match in (NameMatch.EXACT, NameMatch.FOLDED)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the question and the entities that it may name, best first."""

    start: int
    end: int
    hits: tuple[Hit, ...]

    @property
    def is_strict(self) -> bool:
        """Whether it surely names the first of them."""
        return self.hits[0].is_strict


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that deciding needs of a question. `owners` are entities that say nothing: the only one of its type
    that intents start at, as the person of a portfolio is."""

    text: str
    language: str
    words: tuple[Word, ...]
    spans: tuple[Span, ...]
    owners: tuple[Span, ...]
    shape: ShapeMatch | None
    matches: tuple[Match, ...]
    masked: frozenset[int]
    type_stems: frozenset[str]

    @property
    def is_excluding(self) -> bool:
        """Whether it asks for what does not have something: no list is an answer to that. Names do not ask."""
        spans = [span for span in (*self.spans, *self.owners) if span.is_strict or is_as_written(span.hits[0])]
        named = _list_places(self.words, spans)
        words = [replace(word, low="") if place in named else word for place, word in enumerate(self.words)]
        return has_phrase(words, read_phrases("excluding"))

    def list_residue(self, names: Sequence[str] = ()) -> list[int]:
        """Places of the words that neither an entity nor an intent explains. Words of `names` are explained too."""
        used = {place for match in self.matches for place in match.places}
        known = read_words("function") | self.type_stems | {stem for name in names for stem in stem_phrase(name)}
        return [
            place
            for place, word in enumerate(self.words)
            if place not in self.masked and place not in used and word.stem not in known
        ]

    def list_names(self, names: Sequence[str] = ()) -> list[int]:
        """Places of unexplained words that look like a name or a number: the question is about something unknown."""
        scripts = [find_script(word.text) for word in self.words]
        usual = max(set(scripts), key=scripts.count) if scripts else ""
        is_shouted = sum(word.text[0].isupper() for word in self.words) * 2 > len(self.words)
        return [
            place
            for place in self.list_residue(names)
            if self.words[place].text.isdigit()
            or scripts[place] != usual
            or (self.words[place].looks_like_name and place > 0 and not is_shouted)
        ]


def read_question(
    text: str,
    *,
    hits: Sequence[Hit],
    plan: CompiledPlan,
    language: str = "",
    owner_ids: frozenset[int] = frozenset(),
    type_stems: frozenset[str] = frozenset(),
) -> Reading:
    """A question read against a plan, with what the resolver found in it."""
    words = split_question(text)
    spans = _group_spans(hits)
    owners = tuple(span for span in spans if span.is_strict and span.hits[0].entity_id in owner_ids)
    others = [span for span in spans if span not in owners]
    masked = _list_places(words, [span for span in spans if span.is_strict or _is_ambiguous(span)])
    matches = find_phrases(plan, words, masked=masked, language=language)
    used = {place for match in matches for place in match.places}
    kept = tuple(span for span in others if span.is_strict or not used & _list_places(words, [span]))
    return Reading(
        text=text,
        language=language,
        words=words,
        spans=kept,
        owners=owners,
        shape=find_shape(plan, words),
        matches=tuple(matches),
        masked=_list_places(words, [*kept, *owners]),
        type_stems=type_stems,
    )


def make_type_stems(type_words: Mapping[str, Sequence[str]], types: Sequence[str]) -> frozenset[str]:
    """Stems of the words for a corpus's types: those that ship, and the names of the types themselves."""
    phrases = [*types, *(word for name in types for word in type_words.get(name, ()))]
    return frozenset(stem for phrase in phrases for stem in stem_phrase(phrase))


def _is_ambiguous(span: Span) -> bool:
    """Whether it is written as a name is and is the name of several."""
    return len(span.hits) > 1 and is_as_written(span.hits[0])


def _group_spans(hits: Sequence[Hit]) -> list[Span]:
    groups: dict[tuple[int, int], list[Hit]] = {}
    for hit in hits:
        groups.setdefault((hit.start, hit.end), []).append(hit)
    return [Span(start, end, tuple(group)) for (start, end), group in sorted(groups.items())]


def _list_places(words: Sequence[Word], spans: Sequence[Span]) -> frozenset[int]:
    return frozenset(
        place for place, word in enumerate(words) for span in spans if word.start < span.end and span.start < word.end
    )


def take_entity(reading: Reading, hit: Hit) -> Reading:
    """The reading as if the question named an entity; it takes no words of it."""
    return replace(reading, spans=(Span(0, 0, (hit,)),))


def take_intent(reading: Reading, plan: CompiledPlan, name: str) -> Reading:
    """The reading as if the question asked for an intent by name."""
    matches = [
        Match(intent, number, 1, frozenset()) for number, intent in enumerate(plan.intents) if intent.name == name
    ]
    return replace(reading, matches=tuple(matches), shape=None)
