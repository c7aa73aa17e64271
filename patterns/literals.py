"""Literals that a match cannot do without: the gate in front of the expressions looks for these (ENGINE part A)."""

from __future__ import annotations

import re
import re._constants as codes
import re._parser as parser
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import Any

from patterns.normaliser import normalise

MAX_LITERALS = 4000
MAX_RUN = 200  # spellings of one run of nodes; beyond it a new run begins
MAX_CLASS = 10  # character classes up to this size are spelled out
MIN_LENGTH = 2
_FIRST, _LAST = "\x02", "\x03"  # stand in a literal where a word begins or ends with it in every match
_NAMED_CLASS = re.compile(r"\\[pP](?:[A-Z]|\{\^?\w+\})")  # what the parser does not know
_BOUNDS = f" {_FIRST}{_LAST}"


@lru_cache(maxsize=10_000)
def list_required_literals(pattern: str) -> tuple[str, ...]:
    """Strings of which every match contains at least one; empty when no such set of useful strings exists.

    The result is in normalised spelling, sorted; empty too for a pattern that cannot be parsed, which the lint refuses.
    """
    return tuple(sorted({_clean(literal) for literal in _list_best(pattern)} - {""}))


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


@lru_cache(maxsize=10_000)
def _list_best(pattern: str) -> frozenset[str]:
    try:
        return _require(parse_pattern(pattern), True, True) or frozenset()
    except (re.error, RecursionError):
        return frozenset()


def parse_pattern(pattern: str) -> Any:
    """The pattern as a tree of nodes. Raises re.error, whatever is wrong with it."""
    try:
        return parser.parse(_NAMED_CLASS.sub(r"\\w", pattern))
    except (OverflowError, RecursionError, ValueError) as error:
        raise re.error(str(error)) from None


def _clean(literal: str) -> str:
    return normalise(literal.strip(_BOUNDS)).text


def _require(nodes: Any, opens: bool, closes: bool) -> frozenset[str] | None:
    """The best set for a sequence: the one whose shortest member is longest, among its runs and its parts.

    `opens`, `closes`: whether the sequence begins where a word does, and ends where one does.
    """
    begins = _list_begins(nodes, opens)
    ends = _list_ends(nodes, closes)
    candidates: list[frozenset[str]] = []
    runs: list[str] = [_FIRST if opens else ""]
    for place, (code, argument) in enumerate(nodes):
        spelled = _spell(code, argument)
        if spelled is not None and len(runs) * len(spelled) <= MAX_RUN:
            runs = [a + b for a, b in product(runs, spelled)]
            continue
        candidates.append(_close(runs, ends[place]))
        runs = [_FIRST if begins[place + 1] else ""]
        if spelled is not None and len(spelled) <= MAX_LITERALS:
            runs = [_FIRST + text for text in spelled] if begins[place] else list(spelled)
            continue
        inner = _require_part(code, argument, begins[place], ends[place + 1])
        if inner:
            candidates.append(inner)
    candidates.append(_close(runs, closes))
    useful = [c for c in candidates if c and _weight(c) >= MIN_LENGTH and len(c) <= MAX_LITERALS]
    return max(useful, key=lambda c: (min(_weight(c), 4), -len(c))) if useful else None


def _close(runs: list[str], closes: bool) -> frozenset[str]:
    return frozenset(text + _LAST for text in runs) if closes else frozenset(runs)


def _list_begins(nodes: Any, opens: bool) -> list[bool]:
    """Whether a word can only begin before each node, and behind the last."""
    begins = [opens]
    for code, argument in nodes:
        begins.append(_is_apart(code, argument, begins[-1], is_reversed=False))
    return begins


def _list_ends(nodes: Any, closes: bool) -> list[bool]:
    """Whether a word can only end before each node, and behind the last."""
    ends = [closes]
    for code, argument in reversed(list(nodes)):
        ends.append(_is_apart(code, argument, ends[-1], is_reversed=True))
    return ends[::-1]


def _is_apart(code: Any, argument: Any, was_apart: bool, *, is_reversed: bool) -> bool:
    """Whether words are apart on the far side of a node, whatever it matches: it has a space there, or is nothing."""
    if code is codes.LITERAL:
        return argument == ord(" ")
    if code is codes.AT:
        return was_apart
    list_bounds_of = _list_ends if is_reversed else _list_begins
    far = 0 if is_reversed else -1
    if code is codes.SUBPATTERN:
        return list_bounds_of(argument[3], was_apart)[far]
    if code is codes.BRANCH:
        return all(list_bounds_of(branch, was_apart)[far] for branch in argument[1])
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        return (was_apart or argument[0] > 0) and list_bounds_of(argument[2], False)[far]
    return False


def _weight(candidate: frozenset[str]) -> int:
    return min(len(literal.strip(_BOUNDS)) for literal in candidate)


def _require_part(code: Any, argument: Any, opens: bool, closes: bool) -> frozenset[str] | None:
    if code is codes.SUBPATTERN:
        return _require(argument[3], opens, closes)
    if code is codes.BRANCH:
        branches = [_require(branch, opens, closes) for branch in argument[1]]
        if any(branch is None for branch in branches):
            return None
        return frozenset().union(*(b for b in branches if b))
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and argument[0] > 0:
        return _require(argument[2], opens and argument[1] == 1, closes and argument[1] == 1)
    return None


def _spell(code: Any, argument: Any) -> list[str] | None:
    """All texts that a small node can match, None when they are too many."""
    if code is codes.LITERAL:
        return [chr(argument)]
    if code is codes.AT:
        return [""]
    if code is codes.IN:
        return _spell_class(argument)
    if code is codes.SUBPATTERN:
        return _spell_sequence(argument[3])
    if code is codes.BRANCH:
        parts = [_spell_sequence(branch) for branch in argument[1]]
        if any(part is None for part in parts):
            return None
        spelled = [text for part in parts if part for text in part]
        return spelled if len(spelled) <= 64 else None
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and argument[1] == 1:
        inner = _spell_sequence(argument[2])
        return None if inner is None else (inner if argument[0] else ["", *inner])
    return None


def _spell_sequence(nodes: Any) -> list[str] | None:
    texts = [""]
    for code, argument in nodes:
        spelled = _spell(code, argument)
        if spelled is None or len(texts) * len(spelled) > 64:
            return None
        texts = [a + b for a, b in product(texts, spelled)]
    return texts


def _spell_class(items: Any) -> list[str] | None:
    letters: list[str] = []
    for code, argument in items:
        if code is codes.LITERAL:
            letters.append(chr(argument))
        elif code is codes.RANGE and argument[1] - argument[0] < MAX_CLASS:
            letters.extend(chr(c) for c in range(argument[0], argument[1] + 1))
        else:
            return None
    return letters if len(letters) <= MAX_CLASS else None
