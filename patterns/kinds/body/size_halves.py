"""Which half of the body a size is for: top, bottom, or both."""

from __future__ import annotations

from patterns.kinds.body.size_values import Size, find_size
from patterns.steps.draft import Fired
from patterns.steps.message import Message


def name_key(message: Message, anchor: Fired, size: Size) -> str:
    """size_top or size_bottom where the half is named beside the size, else size."""
    if anchor.rule.kind == "half" and anchor.start < size.start:
        match = message.at(anchor.start, "half")
        return match.canonical if match else "size"
    start, end = message.segment(size.start)
    if anchor.end <= start and message.tokens[start - 1].text == ":":
        start = message.segment(start - 1)[0]  # "Jeans size: 32"
    before = message.find_last_in("half", max(start, size.start - 4), size.start)
    after = message.find_in("half", size.end, min(end, size.end + 4))
    chosen = before if names_lead(message, (start, end)) else after
    return chosen.canonical if chosen is not None else "size"


def names_lead(message: Message, segment: tuple[int, int]) -> bool:
    """Whether the segment says "top M" rather than "M on top": what is measured stands before the first size."""
    names = [m for c in ("half", "garment_word") if (m := message.find_in(c, *segment)) is not None]
    if len(names) > 1 and message.at(names[1].start, "all_clothes") is not None:
        names = names[:1]  # "my clothes are M on top, L below"
    first = min((m.start for m in names), default=segment[1])
    return first < segment[1] and not _has_size(message, segment[0], first)


def _has_size(message: Message, start: int, end: int) -> bool:
    """Whether a size stands in [start, end)."""
    return any(find_size(message, index, end) is not None for index in range(start, end))
