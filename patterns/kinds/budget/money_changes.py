"""A budget that has changed: "it was 500, now 750", "went from 500 to 700", "800 -> 500". The new amount counts."""

from __future__ import annotations

from dataclasses import replace

from patterns.kinds.budget.amounts import Amount, read_amount
from patterns.steps.draft import Fired
from patterns.steps.message import Message

MAX_LEAD = 5
_SMALL = ("naming", "now", "contrast", "approximately", "limit_word", "oath", "laugh", "conj", "filler")
_ARROWS = (("→",), ("➡",), ("-", ">"), ("=", ">"), ("-", "-", ">"), (">",), (">", ">"))


def read_arrow(message: Message, former: Amount, last: int) -> Amount | None:
    """Budget 800 -> 500: what the arrow points at."""
    for arrow in _ARROWS:
        end = former.end + len(arrow)
        if end < last and tuple(token.text for token in message.tokens[former.end : end]) == arrow:
            return read_amount(message, end, last)
    return None


def read_bounds(message: Message, low: Amount, last: int) -> Amount | None:
    """Budget min 300 max 600: a least and a greatest amount are a range."""
    if low.high or not any(m.category == "minimum" for m in message.ends[low.start]):
        return None
    place = low.end
    while place < last and (message.tokens[place].text in ",-" or message.at(place, "conj") is not None):
        place += 1
    if place >= last or message.tokens[place].text not in message.grammar.greatest:
        return None
    high = read_amount(message, place + 1, last)
    if high is None or high.high or high.low <= low.low:
        return None
    return replace(high, low=low.low, high=high.low, start=low.start)


def find_present(message: Message, fired: Fired) -> Amount | None:
    """My budget was 500, it's 750 now: the amount beside "now" in a later segment of the clause."""
    if fired.rule.kind not in ("word", "limit"):
        return None
    first, last = message.clause(fired.start)
    if not message.has_in("past", first, last):
        return None
    leading = message.grammar.changed_to
    changed = [m for m in message.list_in("limit_word", fired.end, last) if message.tokens[m.end - 1].text in leading]
    changed = [m for m in changed if m.start == message.segment(m.start)[0]]  # "was 700, cut to 550"
    for now in (*message.list_in("now", fired.start, last), *changed):
        start, end = message.segment(now.start)
        if message.has_in("past", max(start, fired.end), now.start) and start > fired.end:
            told = read_amount(message, now.end, end) if now.end < end else None  # "was 900 now 600"
            if told is not None:
                return told
            continue
        for index in range(max(now.end, fired.end), min(end, now.end + MAX_LEAD)):
            if any(message.at(index, name) for name in ("garment_word", "half", "price")):
                break
            amount = read_amount(message, index, end)
            if amount is not None:
                return amount
        for index in range(max(start, fired.end), now.start):
            amount = read_amount(message, index, now.start)
            if amount is not None and now.start - amount.end <= 1 and start > first:
                return amount
    return _find_in_next_clause(message, last)


def _find_in_next_clause(message: Message, start: int) -> Amount | None:
    """Budget used to be 500 but rent went up. It's 800 now. The next clause says nothing but what it is now."""
    if start >= len(message.tokens):
        return None
    last = message.clause(start)[1]
    if not message.has_in("now", start, last) or message.tokens[last - 1].text == "?":
        return None
    for index in range(start, min(last, start + MAX_LEAD)):
        amount = read_amount(message, index, last)
        if amount is not None:
            is_all = message.has_only(_SMALL, start, index) and message.has_only(_SMALL, amount.end, last)
            return amount if is_all else None
    return None


def skip_former(message: Message, index: int, last: int) -> int:
    """Where the new amount stands in "went up from 500 to 700"; the index itself where nothing changed."""
    change = message.at(index, "change_from")
    if change is None:  # "raised my budget from 500 to 700": it spans the budget word
        change = next((m for m in message.ends[min(index + 1, last)] if m.category == "change_from"), None)
    if change is None and leads_former(message, index):
        change = message.at(index, "approximately") or message.at(index, "minimum") or message.at(index, "filler")
    if change is None:
        return index
    former = read_amount(message, change.end, last)
    if former is None:
        return index
    if former.high:  # 500 to 700 reads as a range
        return _find_last_amount(message, change.end + 1, former.end) or index
    words = [message.at(former.end, name) for name in ("range_word", "size_filler")] if former.end < last else []
    is_over = change.category != "change_from"  # what it is now is not said behind "doubled from 1k"
    return max((word.end for word in words if word is not None), default=last if is_over else index)


def _find_last_amount(message: Message, start: int, end: int) -> int | None:
    """Where the second amount of what reads as a range begins."""
    for place in range(start, end):
        amount = read_amount(message, place, end)
        if amount is not None and amount.end == end and not amount.high:
            return place
    return None


def leads_former(message: Message, index: int) -> bool:
    """I upped my budget from 600 to 900: a "from" with a verb of change earlier in the clause."""
    is_from = message.tokens[index].text in message.grammar.changed_from
    return is_from and message.has_in("change_verb", message.clause(index)[0], index)
