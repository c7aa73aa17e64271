"""Literals that a match cannot do without: the gate in front of the expressions looks for these (ENGINE part A)."""

from __future__ import annotations

import re
import re._constants as codes
import re._parser as parser
from functools import lru_cache
from itertools import product
from typing import Any

from patterns.normaliser import normalise

MAX_LITERALS = 4000
MAX_RUN = 200  # spellings of one run of nodes; beyond it a new run begins
MAX_CLASS = 10  # character classes up to this size are spelled out
MIN_LENGTH = 2


@lru_cache(maxsize=10_000)
def list_required_literals(pattern: str) -> tuple[str, ...]:
    """Strings of which every match contains at least one; empty when no such set of useful strings exists.

    The result is in normalised spelling, sorted. Raises re.error for a pattern that cannot be parsed.
    """
    best = _require(parser.parse(re.sub(r"\\p[A-Z]", r"\\w", pattern)))
    if best is None:
        return ()
    return tuple(sorted({_clean(literal) for literal in best} - {""}))


def _clean(literal: str) -> str:
    return normalise(literal.strip()).text


def _require(nodes: Any) -> frozenset[str] | None:
    """The best set for a sequence: the one whose shortest member is longest, among its runs and its parts."""
    candidates: list[frozenset[str]] = []
    runs: list[str] = [""]
    for code, argument in nodes:
        spelled = _spell(code, argument)
        if spelled is not None and len(runs) * len(spelled) <= MAX_RUN:
            runs = [a + b for a, b in product(runs, spelled)]
            continue
        candidates.append(frozenset(runs))
        runs = [""]
        if spelled is not None and len(spelled) <= MAX_LITERALS:
            runs = list(spelled)
            continue
        inner = _require_part(code, argument)
        if inner:
            candidates.append(inner)
    candidates.append(frozenset(runs))
    useful = [c for c in candidates if c and _weight(c) >= MIN_LENGTH and len(c) <= MAX_LITERALS]
    return max(useful, key=lambda c: (min(_weight(c), 4), -len(c))) if useful else None


def _weight(candidate: frozenset[str]) -> int:
    return min(len(literal.strip()) for literal in candidate)


def _require_part(code: Any, argument: Any) -> frozenset[str] | None:
    if code is codes.SUBPATTERN:
        return _require(argument[3])
    if code is codes.BRANCH:
        branches = [_require(branch) for branch in argument[1]]
        if any(branch is None for branch in branches):
            return None
        return frozenset().union(*(b for b in branches if b))
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and argument[0] > 0:
        return _require(argument[2])
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
