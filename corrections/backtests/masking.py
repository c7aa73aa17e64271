"""What of a message rule editors may see: the match with twenty characters around it, addresses hidden (D-27)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

AROUND: Final = 20
HIDDEN: Final = "•"

_PRIVATE: Final = re.compile(
    r"https?://\S+|www\.\S+|\S*@\S+|\+?\d[\d\-() ]{5,}\d|\d{5,}",
)


@dataclass(frozen=True, slots=True)
class Snippet:
    """The words around a match. `is_cut_*`: the message goes on there."""

    before: str
    match: str
    after: str
    is_cut_before: bool
    is_cut_after: bool


def mask(text: str, *, start: int, end: int) -> Snippet:
    """Characters [start, end) of a message with 20 on either side; private runs are hidden letter by letter. Pure."""
    hidden = _PRIVATE.sub(lambda found: HIDDEN * len(found[0]), text)
    start, end = max(0, start), min(len(text), end)
    first, last = max(0, start - AROUND), min(len(text), end + AROUND)
    return Snippet(hidden[first:start], hidden[start:end], hidden[end:last], first > 0, last < len(text))
