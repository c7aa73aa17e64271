"""Asides in brackets, dashes and commas that the readers of lists and amounts step over."""

from __future__ import annotations

from patterns.steps.message import Message

MAX_ASIDE = 8
_VALUES = ("fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand")
_NO_ASIDE = (*_VALUES, "number", "currency", "size_letter", "relation", "contrast", "conditional", "other_value")


def find_aside_end(message: Message, index: int, last: int) -> int | None:
    """Where a short aside between two marks ends that names no value: (don't laugh), - doctor's orders -."""
    closing = {"(": ")", "-": "-"}.get(message.tokens[index].text)
    for place in range(index + 1, min(last - 1, index + MAX_ASIDE)):
        if closing is not None and message.tokens[place].text == closing:
            return place + 1 if place > index + 1 and _is_aside(message, index + 1, place) else None
    return None


def find_aside_start(message: Message, end: int, first: int) -> int | None:
    """Where the aside begins that ends right before a token, as find_aside_end."""
    opening = {")": "(", "-": "-", ",": ","}.get(message.tokens[end - 1].text) if end > first else None
    for place in range(end - 2, max(first, end - MAX_ASIDE), -1):
        if opening is not None and message.tokens[place].text == opening:
            return place if place < end - 2 and _is_aside(message, place + 1, end - 1) else None
    return None


def _is_aside(message: Message, start: int, end: int) -> bool:
    has_figure = any(message.tokens[index].kind == "number" for index in range(start, end))
    return not has_figure and not any(message.has_in(name, start, end) for name in _NO_ASIDE)
