"""Which entities a text names: candidates are compared word by word, the longest name of a place wins. Pure.

Exact, folded, stem and morph link when they hit one entity. What crosses scripts, abbreviates or says a part of a name
never links (D-41).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from patterns.text.caches import empty_with_stores
from patterns.text.stems import stem_english, stem_russian
from retrieval.knowledge.entities.forms import list_forms
from retrieval.knowledge.entities.patterns import (
    Pattern,
    find_skeletons,
    list_word_keys,
    may_cross_scripts,
    parse_alias,
)
from retrieval.knowledge.entities.types import AliasEntry, Hit, Match
from retrieval.knowledge.entities.words import TextWords, Word, fold_word, is_gap_of

MAX_OF_A_SPAN: Final = 5
MAX_PARTIAL: Final = 5  # a first word that more entities share says nothing
SHORT_LETTERS: Final = 2
_REFUSED: Final = "refused"

Candidates = Mapping[int, Sequence[AliasEntry]]


class _Found(NamedTuple):
    first: int
    last: int
    match: Match
    is_sure: bool
    entry: AliasEntry


class _Candidate(NamedTuple):
    """An alias that a word may name, as far as the word alone tells."""

    entry: AliasEntry
    pattern: Pattern
    match: Match | None
    """Of the word and the anchor of the alias."""
    part: Match | None
    """What the word alone says of a longer alias: its initials, or its first word."""


def list_keys(surfaces: Collection[str], *, is_query: bool) -> set[int]:
    """Every key by which an alias may be found in texts with these words."""
    return {key for surface in surfaces for key in _list_keys(surface, is_query)}


def match_texts(texts: Iterable[tuple[str, TextWords]], candidates: Candidates, *, is_query: bool) -> list[list[Hit]]:
    """The entities that each text, given with its words, names: by place, at most five a place, best first.

    `candidates` holds aliases by key for all of `list_keys`. A question also finds parts of names.
    """
    known: dict[str, list[_Candidate]] = {}
    return [_match_text(text, words, candidates, known, is_query) for text, words in texts]


def _match_text(
    text: str, words: TextWords, candidates: Candidates, known: dict[str, list[_Candidate]], is_query: bool
) -> list[Hit]:
    found: list[_Found] = []
    for place, surface in enumerate(words.surfaces):
        named = known.get(surface)
        if named is None:
            named = known[surface] = _find_candidates(surface, candidates, is_query)
        for candidate in named:
            each = _compare(text, words, place, candidate, is_query)
            if each is not None:
                found.append(each)
    return [hit for span in _choose_spans(found) for hit in _rank_span(words, span)]


@lru_cache(maxsize=200_000)
def _list_keys(surface: str, is_query: bool) -> tuple[int, ...]:
    folded = fold_word(surface)
    return list_word_keys(
        folded, is_capitalised=not surface[:1].islower(), is_upper=surface.isupper(), is_query=is_query
    )


def _find_candidates(surface: str, candidates: Candidates, is_query: bool) -> list[_Candidate]:
    """The aliases that a word may name, wherever it stands. A first word that many entities share says nothing."""
    entries = {entry for key in _list_keys(surface, is_query) for entry in candidates.get(key, ())}
    compared = [_compare_alone(surface, entry, is_query) for entry in entries]
    partial = {each.entry.entity_id for each in compared if each.part is Match.FUZZY}
    if len(partial) > MAX_PARTIAL:
        compared = [each._replace(part=None) if each.part is Match.FUZZY else each for each in compared]
    return [each for each in compared if each.match is not None or each.part is not None]


def _compare_alone(surface: str, entry: AliasEntry, is_query: bool) -> _Candidate:
    pattern = parse_alias(entry.text)
    match = _compare_words(surface, pattern.words[pattern.anchor].surface, is_query)
    part: Match | None = None
    if len(pattern.words) > 1:
        if surface.isupper() and fold_word(surface) == _join_initials(pattern.words):
            part = Match.ACRONYM
        elif is_query and _compare_words(surface, pattern.words[0].surface, is_query) is not None:
            part = Match.FUZZY
    return _Candidate(entry, pattern, match, part)


def _compare(text: str, words: TextWords, place: int, candidate: _Candidate, is_query: bool) -> _Found | None:
    """The match of an alias whose anchor, initials or first word stand at a place."""
    entry, pattern, match, part = candidate
    if len(pattern.words) == 1 and match is not None:
        is_sure = match.can_link and not _is_doubtful(words[place], pattern.words[0])
        return _Found(place, place, match, is_sure, entry)
    if match is not None:
        first = place - pattern.anchor
        last = first + len(pattern.words) - 1
        if first >= 0 and last < len(words):
            whole = _compare_others(words.surfaces, first, pattern, match, is_query)
            if whole is not None and _stand_together(text, words, first, pattern.gaps):
                return _Found(first, last, whole, whole.can_link, entry)
    return _Found(place, place, part, False, entry) if part is not None else None


def _compare_others(said: list[str], first: int, pattern: Pattern, match: Match, is_query: bool) -> Match | None:
    """The farthest match of any word of an alias, its anchor's included; None when one of them is another word."""
    farthest = match
    for step, own in enumerate(pattern.words):
        if step == pattern.anchor:
            continue
        other = _compare_words(said[first + step], own.surface, is_query)
        if other is None:
            return None
        if other > farthest:
            farthest = other
    return farthest


def _stand_together(text: str, words: TextWords, first: int, gaps: tuple[str, ...]) -> bool:
    return all(
        is_gap_of(text[words[first + step].end : words[first + step + 1].start], gap) for step, gap in enumerate(gaps)
    )


@lru_cache(maxsize=400_000)
def _compare_words(said: str, own: str, is_query: bool) -> Match | None:
    """In a document, as the index has it, only what may be a name is read as one of another script."""
    if said == own:
        return Match.EXACT
    folded, name = fold_word(said), fold_word(own)
    if folded == name:
        return Match.FOLDED
    if folded in list_forms(name, is_capitalised=not own.islower()):
        return Match.STEM if _stem(folded) == _stem(name) else Match.MORPH
    if not is_query and not may_cross_scripts(said, folded):
        return None
    return None if find_skeletons(folded).isdisjoint(find_skeletons(name)) else Match.SKELETON


def _stem(word: str) -> str:
    return stem_english(word) if word.isascii() else stem_russian(word)


def _is_doubtful(said: Word, own: Word) -> bool:
    """A name of one or two letters in another case: "go" is hardly the language Go."""
    return len(own.folded) <= SHORT_LETTERS and own.folded.isalpha() and said.surface != own.surface


def _join_initials(words: tuple[Word, ...]) -> str:
    return "".join(word.folded[0] for word in words)


def _choose_spans(found: list[_Found]) -> list[list[_Found]]:
    """Places that do not overlap: whole names before parts of names, longer ones first."""
    spans: dict[tuple[int, int], list[_Found]] = defaultdict(list)
    for each in found:
        spans[each.first, each.last].append(each)
    taken: set[int] = set()
    chosen = []
    for (first, last), group in sorted(spans.items(), key=lambda span: _order_span(*span)):
        place = set(range(first, last + 1))
        if place & taken:
            continue
        taken |= place
        chosen.append(group)
    return sorted(chosen, key=lambda group: group[0].first)


def _order_span(span: tuple[int, int], group: list[_Found]) -> tuple[bool, int, int, int]:
    best = min(each.match for each in group)
    return best >= Match.ACRONYM, span[0] - span[1], int(best), span[0]


def _rank_span(words: TextWords, group: list[_Found]) -> list[Hit]:
    start, end = words[group[0].first].start, words[group[0].last].end
    refused = _list_refused(words, group)
    best: dict[int, _Found] = {}
    for each in sorted(group, key=_order_found) if len(group) > 1 else group:
        if each.entry.entity_id not in refused and each.entry.status != _REFUSED:
            best.setdefault(each.entry.entity_id, each)
    linked = _find_linked(best)
    return [
        Hit(entity, each.entry.type, each.entry.key, each.entry.name, start, end, each.match, entity == linked)
        for entity, each in list(best.items())[:MAX_OF_A_SPAN]
    ]


def _list_refused(words: TextWords, group: list[_Found]) -> set[int]:
    """Entities of which a person said that this is no name of theirs, as it is written here."""
    folded: list[str] = []
    refused = set()
    for each in group:
        if each.entry.status == _REFUSED:
            folded = folded or [words[place].folded for place in range(group[0].first, group[0].last + 1)]
            if [word.folded for word in parse_alias(each.entry.text).words] == folded:
                refused.add(each.entry.entity_id)
    return refused


def _order_found(found: _Found) -> tuple[bool, bool, int, str, str, int]:
    entry = found.entry
    return not found.is_sure, entry.status != "confirmed", int(found.match), entry.type, entry.key, entry.alias_id


def _find_linked(best: dict[int, _Found]) -> int | None:
    """The one entity that a place means for sure: of several only one whose name a person confirmed."""
    sure = [entity for entity, each in best.items() if each.is_sure]
    confirmed = [entity for entity in sure if best[entity].entry.status == "confirmed"]
    for group in (confirmed, sure):
        if len(group) == 1:
            return group[0]
        if group:
            return None
    return None


# Words of questions are a user's: an erasure empties what is kept of them.
empty_with_stores(_list_keys.cache_clear)
empty_with_stores(_compare_words.cache_clear)
