"""What limits a ban, and what makes an amount a price (SPEC X-3). Pure."""

from __future__ import annotations

from typing import Final

from memory.extraction.judging.value_places import Place
from patterns.kinds.ban.reading import is_scoped
from patterns.steps.message import Message

PRICED: Final = ("price", "spent")
LIMITING: Final = ("exception", "double_negation")
"""What lifts a ban, or takes its "not" away, anywhere in its sentence."""


def is_price(message: Message, place: Place) -> bool:
    """Whether a word beside the amount says that something costs it."""
    return any(message.has_in(name, *message.segment(place.start)) for name in PRICED)


def find_limit(message: Message, place: Place, *, is_read: bool) -> str | None:
    """The code of what makes a ban less than one. `is_read`: the instant grammar reads it as a ban."""
    part = message.segment(place.start)
    if message.has_in("softener", *part):
        return "softener"
    is_always = is_read and message.has_in("lasting", *part)
    for category in LIMITING:
        if message.has_in(category, *message.clause(place.start)):
            return category
    return "scope" if is_scoped(message, place.start, place.end) and not is_always else None
