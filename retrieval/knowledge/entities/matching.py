"""Which entities a text names: candidates are compared word by word, the longest name of a place wins. Pure.

Exact, folded, stem and morph link when they hit one entity. What crosses scripts, abbreviates or says a part of a name
never links (D-41).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from patterns.text.caches import empty_with_stores
from patterns.text.stems import stem_english, stem_russian
from retrieval.knowledge.entities.forms import list_forms
from retrieval.knowledge.entities.patterns import find_skeletons, is_name, list_word_keys, parse_alias
from retrieval.knowledge.entities.types import AliasEntry, Hit, Match
from retrieval.knowledge.entities.words import Word, fold_word, is_gap_of, list_words

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


def list_text_keys(text: str, *, is_query: bool) -> set[int]:
    """Every key by which an alias may be found in a text."""
    return {key for word in list_words(text) for key in _list_keys(word, is_query)}


def match_text(text: str, candidates: Candidates, *, is_query: bool) -> list[Hit]:
    """The entities that a text names, by place, at most five a place, best first.

    `candidates` holds aliases by key for all of `list_text_keys`. A question also finds parts of names.
    """
    words = list_words(text)
    found: list[_Found] = []
    for place, word in enumerate(words):
        entries = {entry for key in _list_keys(word, is_query) for entry in candidates.get(key, ())}
        for entry in entries:
            found.extend(_compare(text, words, place, entry, is_query))
    hits = [_rank_span(text, words, span) for span in _choose_spans(found)]
    return [hit for span in hits for hit in span]


def _list_keys(word: Word, is_query: bool) -> tuple[int, ...]:
    return list_word_keys(word.folded, is_capitalised=is_name(word), is_upper=word.surface.isupper(), is_query=is_query)


def _compare(text: str, words: list[Word], place: int, entry: AliasEntry, is_query: bool) -> Iterable[_Found]:
    """The match of an alias whose anchor, initials or first word may stand at a place."""
    pattern = parse_alias(entry.text)
    first, count = place - pattern.anchor, len(pattern.words)
    if first >= 0 and first + count <= len(words) and _stand_together(text, words, first, pattern.gaps):
        pairs = list(zip(words[first : first + count], pattern.words, strict=True))
        match = _compare_pairs(pairs)
        if match is not None:
            yield _Found(first, first + count - 1, match, match.can_link and not _is_doubtful(pairs), entry)
            return
    if count > 1 and words[place].surface.isupper() and words[place].folded == _join_initials(pattern.words):
        yield _Found(place, place, Match.ACRONYM, False, entry)
    elif is_query and count > 1 and _compare_words(words[place], pattern.words[0]) is not None:
        yield _Found(place, place, Match.FUZZY, False, entry)


def _compare_pairs(pairs: list[tuple[Word, Word]]) -> Match | None:
    """The farthest match of any of the words, None when one of them is another word."""
    farthest = Match.EXACT
    for said, own in pairs:
        match = _compare_words(said, own)
        if match is None:
            return None
        farthest = max(farthest, match)
    return farthest


def _stand_together(text: str, words: list[Word], first: int, gaps: tuple[str, ...]) -> bool:
    return all(
        is_gap_of(text[words[first + step].end : words[first + step + 1].start], gap) for step, gap in enumerate(gaps)
    )


def _compare_words(said: Word, own: Word) -> Match | None:
    return Match.EXACT if said.surface == own.surface else _compare_forms(said.surface, own.surface)


@lru_cache(maxsize=200_000)
def _compare_forms(said: str, own: str) -> Match | None:
    said, name = fold_word(said), fold_word(own)
    if said == name:
        return Match.FOLDED
    if said in list_forms(name, is_capitalised=not own.islower()):
        return Match.STEM if _stem(said) == _stem(name) else Match.MORPH
    return Match.SKELETON if find_skeletons(said) & find_skeletons(name) else None


def _stem(word: str) -> str:
    return stem_english(word) if word.isascii() else stem_russian(word)


def _is_doubtful(pairs: list[tuple[Word, Word]]) -> bool:
    """A name of one or two letters in another case: "go" is hardly the language Go."""
    if len(pairs) > 1:
        return False
    said, own = pairs[0]
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
        if place & taken or _is_vague(group):
            continue
        taken |= place
        chosen.append(group)
    return sorted(chosen, key=lambda group: group[0].first)


def _order_span(span: tuple[int, int], group: list[_Found]) -> tuple[bool, int, int, int]:
    best = min(each.match for each in group)
    return best >= Match.ACRONYM, span[0] - span[1], int(best), span[0]


def _is_vague(group: list[_Found]) -> bool:
    is_partial = all(each.match is Match.FUZZY for each in group)
    return is_partial and len({each.entry.entity_id for each in group}) > MAX_PARTIAL


def _rank_span(text: str, words: list[Word], group: list[_Found]) -> list[Hit]:
    start, end = words[group[0].first].start, words[group[0].last].end
    folded = [word.folded for word in words[group[0].first : group[0].last + 1]]
    refused = {
        each.entry.entity_id
        for each in group
        if each.entry.status == _REFUSED and [word.folded for word in parse_alias(each.entry.text).words] == folded
    }
    best: dict[int, _Found] = {}
    for each in sorted(group, key=_order_found):
        if each.entry.entity_id not in refused and each.entry.status != _REFUSED:
            best.setdefault(each.entry.entity_id, each)
    linked = _find_linked(best)
    return [
        Hit(
            *each.entry[1:2], each.entry.type, each.entry.key, each.entry.name, start, end, each.match, entity == linked
        )
        for entity, each in list(best.items())[:MAX_OF_A_SPAN]
    ]


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
empty_with_stores(_compare_forms.cache_clear)
