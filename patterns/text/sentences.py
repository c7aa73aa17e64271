"""Sentences of a text as places in it: what is cut out stands there letter by letter. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A set in front lets the search skip to the next mark; what has to follow depends on which mark it was.
_BREAK = re.compile(
    r"[.!?؟。！？…\s](?:(?<=[.!?؟。！？…])[\"'”»)\]*]*(?:\s+|(?<=[。！？]))|(?<=\n)\s*|(?<=\s)[^\S\n]*\n\s*)"
)
_OPENS = re.compile(r"(?:\s+|#+\s|>\s|[*•·\-–—|+]\s|\d{1,2}[.)]\s|\*\*(?=[^*]*$))+")
_CLOSES = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "#|"
_SOFT = re.compile(r"[,;:،؛]\s|\s[-–—]\s")
_LETTER = re.compile(r"[^\W\d_]")


def split_sentences(text: str, *, longest: int) -> list[tuple[int, int]]:
    """(start, end) of each sentence, marks of lists and headings left out; one over `longest` characters in pieces.

    A line is a sentence, whatever it ends with. A line without a letter is none.
    """
    found: list[tuple[int, int]] = []
    start = 0
    for mark in _BREAK.finditer(text):
        end = mark.start() if mark[0].isspace() else mark.start() + 1
        found.extend(_cut(text, start, end, longest))
        start = mark.end()
    found.extend(_cut(text, start, len(text), longest))
    return found


def _cut(text: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    while end - start > longest:
        middle = _find_soft_place(text, start, start + longest)
        yield from _trim(text, start, middle)
        start = middle
    yield from _trim(text, start, end)


def _find_soft_place(text: str, start: int, end: int) -> int:
    """After the last comma in the second half; at a space where there is none; anywhere in one long word."""
    soft = [mark.end() for mark in _SOFT.finditer(text, start + (end - start) // 2, end)]
    if soft:
        return soft[-1]
    space = text.rfind(" ", start + 1, end)
    return space if space > start else end


def _trim(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    opens = _OPENS.match(piece)
    first, last = opens.end() if opens else 0, len(piece.rstrip(_CLOSES))
    if first < last and _LETTER.search(piece, first, last):
        yield start + first, start + last
