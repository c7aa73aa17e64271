"""Events at which the writer works and is no guest: "I deliver cakes for a wedding", "I'm a florist"."""

from __future__ import annotations

from patterns.kinds.event.event_people import is_own
from patterns.matching.lexicon import LexiconMatch
from patterns.statements.unknown import is_strange
from patterns.steps.message import Message

GAP = 4  # tokens between what is done and what or whom it is for
NAMED = 2  # tokens between "I" and the trade
REACH = 20  # tokens around an event among which work is looked for
_SMALL = ("filler", "article", "toward", "scope_opener", "scope", "weekday", "date_phrase", "number", "month")


def is_work(message: Message, event: LexiconMatch) -> bool:
    """Whether a trade is done at an event that nothing calls the writer's own."""
    grammar = message.grammar
    first, last = message.clause(event.start)
    first, last = max(first, event.start - REACH), min(last, event.end + REACH)
    if is_own(message, event) or any(token.text in grammar.own_words for token in message.tokens[first:last]):
        return False
    return (
        any(_leads_to(message, place, event) for place in range(first, event.start))
        or _is_done_there(message, event, last)
        or _has_strange_deed(message, event)
        or _is_of_trade(message, first, event.start)
    )


def _leads_to(message: Message, place: int, event: LexiconMatch) -> bool:
    """Filming a wedding; baking cakes for a wedding; makeup for a bride, the wedding is on Friday."""
    grammar, words = message.grammar, message.tokens
    goods = _find_goods(message, place, event.start)
    if goods is None and words[place].text not in grammar.trade_deeds:
        return False
    start = place + 1 if goods is None else goods + 1
    if any(words[index].text in grammar.wedded for index in range(start, event.start)):
        return True
    is_near = event.start - start <= GAP and message.segment(place) == message.segment(event.start)
    return is_near and message.has_only(_SMALL, start, event.start)


def _find_goods(message: Message, place: int, end: int) -> int | None:
    """Baking cakes: what is made, behind the verb of making; "my cake" is one's own."""
    grammar = message.grammar
    if message.tokens[place].text not in grammar.making:
        return None
    for index in range(place + 1, min(place + 1 + GAP, end)):
        if message.at(index, "self") is not None:
            return None
        if message.tokens[index].text in grammar.trade_goods:
            return index
    return None


def _is_done_there(message: Message, event: LexiconMatch, end: int) -> bool:
    """A wedding to shoot, a wedding gig; wedding on Friday, I'm bartending."""
    place, last = event.end, message.segment(event.start)[1]
    place += place < last and message.at(place, "toward") is not None
    deeds = message.grammar.trade_deeds
    if place < last and message.tokens[place].text in deeds:
        return True
    own = message.list_in("self", event.end, end)
    return any(m.end < len(message.tokens) and message.tokens[m.end].text in deeds for m in own)


def _has_strange_deed(message: Message, event: LexiconMatch) -> bool:
    """I officiate at a wedding, рассаживаю гостей на свадьбе: a verb that nobody knows, and no guest's."""
    first, grammar = max(message.segment(event.start)[0], event.start - REACH), message.grammar
    own = message.find_last_in("self", first, event.start)
    if own is not None and own.end < event.start and message.tokens[own.start].text in grammar.i_words:
        return is_strange(message, own.end) and message.tokens[own.end].text not in grammar.guest_deeds
    deeds = (i for i in range(first, event.start) if message.unnamed[i])
    deed = next((i for i in deeds if message.tokens[i].text.endswith(grammar.my_verb_endings)), None)
    return deed is not None and any(is_strange(message, index) for index in range(deed + 1, event.start))


def _is_of_trade(message: Message, first: int, end: int) -> bool:
    """I'm a florist, as a waitress, я ведущая: the writer's trade stands before the event."""
    for place in range(first, end):
        if message.tokens[place].text not in message.grammar.trade_names:
            continue
        lead = range(max(first, place - NAMED), place)
        if any(message.at(i, "self") is not None or message.tokens[i].text in message.grammar.as_word for i in lead):
            return True
    return False
