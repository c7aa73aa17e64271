"""Finds the purpose or owner of an amount next to a budget word: rent, a gift, a wedding, somebody else.

A word for something else takes the amount where it stands with it: "rent budget", "500 for the flat", not in "500 with
delivery" or "rent went up and my budget is 500".
"""

from __future__ import annotations

from patterns.kinds.budget.amounts import Amount
from patterns.kinds.budget.purposes import is_for_thing, names_clothes
from patterns.matching.lexicon import LexiconMatch
from patterns.statements.persons import find_subject, person_in
from patterns.statements.strangers import is_of_named, names_thing_before
from patterns.steps.draft import Fired
from patterns.steps.message import Message

MAX_LEAD = 5
CLOSE = 1  # words behind a gift that closes a message
NEAR_HEAD = 3  # words of a segment before the gift it names
_BEFORE_THING = ("article", "self", "all_clothes", "approximately")
_SMALL = ("article", "self", "filler", "conj", "size_filler", "naming", "now", "contrast", "clause_link")


def find_context_veto(message: Message, fired: Fired, amount: Amount, start: int, end: int) -> str | None:
    """Why an amount in tokens [start, end) is for something else or another's; None when nothing says so."""
    first, last = message.segment(start)[0], message.segment(end - 1)[1]
    if opens_anew(message, fired):
        first = fired.start
    if _is_for_something_else(message, fired, amount, (start, end), first):
        return "budget_of_something_else"
    if _is_for_gift(message, end) and not message.has_in("self", first, last):
        return "budget_of_something_else"
    if fired.rule.kind == "word" and any(
        event.start not in message.consumed and not names_clothes(message, event)
        for name in ("event", "work_party")
        for event in message.list_in(name, first, last)
    ):
        return "budget_of_something_else"
    if not says_whose(message, fired, amount) and (
        find_subject(message, start, end) == "other" or person_in(message, start, last)
    ):
        return "other_subject"
    is_anothers = fired.rule.kind == "word" and is_of_named(message, fired.start)
    if is_anothers or names_thing_before(message, start) or _is_called_another_ones(message, end):
        return "other_subject"
    if fired.rule.kind == "word" and is_for_thing(message, fired, amount):
        return "budget_of_something_else"
    return None


def _is_for_gift(message: Message, end: int) -> bool:
    """A gift in the clause; behind the statement only close by: "500, it's a gift", not "..., the gift is done"."""
    first, last = message.clause(end - 1)
    stop = message.segment(end - 1)[1]
    later = [m for m in message.list_in("gift", stop, last) if m.start - message.segment(m.start)[0] <= NEAR_HEAD]
    return message.has_in("gift", first, stop) or any(message.segment(m.start)[1] - m.end <= CLOSE for m in later)


def _is_for_something_else(message: Message, fired: Fired, amount: Amount, span: tuple[int, int], first: int) -> bool:
    """A word for something else in the segment that goes with the budget word or the amount.

    Budget was 1000 but rent went up, it's 600 now: what stands between the two tells why.
    """
    start, end = span
    last = message.segment(end - 1)[1]
    found = message.list_in("budget_other", max(first, start - MAX_LEAD), last)
    if amount.is_present:
        said = {message.segment_of[fired.start], message.segment_of[amount.start]}
        found = [other for other in found if message.segment_of[other.start] in said]
    return any(
        not message.is_covered(other, ("limit_word", "decoy")) and _takes(message, fired, other, start, end)
        for other in found
    )


def _takes(message: Message, fired: Fired, other: LexiconMatch, start: int, end: int) -> bool:
    if other.start >= end:
        return not is_included(message, end, other.start)
    if other.end > start:
        return True
    before = [m for m in message.ends[other.start] if m.category == "aside_from"]
    if before:
        return False  # "after rent my budget is 300"
    is_mine = message.has_in("self", max(message.segment(start)[0], start - 1), fired.end)
    return not is_mine or message.has_only(_SMALL, other.end, start) or _is_led(message, other)


def is_included(message: Message, end: int, place: int) -> bool:
    """500 with delivery, 1.2k including tailoring, ميزانيتي ٨٠٠ مع التوصيل: what the amount covers besides."""
    if message.at(place, "service") is None:
        return False  # "2000 with the hotel" is for the hotel too
    while place > end and any(m.category in _BEFORE_THING and m.start >= end for m in message.ends[place]):
        place = max(m.start for m in message.ends[place] if m.category in _BEFORE_THING)
    return any(m.category in ("included", "aside_from") and m.start >= end for m in message.ends[place])


def _is_led(message: Message, other: LexiconMatch) -> bool:
    """For the hotel my budget is 5000."""
    place = other.start
    while place and any(message.at(place - 1, name) for name in ("article", "self")):
        place -= 1
    words = message.grammar.goes_with
    return place > 0 and (message.tokens[place - 1].text in words or message.at(place - 1, "scope_opener") is not None)


def says_whose(message: Message, fired: Fired, amount: Amount) -> bool:
    """I cannot spend more than 80 my mum will kill me: an "I" pays, and what follows is a statement of its own.

    With four kids anything past 300 is out of the question for me: the refusal says whose it is.
    """
    if fired.rule.kind == "open":
        last = message.segment(amount.end - 1)[1]
        return message.has_in("self", amount.end, last) and not person_in(message, fired.start, last)
    if fired.rule.kind != "limit" or not message.has_in("self", fired.start, fired.end):
        return False
    if amount.end <= fired.start:  # "my husband said so, 700 is my max"
        return not person_in(message, message.segment(amount.start)[0], message.segment(fired.end - 1)[1])
    if amount.start < fired.end:
        return False
    if person_in(message, fired.start, amount.end) or amount.end >= len(message.tokens):
        return False
    last = message.segment(amount.end - 1)[1]
    owned = message.find_in("self", amount.end, last)
    words = message.grammar.goes_with
    is_tied = any(message.tokens[i].text in words for i in range(amount.end, last))
    return not is_tied and owned is not None and owned.start <= amount.end + 2


def opens_anew(message: Message, fired: Fired) -> bool:
    """عيد ميلاد أمي الأحد وميزانيتي ٤٥٠, и мой бюджет 450: a "my" behind an "and" begins another statement."""
    owned = [m for m in message.ends[fired.start] if m.category == "self"]
    start = min((m.start for m in owned), default=fired.start)
    token = message.tokens[start]
    is_attached = token.script == "arabic" and token.text.startswith(message.grammar.and_letters)
    return (is_attached or message.ends_with(start, "conj")) and message.has_in("self", start, fired.end)


def _is_called_another_ones(message: Message, end: int) -> bool:
    """750, that's her budget: whose it is stands right before the next word for it, with no amount between."""
    last = message.clause(end - 1)[1]
    amount = next((place for place in range(end, last) if message.tokens[place].kind == "number"), last)
    names = [m for name in ("budget_word", "limit_word") for m in message.list_in(name, end, last)]
    return any(
        other.category in ("relation", "other") and other.start not in message.consumed
        for name in names
        if name.start <= amount
        for other in message.ends[name.start]
    )
