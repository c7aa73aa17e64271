"""An amount that says nothing but itself, some words or a sentence behind the budget that it is: "Budget. 500."."""

from __future__ import annotations

from patterns.kinds.budget.amounts import Amount, read_amount
from patterns.steps.draft import Fired
from patterns.steps.message import Message

_SMALL = (
    "approximately", "limit_word", "self", "naming", "oath", "now", "please", "laugh", "size_filler", "greeting",
    "affirmation", "lasting", "order_tag", "decoy", "range_word",
)  # fmt: skip
_LEAD = (*_SMALL, "filler", "article", "conj")
_STOPS = (
    "budget_other", "price", "spent", "relation", "other", "number", "size_word", "measure_word", "shoe", "gift",
    "event", "negator", "past", "hedge", "conditional",
)  # fmt: skip
_FULL_STOPS = frozenset(".!\n…")
MAX_BETWEEN = 6  # words between the budget and its amount


def find_alone_behind(message: Message, fired: Fired) -> Amount | None:
    """Budget's tighter this month, 400; my budget isn't big – 350; Budget! 500 aed. The amount of a later segment or
    of the next sentence that holds nothing else, where the budget word opens its segment or is the writer's.
    """
    if fired.rule.kind != "word" or not _is_owned(message, fired):
        return None
    number = message.segment_of[fired.end - 1]
    if message.segments[number][1] - fired.end > MAX_BETWEEN:
        return None
    last = message.clause(fired.start)[1]
    if _has_stop(message, fired.end, message.segments[number][1]):
        return None
    for start, end in message.segments[number + 1 : number + 3]:
        if start >= last and message.tokens[start - 1].text not in _FULL_STOPS:
            return None
        amount = _read_alone(message, start, end)
        if amount is not None:
            return amount
        if start >= last or end - start > MAX_BETWEEN or _has_stop(message, start, end):
            return None
    return None


def _is_owned(message: Message, fired: Fired) -> bool:
    first = message.segment(fired.start)[0]
    if message.has_in("thing", first, fired.start) or message.has_in("beyond", first, fired.start):
        return False  # "this dress is within my budget, 300"
    return message.has_in("self", first, fired.end + 1) or message.has_only(_LEAD, first, fired.start)


def _has_stop(message: Message, start: int, end: int) -> bool:
    if any(message.tokens[index].kind == "number" for index in range(start, end)):
        return True
    found = [m for name in _STOPS for m in message.list_in(name, start, end)]
    return any(not (m.category == "negator" and m.start <= start + 1) for m in found)


def _read_alone(message: Message, start: int, end: int) -> Amount | None:
    for index in range(start, min(end, start + MAX_BETWEEN)):
        amount = read_amount(message, index, end)
        if amount is not None:
            is_alone = message.has_only(_SMALL, start, index) and message.has_only(_SMALL, amount.end, end)
            return amount if is_alone and message.tokens[end - 1].text != "?" else None
    return None
