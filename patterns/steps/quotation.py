"""Finds words in quotation marks or quoted lines, for all kinds of marks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from patterns.text.folded_pieces import Token

MIN_QUOTED = 4  # tokens from one single quotation mark to the next
_MARKS = frozenset("\"'>")


def mark_quoted(tokens: Sequence[Token]) -> list[bool]:
    """Whether each token stands in quotation marks; those that are opened and never closed reach to the end."""
    quoted = [False] * len(tokens)
    if _MARKS.isdisjoint(token.text for token in tokens):
        return quoted
    doubles = _list_double_marks(tokens)
    pairs = list(zip(doubles[::2], doubles[1::2], strict=False))
    if len(doubles) % 2:
        pairs.append((doubles[-1] + 1, len(tokens) - 1))
    for start, end in (*pairs, *_list_single_quoted(tokens), *_list_quoted_lines(tokens)):
        quoted[start : end + 1] = [True] * (end + 1 - start)
    return quoted


def _list_double_marks(tokens: Sequence[Token]) -> list[int]:
    places = [i for i, token in enumerate(tokens) if token.text == '"' or _is_doubled(tokens, i)]
    if len(places) % 2:  # an odd one behind a number is an inch mark
        inches = [i for i in places if i and tokens[i - 1].kind == "number" and tokens[i - 1].end == tokens[i].start]
        places = [i for i in places if i not in inches[:1]]
    return places


def _is_doubled(tokens: Sequence[Token], index: int) -> bool:
    """``so'' quoted: two single marks in one place; 5'4'' are feet and inches."""
    if tokens[index].text != "'" or index + 1 >= len(tokens) or tokens[index + 1].text != "'":
        return False
    is_measure = index > 0 and tokens[index - 1].kind == "number"
    return not is_measure and tokens[index].end == tokens[index + 1].start


def _list_single_quoted(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """'I never wear black': two marks tight around several words; 5'4'' and 'M' are none."""
    marks = [i for i, token in enumerate(tokens) if token.text == "'"]
    found: list[tuple[int, int]] = []
    for start, end in pairwise(marks):
        if end - start < MIN_QUOTED or (found and found[-1][1] == start):
            continue
        opens = tokens[start].end == tokens[start + 1].start and not (
            start and tokens[start - 1].end == tokens[start].start
        )
        if opens and tokens[end - 1].end == tokens[end].start:
            found.append((start, end))
    return found


def _list_quoted_lines(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """> I'm allergic to wool: a line of a mail that is answered; "> 500" is a measure."""
    found: list[tuple[int, int]] = []
    for start, token in enumerate(tokens[:-1]):
        if token.text != ">" or (start and tokens[start - 1].text != "\n") or tokens[start + 1].kind == "number":
            continue
        end = next((i for i in range(start, len(tokens)) if tokens[i].text == "\n"), len(tokens))
        found.append((start, end - 1))
    return found
