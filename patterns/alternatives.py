"""A pattern laid out in lines, one alternative a line, and back: the same characters (SPEC I-2). Pure.

A long group is laid out too: its beginning ends a line, its alternatives follow, its end begins a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

LONG_GROUP: Final = 60
"""Characters of a group from which on each of its alternatives has a line of its own."""
_BEGINNING: Final = re.compile(r"\((?:\?:)?(?!\?)")
_LINE_BEGINS_GROUP: Final = re.compile(r"(?<!\\)(?:\\\\)*\((?:\?:)?$")


def split_alternatives(pattern: str) -> tuple[str, ...]:
    """The alternatives that stand outside of groups and classes. `"|".join` of them is the pattern, whatever it is."""
    bars, depth = [], 0
    for at, sign in _find_signs(pattern):
        depth = max(0, depth + (sign == "(") - (sign == ")"))
        bars += [at] if sign == "|" and depth == 0 else []
    return _cut(pattern, {bar: bar + 1 for bar in bars})


def lay_out(pattern: str) -> tuple[str, ...]:
    """The lines that people edit: alternatives, also those of long groups. `join_lines` makes the pattern of them."""
    outer = split_alternatives(pattern)
    lines = tuple(line for alternative in outer for line in _lay_out_groups(alternative))
    return lines if join_lines(lines) == pattern else outer


def join_lines(lines: Iterable[str]) -> str:
    """Lines as one pattern. Empty lines are left out: an empty alternative would match every message."""
    parts: list[str] = []
    for line in filter(str.strip, lines):
        goes_on = not parts or line.startswith(")") or _LINE_BEGINS_GROUP.search(parts[-1])
        parts += [line] if goes_on else ["|", line]
    return "".join(parts)


def escape_breaks(pattern: str) -> str:
    """The same regular expression without line breaks of its own, so that lines can stand for alternatives."""
    return pattern.replace("\r", r"\r").replace("\n", r"\n")


def _lay_out_groups(alternative: str) -> tuple[str, ...]:
    breaks: dict[int, int] = {}
    for start, end, bars in _find_long_groups(alternative):
        breaks |= {start: start, end: end} | {bar: bar + 1 for bar in bars}
    return _cut(alternative, breaks)


def _find_long_groups(pattern: str) -> Iterator[tuple[int, int, list[int]]]:
    """Where the content of each long group begins and ends, and its bars."""
    open_groups: list[tuple[int, list[int]]] = []
    for at, sign in _find_signs(pattern):
        if sign == "(":
            open_groups.append((at, []))
        elif sign == "|" and open_groups:
            open_groups[-1][1].append(at)
        elif sign == ")" and open_groups:
            start, bars = open_groups.pop()
            beginning = _BEGINNING.match(pattern, start)
            is_long = bool(bars) and at - start > LONG_GROUP
            if beginning and is_long and not _has_blank(pattern, [beginning.end() - 1, *bars, at]):
                yield beginning.end(), at, bars


def _has_blank(pattern: str, places: list[int]) -> bool:
    """Whether an alternative between two of these places is blank: it would be lost as a line."""
    return any(not pattern[start + 1 : end].strip() for start, end in pairwise(places))


def _cut(pattern: str, breaks: dict[int, int]) -> tuple[str, ...]:
    """The pattern in lines. `breaks`: where a line ends, with the place where the next one begins."""
    ends, begins = [*sorted(breaks), len(pattern)], [0, *(breaks[at] for at in sorted(breaks))]
    return tuple(pattern[start:end] for start, end in zip(begins, ends, strict=True))


def _find_signs(pattern: str) -> Iterator[tuple[int, str]]:
    """Parentheses and bars that stand outside of classes and escapes. A pattern that does not compile may have any."""
    at = 0
    while at < len(pattern):
        if pattern.startswith(r"\Q", at):
            end = pattern.find(r"\E", at)
            at = len(pattern) if end < 0 else end + 2
        elif pattern[at] == "\\":
            at += 2
        elif pattern[at] == "[":
            at = _find_end_of_class(pattern, at)
        else:
            if pattern[at] in "(|)":
                yield at, pattern[at]
            at += 1


def _find_end_of_class(pattern: str, start: int) -> int:
    """The place behind a class of characters that begins at `start`; the pattern's end where it is never closed."""
    at = start + 2 if pattern.startswith("[^", start) else start + 1
    first = at
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 2
        elif pattern.startswith("[:", at) and ":]" in pattern[at + 2 :]:
            at = pattern.index(":]", at + 2) + 2
        elif pattern[at] == "]" and at > first:
            return at + 1
        else:
            at += 1
    return len(pattern)
