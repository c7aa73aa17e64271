"""Literals that a match cannot do without: the gate in front of the expressions looks for these."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import product

from patterns.matching.pattern_tree import (
    Choice,
    Edge,
    Letter,
    Node,
    Repeat,
    Sequence,
    UnreadablePatternError,
    parse_pattern,
)
from patterns.text.normaliser import normalise

MAX_LITERALS = 4000
MAX_RUN = 200  # spellings of one run of nodes; beyond it a new run begins
MIN_LENGTH = 2
_FIRST, _LAST = "\x02", "\x03"  # stand in a literal where a word begins or ends with it in every match
MAX_SPELLINGS = 64  # of a part of a pattern, which is spelled out up to so many
_BOUNDS = f" {_FIRST}{_LAST}"


def list_required_literals(pattern: str) -> tuple[str, ...]:
    """Strings of which every match contains at least one; empty when no such set of useful strings exists.

    The result is in normalised spelling, sorted; empty too for a pattern that cannot be parsed, which the lint refuses.
    """
    return tuple(sorted(list_bounds(pattern).keys() - {""}))


@lru_cache(maxsize=10_000)
def list_bounds(pattern: str) -> Mapping[str, tuple[bool, bool]]:
    """For each required literal whether a word begins and whether one ends with it, wherever it stands for a match.

    Matches are of whole words, so that "la" which opens a pattern says nothing in "flat". Empty as above.
    """
    bounds: dict[str, tuple[bool, bool]] = {}
    for literal in _list_best(pattern):
        clean = _clean(literal)
        is_kept = clean == literal.strip(_BOUNDS)  # else its ends may be others than those that stand in a text
        opens, closes = is_kept and literal[0] in _BOUNDS, is_kept and literal[-1] in _BOUNDS
        before = bounds.get(clean, (True, True))
        bounds[clean] = before[0] and opens, before[1] and closes
    return bounds


def _list_best(pattern: str) -> frozenset[str]:
    try:
        return _require(parse_pattern(pattern), True, True) or frozenset()
    except (UnreadablePatternError, RecursionError):
        return frozenset()


def _clean(literal: str) -> str:
    return normalise(literal.strip(_BOUNDS)).text


def _require(nodes: Sequence, opens: bool, closes: bool) -> frozenset[str] | None:
    """The best set for a sequence: the one whose shortest member is longest, among its runs and its parts.

    `opens`, `closes`: whether the sequence begins where a word does, and ends where one does.
    """
    begins = _list_begins(nodes, opens)
    ends = _list_ends(nodes, closes)
    candidates: list[frozenset[str]] = []
    runs: list[str] = [_FIRST if opens else ""]
    for place, node in enumerate(nodes):
        spelled = _spell(node)
        if spelled is not None and len(runs) * len(spelled) <= MAX_RUN:
            runs = [a + b for a, b in product(runs, spelled)]
            continue
        candidates.append(_close(runs, ends[place]))
        runs = [_FIRST if begins[place + 1] else ""]
        if spelled is not None and len(spelled) <= MAX_LITERALS:
            runs = [_FIRST + text for text in spelled] if begins[place] else list(spelled)
            continue
        inner = _require_part(node, begins[place], ends[place + 1])
        if inner:
            candidates.append(inner)
    candidates.append(_close(runs, closes))
    useful = [c for c in candidates if c and _weight(c) >= MIN_LENGTH and len(c) <= MAX_LITERALS]
    return max(useful, key=lambda c: (min(_weight(c), 4), -len(c))) if useful else None


def _close(runs: list[str], closes: bool) -> frozenset[str]:
    return frozenset(text + _LAST for text in runs) if closes else frozenset(runs)


def _list_begins(nodes: Sequence, opens: bool) -> list[bool]:
    """Whether a word can only begin before each node, and behind the last."""
    begins = [opens]
    for node in nodes:
        begins.append(_is_apart(node, begins[-1], is_reversed=False))
    return begins


def _list_ends(nodes: Sequence, closes: bool) -> list[bool]:
    """Whether a word can only end before each node, and behind the last."""
    ends = [closes]
    for node in reversed(nodes):
        ends.append(_is_apart(node, ends[-1], is_reversed=True))
    return ends[::-1]


def _is_apart(node: Node, was_apart: bool, *, is_reversed: bool) -> bool:
    """Whether words are apart on the far side of a node, whatever it matches: it has a space there, or is nothing."""
    list_bounds_of = _list_ends if is_reversed else _list_begins
    far = 0 if is_reversed else -1
    match node:
        case Letter(spellings):
            return spellings == (" ",)
        case Edge():
            return was_apart
        case Choice(branches):
            return all(list_bounds_of(branch, was_apart)[far] for branch in branches)
        case Repeat(part, least):
            return (was_apart or least > 0) and list_bounds_of(part, False)[far]


def _weight(candidate: frozenset[str]) -> int:
    return min(len(literal.strip(_BOUNDS)) for literal in candidate)


def _require_part(node: Node, opens: bool, closes: bool) -> frozenset[str] | None:
    match node:
        case Choice(branches):
            required = [_require(branch, opens, closes) for branch in branches]
            if any(branch is None for branch in required):
                return None
            return frozenset().union(*(branch for branch in required if branch))
        case Repeat(part, least, most) if least > 0:
            return _require(part, opens and most == 1, closes and most == 1)
    return None


def _spell(node: Node) -> list[str] | None:
    """All texts that a small node can match, None when they are too many."""
    match node:
        case Letter(spellings):
            return list(spellings) or None
        case Edge():
            return [""]
        case Choice(branches):
            parts = [_spell_sequence(branch) for branch in branches]
            spelled = [text for part in parts if part for text in part]
            return spelled if all(parts) and len(spelled) <= MAX_SPELLINGS else None
        case Repeat(part, least, most) if most == 1:
            inner = _spell_sequence(part)
            return inner if inner is None or least else ["", *inner]
    return None


def _spell_sequence(nodes: Sequence) -> list[str] | None:
    texts = [""]
    for node in nodes:
        spelled = _spell(node)
        if spelled is None or len(texts) * len(spelled) > MAX_SPELLINGS:
            return None
        texts = [a + b for a, b in product(texts, spelled)]
    return texts
