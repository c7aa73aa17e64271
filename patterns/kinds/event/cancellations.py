"""Recognises events that are cancelled or not attended. The words must be about the event."""

from __future__ import annotations

from patterns.matching.lexicon import LexiconMatch
from patterns.steps.message import Message

_THINGS = ("price", "budget_other", "garment_word")
_WORN = ("cut", "garment", "garment_word", "fabric", "material", "pattern", "colour", "specific_item", "shoe")


def is_called_off(message: Message, event: LexiconMatch) -> bool:
    """The wedding is cancelled; not "was not cancelled", nor "the party was cancelled but the wedding is on Friday"."""
    found = message.list_in("cancelled", *message.clause(event.start))
    found = [off for off in found if not any(m.category == "negator" for m in message.ends[off.start])]
    return any(_is_said_of(message, off, event) and not _is_added(message, off, event) for off in found)


def _is_said_of(message: Message, off: LexiconMatch, event: LexiconMatch) -> bool:
    first, last = message.segment(off.start)
    grammar = message.grammar
    if message.tokens[off.start].text in grammar.over_word and off.end - off.start == 1 and off.start > first:
        before = message.tokens[off.start - 1].text
        if before not in grammar.before_over and not any(m.category == "event" for m in message.ends[off.start]):
            return False  # "I'm having people over"
    if _is_no_to_clothes(message, off):
        return False
    if first <= event.start < last:
        return True
    others = [m for name in ("event", "work_party") for m in message.list_in(name, first, off.start)]
    if any(other.end <= off.start for other in others):
        return False
    is_passive = off.start > first and message.tokens[off.start - 1].text in grammar.off_verbs
    if is_passive and any(message.unnamed[first : off.start]):
        return False  # "the concert was cancelled"; "Ahmed cancelled it" is about the event
    is_bare = message.tokens[off.end - 1].text in grammar.bare_not and off.end < last
    if is_bare and message.tokens[off.end].text not in grammar.going and not message.at(off.end, "future"):
        return False  # "I'm not good with apps"
    return not any(message.has_in(name, first, off.start) for name in _THINGS)


def _is_no_to_clothes(message: Message, off: LexiconMatch) -> bool:
    """The wedding is on Friday and I already said no heels, no to heels."""
    if message.tokens[off.end - 1].text not in message.grammar.saying_no or off.end >= len(message.tokens):
        return False
    places = (off.end, off.end + 1) if message.tokens[off.end].kind == "word" else ()
    return any(message.at(place, name) is not None for place in places for name in _WORN)


def _is_added(message: Message, off: LexiconMatch, event: LexiconMatch) -> bool:
    """My sister's wedding is in May and the dressmaker bailed: an "and" adds who did, and no other event."""
    joined = message.find_last_in("conj", event.end, off.start)
    if joined is None or any(
        message.has_in(name, joined.end, off.start) for name in ("event", "work_party", "pronoun")
    ):
        return False
    return message.has_in("other", joined.start + 1, off.start)
