"""Events at which the writer works and is no guest: "I deliver cakes for a wedding", "I'm a florist"."""

from __future__ import annotations

from patterns.kinds.event.event_people import is_own
from patterns.matching.lexicon import LexiconMatch
from patterns.statements.trades import NAMED, find_trade
from patterns.statements.unknown import is_strange
from patterns.steps.message import Message

GAP = 4  # tokens between what is done and what or whom it is for
_GUESTS = ("relation", "both", "ahead", "future")
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
        or _is_served(message, event)
        or _is_run_by_group(message, first, event.start)
        or _makes_goods_before(message, event)
        or any(token.text in grammar.trade_gear for token in message.tokens[first:last])
        or find_trade(message, first, event.start) is not None
    )


def is_served_by_group(message: Message, event: LexiconMatch) -> bool:
    """Our team is waitressing a graduation: those one works with do there what nobody knows a guest to do."""
    first = max(message.segment(event.start)[0], event.start - REACH)
    return _is_run_by_group(message, first, event.start) and _is_served(message, event)


def is_for_client(message: Message, event: LexiconMatch) -> bool:
    """Сегодня у клиентов выпускной дочки: the event of people whom the writer works for."""
    first = message.segment(event.start)[0]
    return any(token.text in message.grammar.clients for token in message.tokens[first : event.start])


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


def _is_served(message: Message, event: LexiconMatch) -> bool:
    """Our crew staffs a wedding: nobody's event, with a word before it that nobody knows and nothing of a guest."""
    first = max(message.segment(event.start)[0], event.start - REACH)
    if event.category == "work_party" or not any(_is_unknown(message, index) for index in range(first, event.start)):
        return False
    own = [m for m in message.list_in("self", first, event.start) if not _is_of_group(message, m)]
    if own or any(message.has_in(name, first, event.end) for name in _GUESTS):
        return False
    grammar, words = message.grammar, message.tokens[first : event.start]
    return not any(token.text in grammar.guest_deeds or token.text.startswith(grammar.parents) for token in words)


def _is_unknown(message: Message, index: int) -> bool:
    known = message.starts[index]
    return message.unnamed[index] and not known and len(message.tokens[index].text) > NAMED


def _is_run_by_group(message: Message, first: int, end: int) -> bool:
    """My agency runs a gala: those for whom one works, and who have no events of their own."""
    return any(_is_of_group(message, own) for own in message.list_in("self", first, end))


def _is_of_group(message: Message, own: LexiconMatch) -> bool:
    """The "my" of "my agency"."""
    return own.end < len(message.tokens) and message.tokens[own.end].text in message.grammar.trade_groups


def _makes_goods_before(message: Message, event: LexiconMatch) -> bool:
    """I rent out tents, big wedding on 5 May: a trade in the part of the sentence before, and no "I" in this one."""
    part = message.segment(event.start)
    number = message.segment_of[event.start] - 1
    if number < 0 or message.segments[number][0] < message.clause(event.start)[0] or message.has_in("self", *part):
        return False
    first, last = message.segments[number]
    return any(_find_goods(message, place, last) is not None for place in range(first, last))
