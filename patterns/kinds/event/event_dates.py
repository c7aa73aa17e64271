"""Finds the date of an event in a message."""

from __future__ import annotations

from datetime import date, timedelta

from patterns.kinds.event.event_people import NEAR
from patterns.matching.lexicon import LexiconMatch
from patterns.steps.dates import When, list_dates, read_length
from patterns.steps.message import Message

DATE_REACH = 40  # tokens between an event and its date in one clause
FEW_WORDS = 3  # of a clause that says no more than a date


def find_date(message: Message, event: LexiconMatch, today: date) -> When | None:
    """The date nearest to the event in its clause, else alone in a short clause beside it."""
    clause = message.clause(event.start)
    first, last = max(clause[0], event.start - DATE_REACH), min(clause[1], event.end + DATE_REACH)
    dates = [d for d in _dates_of(message, *clause, today) if first <= d.start and d.end <= last]
    dates = [d for d in dates if d.end <= event.start or d.start >= event.end]
    dates = _drop_of_earlier(message, event, dates, first)
    if not dates:
        dates = _count_down(message, event, today) or _dates_beside(message, event, today)
    known = [d for d in dates if d.is_known] or dates
    if not known:
        return None
    segment = message.segment(event.start)
    whose = message.at(event.end, "relation")
    end = whose.end if whose is not None else event.end
    found = min(known, key=lambda d: (not segment[0] <= d.start < segment[1], _gap(d, event.start, end)))
    return next((d for d in known if not found.month and d is not found and _says_same(message, found, d)), found)


def _drop_of_earlier(message: Message, event: LexiconMatch, dates: list[When], first: int) -> list[When]:
    """My birthday is on March 20 and mom's birthday on April 3: the first date stands behind another event, and one
    of its own stands behind this.
    """
    earlier = [other for other in message.list_in("event", first, event.start) if other.end < event.start]
    if len(dates) < 2 or not earlier or not any(d.start >= event.end for d in dates):
        return dates
    return [d for d in dates if d.start >= event.end or d.start < earlier[0].end]


def _says_same(message: Message, found: When, dated: When) -> bool:
    """Friday 20 March; "on a Sunday, it's the 22nd of March": which one of these days is said by its date."""
    is_named = message.at(found.start, "weekday") is not None and found.on.weekday() == dated.on.weekday()
    is_close = 0 <= dated.start - found.end <= 1
    if dated.month is None:  # "Saturday the 14th"
        return is_named and is_close and message.tokens[dated.start].text[0].isdigit()
    return is_named or is_close


def _count_down(message: Message, event: LexiconMatch, today: date) -> list[When]:
    """До свадьбы подруги 3 недели, until the wedding: two weeks. A length of time in the clause of "until"."""
    first, last = message.clause(event.start)
    before = message.tokens[max(first, event.start - 3) : event.start]
    if not any(token.text in message.grammar.until_words for token in before):
        return []
    for index in range(event.end, min(last, event.end + NEAR)):
        length = read_length(message, index, last)
        if length is not None:
            return [When(today + timedelta(days=length[0]), index, length[1])]
    return []


def _dates_of(message: Message, first: int, last: int, today: date) -> list[When]:
    """The dates of a clause, worked out once."""
    known: list[When] | None = message.cache.get((first, last, today))
    if known is None:
        known = message.cache[(first, last, today)] = list_dates(message, first, last, today=today)
    return known


def _gap(when: When, start: int, end: int) -> int:
    return start - when.end if when.end <= start else when.start - end


def _tells_of_another(message: Message, first: int, last: int) -> bool:
    """The rent is due tomorrow: a clause with a deed of its own has a date of its own."""
    words = sum(token.kind != "mark" for token in message.tokens[first:last])
    return words > FEW_WORDS and any(message.unnamed[first:last]) and not message.has_in("event", first, last)


def _dates_beside(message: Message, event: LexiconMatch, today: date) -> list[When]:
    clauses = message.normal.clauses
    number = message.clause_of[event.start]
    found: list[When] = []
    for near in (number + 1, number - 1):
        is_short = 0 <= near < len(clauses) and clauses[near][1] - clauses[near][0] <= NEAR
        if is_short and not _tells_of_another(message, *clauses[near]):
            found.extend(list_dates(message, *clauses[near], today=today))
    return found
