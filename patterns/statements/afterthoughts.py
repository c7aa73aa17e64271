"""What is said behind a statement and takes it back: "my size is M, in my dreams", "بجت 500، كان زمان"."""

from __future__ import annotations

from patterns.steps.message import Message

_UNITS = ("number", "unit_weight", "unit_length")
_SMALL = ("laugh", "filler", "oath", "please")


def find_afterthought(message: Message, end: int) -> str | None:
    """Why a statement that ends before the token is none, by what closes its clause right behind it."""
    if "afterthought" not in message.marks:
        return None
    last = message.clause(end - 1)[1]
    index = end
    while index < last and _is_passed(message, index):
        index += 1
    thought = message.at(index, "afterthought") if index < last else None
    if thought is None or not message.has_only(_SMALL, thought.end, last):
        return None
    return thought.canonical


def _is_passed(message: Message, index: int) -> bool:
    """A mark, or the figure and unit that a spoken measure ends with."""
    token = message.tokens[index]
    if token.kind == "mark":
        return token.text != "?"
    return token.kind == "number" or any(message.at(index, name) is not None for name in _UNITS)
