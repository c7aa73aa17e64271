"""What an amount beside a budget word is for: curtains, a coat; then it is no budget for clothes."""

from __future__ import annotations

from patterns.steps.amounts import Amount
from patterns.steps.draft import Fired
from patterns.steps.message import Message
from patterns.steps.unknown import is_strange


def is_for_thing(message: Message, fired: Fired, amount: Amount) -> bool:
    """Budget for curtains: 900, бюджет на ремонт: what it is for is nothing that the vocabulary of clothes knows."""
    last = min(message.segment(fired.end - 1)[1], amount.start if amount.start > fired.end else len(message.tokens))
    if fired.end + 1 >= last or message.tokens[fired.end].text not in ("for", "на", "حق", "7ag"):
        return False
    place = fired.end + 1
    while place < last and any(message.at(place, name) is not None for name in ("article", "self")):
        place += 1
    if place >= last or any(message.at(place, name) is not None for name in ("garment_word", "plain")):
        return False
    return is_strange(message, place) or message.at(place, "not_body") is not None


def is_of_garment(message: Message, fired: Fired, amount: Amount) -> bool:
    """Бюджет средний, платье 800: a garment opens the segment of the amount, behind a comma."""
    first = message.segment(amount.start)[0]
    if first <= fired.start:
        return False
    return any(message.at(first, name) is not None for name in ("garment_word", "specific_item", "half"))


def is_priced(message: Message, amount: Amount, fired: Fired) -> bool:
    """سعره 1400 وأنا ميزانيتي ما تسمح: the amount is the price before it, and the budget word says no more."""
    first = message.segment(amount.start)[0]
    price = message.find_last_in("price", first, amount.start)
    return price is not None and message.has_in("self", amount.end, fired.start + 1)
