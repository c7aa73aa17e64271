"""What stands around a statement and gives it away or denies it: "for mum: no minis", "it's not true that"."""

from __future__ import annotations

from patterns.lexicon import LexiconMatch
from patterns.steps.message import Message

_HEADING_MARKS = frozenset(":-–—")
_THAT = frozenset(("что", "будто", "якобы", "that", "ان", "إن"))
_VALUES = ("fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand", "allergy_word", "event")
MAX_HEADING = 7  # tokens of "для моей мамы:"


def is_called_untrue(message: Message, start: int) -> bool:
    """It's not true that I'm an L; кто сказал, что у меня аллергия: the claim is named to be denied."""
    found = message.find_last_in("untrue", message.clause(start)[0], start)
    if found is None:
        return False
    last = found.end
    if last < start and message.tokens[last].text == ",":
        last += 1
        if message.tokens[last].text not in _THAT:
            return False
    return last >= start or message.segment(last)[0] == message.segment(start)[0]


def is_headed_by_other(message: Message, start: int) -> bool:
    """Для мамы: мини не предлагай. The heading of the clause names for whom, and no "I" takes it back."""
    if "relation" not in message.marks and "other" not in message.marks:
        return False
    first = message.clause(start)[0]
    end = message.segment(first)[1]
    if not first < end <= start or end - first > MAX_HEADING or message.tokens[end - 1].text not in _HEADING_MARKS:
        return False
    people = message.list_in("relation", first, end)
    people += [m for m in message.list_in("other", first, end) if message.ends_with(m.start, "toward")]
    if not people or any(message.has_in(name, first, end) for name in _VALUES):
        return False
    own = [m for m in message.list_in("self", first, end) if not _leads(m, people)]
    return not own and not any(message.has_in(name, end, start + 1) for name in ("self", "both"))


def _leads(own: LexiconMatch, people: list[LexiconMatch]) -> bool:
    """The "my" of "my mum"."""
    return any(own.end == person.start or person.start <= own.start < person.end for person in people)
