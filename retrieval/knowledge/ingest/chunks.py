"""A text in pieces that are searched one by one. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

MAX_CHARACTERS: Final = 1_600  # about 400 tokens: a passage of the usual question sets stays whole

_PARAGRAPH: Final = re.compile(r"\n\s*\n")
_LINE: Final = re.compile(r"\n")
_SENTENCE: Final = re.compile(r"(?<=[.!?…。！？؟])\s+")
_SPACE: Final = re.compile(r"\s+")
_BREAKS: Final = (_PARAGRAPH, _LINE, _SENTENCE, _SPACE)


class Piece(NamedTuple):
    """A piece of a text from `start` until before `end` (code points)."""

    start: int
    end: int


def cut_text(text: str) -> list[Piece]:
    """The pieces of a text in order, without blanks at their ends. They do not overlap; only blanks are left out."""
    pieces = (_strip(text, piece) for piece in _cut(text, 0, len(text), 0))
    return [piece for piece in pieces if piece.end > piece.start]


def _cut(text: str, start: int, end: int, level: int) -> list[Piece]:
    if end - start <= MAX_CHARACTERS:
        return [Piece(start, end)]
    if level == len(_BREAKS):
        return [Piece(at, min(at + MAX_CHARACTERS, end)) for at in range(start, end, MAX_CHARACTERS)]
    ends = [found.end() for found in _BREAKS[level].finditer(text, start, end) if start < found.end() < end]
    pieces: list[Piece] = []
    for left, right in zip([start, *ends], [*ends, end], strict=True):
        pieces.extend(_cut(text, left, right, level + 1))
    return _join_small(pieces)


def _join_small(pieces: list[Piece]) -> list[Piece]:
    """Pieces side by side are joined as long as they fit."""
    joined: list[Piece] = []
    for piece in pieces:
        if joined and piece.end - joined[-1].start <= MAX_CHARACTERS:
            joined[-1] = Piece(joined[-1].start, piece.end)
        else:
            joined.append(piece)
    return joined


def _strip(text: str, piece: Piece) -> Piece:
    body = text[piece.start : piece.end]
    start = piece.start + len(body) - len(body.lstrip())
    return Piece(start, start + len(body.strip()))
