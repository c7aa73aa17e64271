"""What an amount beside a budget word is for: curtains, a coat; then it is no budget for clothes."""

from __future__ import annotations

from patterns.kinds.budget.amounts import Amount
from patterns.matching.lexicon import LexiconMatch
from patterns.statements.unknown import is_strange
from patterns.steps.draft import Fired
from patterns.steps.message import Message

_CLOTHES = ("all_clothes", "generic", "garment_word", "plain", "weak_thing")

_THINGS = ("garment_word", "specific_item", "shoe")


def is_for_thing(message: Message, fired: Fired, amount: Amount) -> bool:
    """Budget for curtains: 900, бюджет на ремонт: what it is for is nothing that the vocabulary of clothes knows."""
    last = min(message.segment(fired.end - 1)[1], amount.start if amount.start > fired.end else len(message.tokens))
    if fired.end + 1 >= last or message.tokens[fired.end].text not in message.grammar.budget_for:
        return False
    place = fired.end + 1
    while place < last and any(message.at(place, name) is not None for name in ("article", "self")):
        place += 1
    if place >= last or any(message.at(place, name) is not None for name in ("garment_word", "plain")):
        return False
    if place + 1 < last and any(message.at(place + 1, name) is not None for name in _CLOTHES):
        return False  # "на осенний гардероб"
    return is_strange(message, place) or message.at(place, "not_body") is not None


def is_of_garment(message: Message, fired: Fired, amount: Amount) -> bool:
    """Бюджет средний, платье 800: a garment opens the segment of the amount, behind a comma."""
    first = message.segment(amount.start)[0]
    if first <= fired.start or first == amount.start:
        return False
    return any(message.at(first, name) is not None for name in ("garment_word", "specific_item", "half"))


def is_priced(message: Message, amount: Amount, fired: Fired) -> bool:
    """سعره 1400 وأنا ميزانيتي ما تسمح: the amount is the price before it, and the budget word says no more."""
    first = message.segment(amount.start)[0]
    price = message.find_last_in("price", first, amount.start)
    return price is not None and message.has_in("self", amount.end, fired.start + 1)


def is_for_clothes(message: Message, amount: Amount) -> bool:
    """I've set aside 500 for clothes, у меня 500 на одежду: right behind the amount stands what it is for."""
    grammar = message.grammar
    place = amount.end
    while place < len(message.tokens) and message.tokens[place].text not in grammar.for_what:
        small = message.at(place, "limit_word")
        if small is None and message.tokens[place].text not in grammar.left_over:
            break
        place = small.end if small is not None else place + 1
    if place + 1 >= len(message.tokens) or message.tokens[place].text not in grammar.for_what:
        return _is_for_attached(message, place)
    place += 1
    while any(message.at(place, name) is not None for name in ("article", "self")) or _is_new(message, place):
        place += 1
    return any(message.at(place, name) is not None for name in _CLOTHES)


def skip_purpose(message: Message, index: int) -> int | None:
    """حدي للشنطة ٤٠٠, 7addi lel 3abaya 650: behind what clothes the limit is for; None where nothing says so."""
    token, grammar = message.tokens[index], message.grammar
    if token.script == "arabic" and token.text.startswith(grammar.for_the_letters):
        return index + 1 if _is_worn(message, index) else None
    place = index + 1
    if token.text not in grammar.toward_clothes or place >= len(message.tokens):
        return None
    leads = grammar.before_clothes | grammar.like_what
    while place < len(message.tokens) - 1 and message.tokens[place].text in leads:
        place += 1
    return place + 1 if place < len(message.tokens) and _is_worn(message, place) else None


def _is_worn(message: Message, index: int) -> bool:
    return any(
        message.at(index, name) is not None for name in (*_CLOTHES, "specific_item", "shoe", "half", "anti_anchor")
    )


def _is_new(message: Message, index: int) -> bool:
    return index < len(message.tokens) and message.tokens[index].text in message.grammar.like_what


def _is_for_attached(message: Message, index: int) -> bool:
    """للملابس: "for" is attached."""
    letters = message.grammar.for_the_letters
    if index >= len(message.tokens) or not message.tokens[index].text.startswith(letters):
        return False
    return any(message.at(index, name) is not None for name in _CLOTHES)


def is_added(message: Message, amount: Amount) -> bool:
    """Add 100 to my budget, raise it by 200, زيدي على ميزانيتي 200: what comes on top, and not what there is then."""
    if "increment" not in message.marks:
        return False
    more = message.find_last_in("increment", message.segment(amount.start)[0], amount.start)
    if more is None or any(
        word.category == "range_word" and word.canonical == "to" for word in message.ends[amount.start]
    ):
        return False
    if message.is_covered(more, ("approximately",)):
        return False  # "plus de 500" is more than that
    words = [token.text for token in message.tokens[more.end : amount.start]]
    if more.canonical == "raise":
        return bool(words) and words[-1] in message.grammar.raised_by
    is_close = len(words) <= 1 and not message.has_in("budget_word", more.end, amount.start)
    return is_close or not message.grammar.added_to.isdisjoint(words)


def names_clothes(message: Message, event: LexiconMatch) -> bool:
    """Holiday wardrobe, wedding guest dress: clothes for an event are the writer's."""
    place, words = event.end, message.grammar.for_event
    while place < len(message.tokens) and message.tokens[place].text in words:
        place += 1
    return any(message.at(place, name) is not None for name in ("garment_word", "plain", "all_clothes", "half"))


def _points_before(message: Message, amount: Amount) -> bool:
    """За это платье больше 300 не дам: the thing that is pointed at stands before the amount."""
    grammar, words = message.grammar, message.tokens
    first = message.segment(amount.start)[0]
    if first > message.clause(amount.start)[0]:
        first = message.segment(first - 1)[0]  # "حق هالجزمة بس حدي 300"
    for i in range(first, amount.start - 2):
        if words[i].text not in grammar.for_what:
            continue
        thing = i + 1 if words[i + 1].text.startswith(grammar.this_letters) else i + 2
        is_pointed = thing == i + 1 or words[i + 1].text in grammar.this_thing
        if is_pointed and any(
            message.at(thing, name) is not None for name in ("garment_word", "specific_item", "shoe")
        ):
            return True
    return False


def is_for_one(message: Message, amount: Amount) -> bool:
    """I'd pay 500 for that, 300 max for this bag, 300 عليها: the amount is for one thing that is pointed at."""
    place, grammar = amount.end, message.grammar
    if _points_before(message, amount):
        return True
    while place < len(message.tokens) and message.tokens[place].text not in grammar.for_what:
        small = message.at(place, "limit_word")
        if small is None:
            break
        place = small.end
    if place >= len(message.tokens):
        return False
    word = message.tokens[place].text
    if word in grammar.on_it or (word.startswith(grammar.for_this_letters) and message.at(place, "thing") is not None):
        return True
    if place + 1 >= message.segment(amount.start)[1] or message.tokens[place].text not in grammar.for_what:
        return False
    pointed = message.tokens[place + 1].text
    if pointed.startswith(grammar.this_letters):
        return message.at(place + 1, "garment_word") is not None or message.at(place + 1, "specific_item") is not None
    if pointed not in grammar.this_thing:
        return False
    after = place + 2
    if after >= message.segment(amount.start)[1]:
        return message.tokens[place].text in grammar.paid_for  # "on this" may be all that is bought
    return any(message.at(after, name) is not None for name in _THINGS)
