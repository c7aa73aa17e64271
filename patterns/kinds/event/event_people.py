"""Finds whose event it is: a relation's or the writer's own."""

from __future__ import annotations

from patterns.matching.lexicon import LexiconMatch
from patterns.steps.message import Message

NEAR = 5  # tokens between an event and the relation it is named after


def find_relation(message: Message, event: LexiconMatch) -> LexiconMatch | None:
    """The relation nearest to the event in its segment: dad's birthday, свадьба сестры, the party at work."""
    if event.category == "work_party":
        return event
    first, last = message.segment(event.start)
    near = (max(first, event.start - NEAR), min(last, event.end + NEAR))
    people = [m for c in ("relation", "work") for m in message.list_in(c, *near)]
    people = [m for m in people if m.end <= event.start or m.start >= event.end]
    people = [m for m in people if not _has_event_between(message, m, event) and not is_company(message, m, event)]
    if event.canonical in message.grammar.own_events:
        people = [m for m in people if not m.start or message.tokens[m.start - 1].text not in message.grammar.visited]
    people = [] if is_own(message, event) else people
    if not people:
        return _find_meant(message, event)
    return min(people, key=lambda m: (m.category == "work", _distance(m, event)))


def is_own(message: Message, event: LexiconMatch) -> bool:
    """My brother flies in for my birthday, أخوي جاي لعيد ميلادي: a "my" right before the event or attached to it."""
    first = message.segment(event.start)[0]
    if event.start > first and message.tokens[event.start - 1].text in message.grammar.my_event:
        return True
    last = message.tokens[event.end - 1]
    if event.canonical in message.grammar.own_events:
        return False  # "عرض تقديمي": the letter is part of the word
    grammar = message.grammar
    words = [word.text for word in message.tokens[event.start : event.end]]
    if any(word.endswith(grammar.our_event_endings) and word not in grammar.no_our_event for word in words):
        return True  # "ذكرى زواجنا الخامسة"
    return last.text.endswith(grammar.my_event_endings)


def _find_meant(message: Message, event: LexiconMatch) -> LexiconMatch | None:
    """My sister finishes school, her graduation is on Friday: the one person named before whom "her" can mean."""
    beside = [message.tokens[i].text for i in (event.start - 1, event.end) if 0 <= i < len(message.tokens)]
    if event.canonical in message.grammar.own_events:
        return None
    unmeant = _list_unmeant(message, beside)
    if not unmeant:
        return _find_doer(message, event)
    first = message.normal.clauses[max(0, message.clause_of[event.start] - 1)][0]
    if message.has_in("other", first, event.start - 1):
        return None  # "my friend's neighbour, her wedding"
    people = [m for m in message.list_in("relation", first, event.start - 1) if m.canonical not in unmeant]
    return people[-1] if len({m.canonical for m in people}) == 1 else None


def _list_unmeant(message: Message, beside: list[str]) -> frozenset[str]:
    """The relations that the pronoun beside an event cannot mean; none without a pronoun."""
    for text in beside:
        if text in message.grammar.of_her:
            return message.grammar.men
        if text in message.grammar.of_him:
            return message.grammar.women
    return frozenset()


def _find_doer(message: Message, event: LexiconMatch) -> LexiconMatch | None:
    """My sister finishes uni soon, graduation's on 13 June: the segment before begins with who does it."""
    number = message.segment_of[event.start] - 1
    if number < 0 or message.segments[number][0] < message.clause(event.start)[0]:
        return None
    first, last = message.segments[number]
    deed = message.find_in("event_deed", first, last)
    person = message.find_in("relation", first, min(last, first + 2))
    if person is not None and event.canonical == "wedding" and not message.has_in("self", person.end, event.start):
        engaged = [m for m in message.list_in("event", first, last) if m.canonical == "engagement"]
        if engaged or any(token.text in message.grammar.became_engaged for token in message.tokens[first:last]):
            return person  # "my sister had her engagement last week, wedding is in June"
    if deed is None or person is None or deed.canonical != event.canonical or deed.start != person.end:
        return None
    return None if message.has_in("self", message.segment(event.start)[0], event.start) else person


def is_company(message: Message, person: LexiconMatch, event: LexiconMatch | None = None) -> bool:
    """With my husband, with the kids: who comes along, or listens to a presentation, the event is not named after."""
    before = person.start
    while before and message.tokens[before - 1].text in message.grammar.company_leads:
        before -= 1
    if any(match.category == "with" for start in {person.start, before} for match in message.ends[start]):
        return True
    if event is None or event.canonical != "presentation" or before <= event.end:
        return False
    words = [token.text for token in message.tokens[before - 2 : before]]
    grammar = message.grammar
    return words[1] in grammar.listeners or (words[0] in grammar.in_front and words[1] in grammar.of_word)


def _distance(person: LexiconMatch, event: LexiconMatch) -> int:
    return event.start - person.end if person.end <= event.start else person.start - event.end


def _has_event_between(message: Message, person: LexiconMatch, event: LexiconMatch) -> bool:
    start, end = (person.end, event.start) if person.end <= event.start else (event.end, person.start)
    return message.has_in("event", start, end)
