"""A pattern as its alternatives, one a line, and back: the same characters in the same order (SPEC I-2). Pure."""

from __future__ import annotations

from collections.abc import Iterable


def split_alternatives(pattern: str) -> tuple[str, ...]:
    """The alternatives that stand outside of groups and classes. `"|".join` of them is the pattern, whatever it is."""
    bars = list(_find_bars(pattern))
    return tuple(pattern[start + 1 : end] for start, end in zip([-1, *bars], [*bars, len(pattern)], strict=True))


def join_alternatives(lines: Iterable[str]) -> str:
    """Lines as one pattern. Empty lines are left out: an empty alternative would match every message."""
    return "|".join(line for line in lines if line.strip())


def escape_breaks(pattern: str) -> str:
    """The same regular expression without line breaks of its own, so that lines can stand for alternatives."""
    return pattern.replace("\r", r"\r").replace("\n", r"\n")


def _find_bars(pattern: str) -> Iterable[int]:
    """Where a bar parts two alternatives of the whole pattern. A pattern that does not compile may have none."""
    depth, at = 0, 0
    while at < len(pattern):
        sign = pattern[at]
        if pattern.startswith(r"\Q", at):
            end = pattern.find(r"\E", at)
            at = len(pattern) if end < 0 else end + 2
            continue
        if sign == "\\":
            at += 2
            continue
        if sign == "[":
            at = _find_end_of_class(pattern, at)
            continue
        depth = max(0, depth + (sign == "(") - (sign == ")"))
        if sign == "|" and depth == 0:
            yield at
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
