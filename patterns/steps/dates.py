"""When something will be, in whole days from the message. The words are in the lexicon."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from patterns.steps.message import Message
from patterns.steps.numbers import find_number

DEFAULT_DAYS = 30
MAX_DAYS = 400
_PERIOD_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_NUMERIC = re.compile(r"(\d{1,2})[./-](\d{1,2})(?:[./-](\d{2,4}))?")
_ORDINAL = re.compile(r"(\d{1,2})[^\W\d_]{0,5}")  # the ending is not looked at: a month must follow


@dataclass(frozen=True, slots=True)
class When:
    """A moment on tokens [start, end). `month`: the month that was named; `is_known` False: no date in it."""

    on: date
    start: int
    end: int
    month: int | None = None
    is_known: bool = True


def _end_of_month(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


def _next_month_end(today: date) -> date:
    year, month = (today.year + 1, 1) if today.month == 12 else (today.year, today.month + 1)
    return _end_of_month(year, month)


def _next_weekday(today: date, weekday: int) -> date:
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _sunday(today: date, weeks: int) -> date:
    return today + timedelta(days=6 - today.weekday() + 7 * weeks)


_PHRASES: dict[str, Callable[[date], date]] = {
    "weekend": lambda today: _sunday(today, 0),
    "next_weekend": lambda today: _sunday(today, 1),
    "this_week": lambda today: _sunday(today, 0),
    "next_week": lambda today: _sunday(today, 1),
    "week_after_next": lambda today: _sunday(today, 2),
    "this_month": lambda today: _end_of_month(today.year, today.month),
    "next_month": _next_month_end,
    "unknown": lambda today: today + timedelta(days=DEFAULT_DAYS),
}


def _make_date(today: date, day: int, month: int, year: int | None = None) -> date | None:
    """The day this year, or the next if it has passed; None when the calendar has no such day."""
    try:
        if year is not None:
            return date(year + 2000 if year < 100 else year, month, day)
        found = date(today.year, month, day)
        return found if found >= today else date(today.year + 1, month, day)
    except ValueError:
        return None


def list_dates(message: Message, start: int, end: int, *, today: date) -> list[When]:
    """Every date in tokens [start, end), left to right, the longest reading of each place."""
    found: list[When] = []
    index = start
    while index < end:
        when = _read_at(message, index, end, today)
        if when is None:
            index += 1
            continue
        if when.on <= today + timedelta(days=MAX_DAYS):
            found.append(when)
        index = when.end
    return found


def _read_at(message: Message, index: int, end: int, today: date) -> When | None:
    known = message.starts[index]
    is_digit = message.tokens[index].text[0].isdigit()
    if not is_digit and _OPENERS.isdisjoint(known):
        return None
    for reader, categories, takes_digits in _READERS:
        if (takes_digits and is_digit) or not categories.isdisjoint(known):
            when = reader(message, index, end, today)
            if when is not None:
                return when
    return None


def _read_day_word(message: Message, index: int, end: int, today: date) -> When | None:
    match = message.at(index, "day_word")
    if match is None:
        return None
    return When(today + timedelta(days=int(match.canonical)), index, match.end)


def _read_phrase(message: Message, index: int, end: int, today: date) -> When | None:
    match = message.at(index, "date_phrase")
    if match is None:
        return None
    return When(_PHRASES[match.canonical](today), index, match.end, is_known=match.canonical != "unknown")


def _read_numeric(message: Message, index: int, end: int, today: date) -> When | None:
    """20.04, 20/4, 20.04.2026; a dot between makes one token, a slash three."""
    token = message.tokens[index]
    if token.kind != "number":
        return None
    text = message.normal.text[token.start : token.start + 10]
    match = _NUMERIC.match(text)
    if match is None or "," in match[0]:
        return None
    day, month = int(match[1]), int(match[2])
    if month > 12 >= day:
        day, month = month, day
    on = _make_date(today, day, month, int(match[3]) if match[3] else None) if 1 <= month <= 12 else None
    if on is None or ("." in match[0] and len(match[2]) < 2):
        return None
    return When(on, index, message.token_at(token.start + match.end() - 1) + 1, month)


def _day_number(message: Message, index: int, end: int) -> tuple[int, int] | None:
    """A day of the month and the token after it: 5, 5th, 5 числа."""
    if index >= end:
        return None
    spelt = message.at(index, "day_number")
    match = _ORDINAL.fullmatch(message.tokens[index].text)
    if spelt is None and (match is None or not 1 <= int(match[1]) <= 31):
        return None
    if spelt is None and any(known.language == "arabizi" for known in message.starts[index].values()):
        return None  # 3irsi, 5amis: the figure is a letter
    place = spelt.end if spelt is not None else index + 1
    if place + 1 < end and message.tokens[place].text == "-" and message.at(place + 1, "ordinal_suffix") is not None:
        place += 1  # 20-го
    while place < end and message.at(place, "ordinal_suffix") is not None:
        place += 1
    of = message.at(place, "day_of") if place < end else None
    if of is not None and _month_at(message, of.end, end) is not None:
        place = of.end
    return int(spelt.canonical if spelt is not None else match[1]), place  # type: ignore[index]  # one of them is there


def _read_day_month(message: Message, index: int, end: int, today: date) -> When | None:
    """5 April, the 5th of April, April 5."""
    day = _day_number(message, index, end)
    if day is not None:
        month = _month_at(message, day[1], end)
        if month is not None:
            on = _make_date(today, day[0], month[0])
            return When(on, index, month[1], month[0]) if on else None
        closed = _end_range(message, day[1], end)
        if closed is not None:
            on = _make_date(today, day[0], closed[0])
            return When(on, index, closed[1], closed[0]) if on else None
        named = _read_day_of_this(message, day, index, end, today)
        if named is not None:
            return named
        if message.has_in("day_of_month", index + 1, day[1]):
            return _this_or_next_month(today, day[0], index, day[1])
        if _is_bare_ordinal(message, index, day[1], end):
            return _this_or_next_month(today, day[0], index, day[1])
    month = _month_at(message, index, end)
    if month is None:
        return None
    place = month[1] + (message.at(month[1], "article") is not None)
    day = _day_number(message, place, end)
    if day is None or message.at(day[1], "period") or message.at(day[1], "currency"):
        return None
    on = _make_date(today, day[0], month[0])
    return When(on, index, day[1], month[0]) if on else None


def _read_day_of_this(message: Message, day: tuple[int, int], index: int, end: int, today: date) -> When | None:
    """The 20th of this month, ٢٠ من الشهر الحالي, 5 числа следующего месяца; يوم ٢٠ with nothing behind it."""
    words = message.grammar
    of = message.at(day[1], "day_of") if day[1] < end else None
    place = of.end if of is not None else day[1]
    phrase = message.at(place, "date_phrase") if place < end else None
    is_led = place > day[1] or (place < end and message.tokens[place].text not in words.opens_phrase)
    if phrase is not None and is_led and phrase.canonical in ("this_month", "next_month"):
        month = today.month if phrase.canonical == "this_month" else today.month % 12 + 1
        on = _make_date(today, day[0], month)
        return When(on, index, phrase.end) if on else None
    is_day = index > 0 and message.tokens[index - 1].text in words.day_words and message.tokens[index].kind == "number"
    is_closed = day[1] >= end or message.tokens[day[1]].kind == "mark"
    return _this_or_next_month(today, day[0], index, day[1]) if is_day and is_closed else None


def _end_range(message: Message, index: int, end: int) -> tuple[int, int] | None:
    """The month, and the token after it, of "5 to 12 April": what begins on the first of two days."""
    if index >= end:
        return None
    word = message.at(index, "range_word")
    if word is None and message.tokens[index].text not in "-/":
        return None
    day = _day_number(message, word.end if word is not None else index + 1, end)
    return _month_at(message, day[1], end) if day is not None else None


def _is_bare_ordinal(message: Message, index: int, after: int, end: int) -> bool:
    """On the 13th, with nothing behind it that it numbers."""
    text, words = message.tokens[after - 1].text, message.grammar
    is_led = index > 0 and message.tokens[index - 1].text in words.numbered_day
    if not (is_led and text.endswith(words.ordinal_endings)) and not text.endswith(words.day_endings):
        return False
    if after >= end or message.tokens[after].kind == "mark":
        return True
    return any(message.at(after, name) for name in ("conj", "contrast", "self", "oath", "laugh", "please"))


def _this_or_next_month(today: date, day: int, start: int, end: int) -> When | None:
    for year, month in ((today.year, today.month), (today.year + today.month // 12, today.month % 12 + 1)):
        if day <= calendar.monthrange(year, month)[1] and date(year, month, day) >= today:
            return When(date(year, month, day), start, end)
    return None


def _month_at(message: Message, index: int, end: int) -> tuple[int, int] | None:
    """A month by name, or "month 6"; with the token after it."""
    if index >= end:
        return None
    named = message.at(index, "month")
    word = message.at(index, "month_word")
    if word is not None and word.end < end:
        inner = message.at(word.end, "month")
        if inner is not None:
            return int(inner.canonical), inner.end
        token = message.tokens[word.end]
        if token.kind == "number" and token.text.isdigit() and 1 <= int(token.text) <= 12:
            return int(token.text), word.end + 1
    return (int(named.canonical), named.end) if named is not None else None


def _read_month(message: Message, index: int, end: int, today: date) -> When | None:
    month = _month_at(message, index, end)
    if month is None:
        return None
    year = today.year if month[0] >= today.month else today.year + 1
    return When(_end_of_month(year, month[0]), index, month[1], month[0])


def _read_weekday(message: Message, index: int, end: int, today: date) -> When | None:
    match = message.at(index, "weekday")
    if match is None:
        return None
    on, after = _next_weekday(today, int(match.canonical)), match.end
    words, tokens = message.grammar, message.tokens
    is_after = after < end and tokens[after].text in words.week_word  # "Saturday week"
    is_before = index > 1 and tokens[index - 2].text in words.week_word and tokens[index - 1].text in words.week_on
    return When(on + timedelta(days=7 * (is_after or is_before)), index, after + is_after)


def _read_span(message: Message, index: int, end: int, today: date) -> When | None:
    """In 3 weeks, a month, isboo3ain, 10 days from now; a span needs a word that makes it ahead."""
    within = message.at(index, "within")
    place = within.end if within is not None else index
    length = read_length(message, place, end)
    if length is None:
        return None
    days, after = length
    away = message.at(after, "away") if after < end else None
    is_left = message.has_in("left_until", message.clause(index)[0], index)  # "until the wedding two weeks are left"
    if within is None and away is None and not is_left:
        return None
    return When(today + timedelta(days=days), index, away.end if away is not None else after)


def read_length(message: Message, index: int, end: int) -> tuple[int, int] | None:
    """Days of a length of time and the token after it: "3 weeks", "a month", "شهرين"."""
    while index < end and (message.at(index, "approximately") or message.at(index, "article") is not None):
        approximate = message.at(index, "approximately")
        index = approximate.end if approximate is not None else index + 1
    if index >= end:
        return None
    dual = message.at(index, "dual")
    if dual is not None:
        count, unit = dual.canonical.split()
        return int(count) * _PERIOD_DAYS[unit], dual.end
    period = message.at(index, "period")
    if period is not None:
        return _PERIOD_DAYS[period.canonical], period.end
    number = find_number(message, index, end=end, can_group=False)
    if number is None or not 0 < number.value <= 400:
        return None
    if number.suffix:
        return None
    period = message.at(number.end, "period") if number.end < end else None
    return (int(number.value * _PERIOD_DAYS[period.canonical]), period.end) if period is not None else None


# What reads a date, what it can begin with, and whether a figure is among that; the longest reading comes first.
_READERS: tuple[tuple[Callable[[Message, int, int, date], When | None], frozenset[str], bool], ...] = (
    (_read_day_word, frozenset(("day_word",)), False),
    (_read_phrase, frozenset(("date_phrase",)), False),
    (_read_numeric, frozenset(), True),
    (_read_day_month, frozenset(("month", "month_word", "day_number")), True),
    (_read_span, frozenset(("within", "dual", "period", "approximately", "article", "number")), True),
    (_read_month, frozenset(("month", "month_word")), False),
    (_read_weekday, frozenset(("weekday",)), False),
)
_OPENERS = frozenset().union(*(categories for _, categories, _ in _READERS))
