"""What a writer takes back in the next breath: "silver, sorry, I meant gold", "budget 1000, no wait, 1200"."""

from __future__ import annotations

from collections.abc import Sequence

from patterns.steps.message import Message
from patterns.steps.values import ValueList, read_values_after

_PASSED = ("filler", "size_filler", "article", "oath", "denial_word")
_SIGHS = ("greeting", "oath", "filler", "laugh", "please")
MAX_PASSED = 4
MAX_SIGHS = 2


def find_mended(message: Message, end: int, *, can_bare_no: bool = False) -> int | None:
    """Where the right value may stand that follows a slip of the tongue; None where nothing is taken back.

    `end`: the token after the value that was said first. `can_bare_no`: a "no" without a comma is enough ("60 no 62").
    """
    starred = _find_starred(message, end)
    if starred is not None:
        return starred
    index = _skip_sighs(message, _skip_marks(message, end))
    if message.at(index, "self_correction") is None:
        return _find_behind_no(message, index) if index > end or can_bare_no else None
    while (mend := message.at(index, "self_correction")) is not None:
        index = _skip_marks(message, mend.end)
    for _ in range(MAX_PASSED):
        if message.at(index, "size_letter") is not None:
            break
        passed = [match.end for name in _PASSED if (match := message.at(index, name)) is not None]
        if not passed:
            break
        index = _skip_marks(message, max(passed))
    return index if index < len(message.tokens) else None


def _find_starred(message: Message, end: int) -> int | None:
    """I'm 165, and in the next line "*156": a star before a word says that it stands for what was just typed."""
    index = end
    for _ in range(MAX_PASSED):
        passed = [match.end for name in _SIGHS if (match := message.at(index, name)) is not None]
        if not passed:
            break
        index = max(passed)
    index = _skip_marks(message, index)
    if index <= end or index >= len(message.tokens) or message.tokens[index - 1].text != "*":
        return None
    star = message.tokens[index - 1]
    is_apart = message.tokens[index - 2].end < star.start or message.tokens[index - 2].kind == "mark"
    return index if is_apart and star.end == message.tokens[index].start else None


def _skip_sighs(message: Message, start: int) -> int:
    """Oh wait, хотя ой: what is breathed out before a slip is taken back; nothing is skipped where none is."""
    index = start
    for _ in range(MAX_SIGHS):
        sigh = next((match for name in _SIGHS if (match := message.at(index, name)) is not None), None)
        if sigh is None or message.at(index, "self_correction") is not None:
            break
        index = _skip_marks(message, sigh.end)
    return index if message.at(index, "self_correction") is not None else start


def _find_behind_no(message: Message, index: int) -> int | None:
    """Budget 1000, no, 1200; size M, нет, L: behind a bare "no" between commas stands another figure."""
    if index + 1 >= len(message.tokens) or message.tokens[index].text not in message.grammar.no_words:
        return None
    place = _skip_marks(message, index + 1)
    if place >= len(message.tokens):
        return None
    if place == index + 1 and place + 1 < len(message.tokens) and message.tokens[place + 1].kind != "mark":
        return None  # "size M, no L please"
    is_figure = message.tokens[place].kind == "number" or message.at(place, "size_letter") is not None
    return place if is_figure else None


def _skip_marks(message: Message, index: int) -> int:
    while index < len(message.tokens) and message.tokens[index].kind == "mark" and message.tokens[index].text != "?":
        index += 1
    return index


def read_mended(message: Message, values: ValueList, *, categories: Sequence[str], language: str) -> ValueList:
    """The values with the last of them replaced by what its writer says in its place."""
    place = find_mended(message, values.end) if values.items else None
    if place is None or not any(message.at(place, name) for name in categories):
        return values
    right = read_values_after(message, place, categories=categories, language=language, items_refuse=frozenset())
    return ValueList((*values.items[:-1], *right.items)) if right.items else values
