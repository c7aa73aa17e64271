"""Times that a question names ("last week", "в марте", "قبل شهر", "el shahr elli fat"), as spans of days. Pure.

Words become tags (time_words.txt, months.txt, period_marks.txt), the grammar below reads tags and knows no language.
A period is looked for in the past: messages are what was said. Where no year is given, the latest such time is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

import numpy as np
from numpy.typing import NDArray

from patterns.text.arabic import normalise_arabic
from patterns.text.data_files import read_forms, read_groups, read_lines
from patterns.text.tokens import clean_text, split_words

DAY = timedelta(days=1)
UNIT_DAYS = {"day": 1, "week": 7, "month": 30.4, "year": 365.25, "weekend": 7}
BLUR = {"day": 0.6, "week": 4, "month": 12, "year": 100, "weekend": 3}
"""Days around a point in the past: "two weeks ago" is not said of a day."""
PARTS = {"early": (1, 12), "middle": (9, 22), "late": (19, 31)}
SEASONS = {"winter": 12, "spring": 3, "summer": 6, "autumn": 9}
FIRST_YEAR, LAST_YEAR = 1990, 2100
MAX_WORDS, MAX_PHRASE, MAX_COUNT = 60, 4, 100
LEAST_MARGIN_DAYS, MARGIN_SHARE = 1.5, 0.3
_MARKS = read_groups("period_marks.txt")
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b|\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b")


@dataclass(frozen=True, slots=True)
class Period:
    """A span of time, its end excluded, and the words that named it."""

    start: datetime
    end: datetime
    words: str

    def weigh_all(self, moments: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each moment, in seconds since 1970: 1 inside, falling to 0 over a margin on both sides.

        People tell of things a day or two later.
        """
        start, end = self.start.timestamp(), self.end.timestamp()
        margin = max(LEAST_MARGIN_DAYS * DAY.total_seconds(), MARGIN_SHARE * (end - start))
        outside = np.maximum(np.maximum(start - moments, moments - end), 0.0)
        weights: NDArray[np.float64] = np.maximum(0.0, 1 - outside / margin)
        return weights


@dataclass(frozen=True, slots=True)
class _Tag:
    kind: str
    value: str
    words: str


_Found = tuple[Period, int]
_Reader = Callable[[Sequence[_Tag], int, datetime], "_Found | None"]


def find_periods(text: str, *, now: datetime, latest: datetime | None = None) -> tuple[Period, ...]:
    """The times that a question names, relative to `now`. None for most questions. Raises nothing.

    Months and seasons without a year are the last ones up to `latest`, when something was said for the last time.
    """
    latest = min(latest or now, now)
    periods = [_make_date(match, now) for match in _ISO.finditer(text)]
    tags = _tag_words(text)
    if all(tag.kind == "word" for tag in tags):
        tags = []  # no reader begins without a word of time or a number
    place = 0
    while place < len(tags):
        if tags[place].kind == "ahead":
            place += 2
            continue
        found = next(filter(None, (read(tags, place, now) for read in _READERS)), None)
        found = found or next(filter(None, (read(tags, place, latest) for read in _YEARLY_READERS)), None)
        if found:
            periods.append(found[0])
        place = found[1] if found else place + 1
    return tuple(period for period in periods if period and period.start <= now)


def _tag_words(text: str) -> list[_Tag]:
    typed = split_words(clean_text(text))[:MAX_WORDS]
    words = [word.lower().replace("ё", "е") for word in typed]
    tags: list[_Tag] = []
    place = 0
    while place < len(words):
        length, kind, value = _match_phrase(words, place)
        if kind in ("month", "season") and not _is_time(typed, words, place):
            kind = "word"
        if kind == "number" and FIRST_YEAR <= int(value) <= LAST_YEAR and _is_year(words[:place], tags):
            kind = "year"
        if kind != "skip":
            tags.append(_Tag(kind, value, " ".join(words[place : place + length])))
        place += length
    return tags


def _match_phrase(words: Sequence[str], place: int) -> tuple[int, str, str]:
    phrases = _read_phrases()
    for length in range(min(MAX_PHRASE, len(words) - place), 0, -1):
        found = phrases.get(" ".join(words[place : place + length]))
        if found:
            return length, *found
    word = words[place]
    ordinal = re.fullmatch(r"(\d{1,4})(?:st|nd|rd|th|го|е|ое)?", word)
    return (1, "number", ordinal[1]) if ordinal else (1, "word", word)


def _is_time(typed: Sequence[str], words: Sequence[str], place: int) -> bool:
    """Whether a word that is a month or season and maybe something else is the time here."""
    before = next((word for word in reversed(words[:place]) if word not in _MARKS["article"]), "")
    if words[place] not in _MARKS["also_other"]:
        return before not in _MARKS["ahead"]
    beside = [words[other] for other in (place - 1, place + 1) if 0 <= other < len(words)]
    return before in _MARKS["before_a_month"] or (
        typed[place][0].isupper() and any(word[:1].isdigit() for word in beside)
    )


def _is_year(before: Sequence[str], tags: Sequence[_Tag]) -> bool:
    """Whether a number of four digits is a year: after `in` and its like, after a month, or after its day."""
    return bool(before and before[-1] in _MARKS["before_a_year"]) or any(
        tag.kind in ("month", "season") for tag in tags[-2:]
    )


@cache
def _read_phrases() -> dict[str, tuple[str, str]]:
    phrases = {form: ("month", number) for form, number in read_forms("months.txt").items() if not form.isdigit()}
    for line in read_lines("time_words.txt"):
        tag, _, rest = line.partition(":")
        kind, _, value = tag.partition("=")
        for phrase in rest.split():
            phrases.setdefault(normalise_arabic(phrase.replace("_", " ").strip()), (kind, value))
    return phrases


def _peek(tags: Sequence[_Tag], place: int) -> _Tag:
    return tags[place] if 0 <= place < len(tags) else _Tag("end", "", "")


def _say(tags: Sequence[_Tag], start: int, end: int) -> str:
    return " ".join(tag.words for tag in tags[start:end])


def _start_of_day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _read_day(tags: Sequence[_Tag], place: int, now: datetime) -> _Found | None:
    """Today, yesterday, the day before."""
    if tags[place].kind != "day":
        return None
    start = _start_of_day(now) - int(tags[place].value) * DAY
    return Period(start, start + DAY, tags[place].words), place + 1


def _read_ago(tags: Sequence[_Tag], place: int, now: datetime) -> _Found | None:
    """`3 days ago`, `неделю назад`, `قبل شهرين`."""
    is_before = tags[place].kind == "before"
    count, unit, end = _read_amount(tags, place + is_before)
    if not unit or (not is_before and _peek(tags, end).kind != "ago"):
        return None
    end += not is_before
    centre = now - timedelta(days=count * UNIT_DAYS[unit])
    blur = BLUR[unit] * DAY * (1 + max(0, count - 2) / 4)
    return Period(centre - blur, min(centre + blur, now), _say(tags, place, end)), end


def _read_amount(tags: Sequence[_Tag], place: int) -> tuple[int, str, int]:
    """A number and a unit, a unit alone, or a dual: how many, of what ("" for nothing), and where it ends."""
    if _peek(tags, place).kind == "two":
        return 2, tags[place].value, place + 1
    has_number = _peek(tags, place).kind == "number"
    unit = _peek(tags, place + has_number)
    if unit.kind != "unit":
        return 0, "", place
    return (min(int(tags[place].value), MAX_COUNT) if has_number else 1), unit.value, place + has_number + 1


def _read_recent(tags: Sequence[_Tag], place: int, now: datetime) -> _Found | None:
    """`in the last two weeks`, `за последние три дня`, `اخر اسبوعين`, `last 3 days`."""
    if tags[place].kind not in ("recent", "last", "part") or tags[place].value not in ("", "late"):
        return None
    count, unit, end = _read_amount(tags, place + 1)
    if not unit or (count == 1 and tags[place].kind != "recent"):
        return None
    return Period(now - timedelta(days=count * UNIT_DAYS[unit]), now, _say(tags, place, end)), end


def _read_unit(tags: Sequence[_Tag], place: int, now: datetime) -> _Found | None:
    """`last week`, `الشهر الماضي`, `this month`, in either order of words."""
    pair = (tags[place], _peek(tags, place + 1))
    kinds = {tag.kind: tag for tag in pair}
    if "unit" not in kinds or not ({"last", "this"} & kinds.keys()):
        return None
    start, end = _find_unit(kinds["unit"].value, now)
    if "last" in kinds and kinds["unit"].value != "weekend":
        start, end = _find_unit(kinds["unit"].value, start - DAY)
    return Period(start, min(end, now), _say(tags, place, place + 2)), place + 2


def _find_unit(unit: str, moment: datetime) -> tuple[datetime, datetime]:
    """The calendar unit around a moment; for weekends the latest that has begun (Friday to Sunday)."""
    today = _start_of_day(moment)
    if unit == "day":
        return today, today + DAY
    if unit == "week":
        start = today - today.weekday() * DAY
        return start, start + 7 * DAY
    if unit == "weekend":
        start = today - ((today.weekday() - 4) % 7) * DAY
        return start, start + 3 * DAY
    if unit == "month":
        return _find_month(today.year, today.month, now=today)
    return today.replace(month=1, day=1), today.replace(year=today.year + 1, month=1, day=1)


def _find_month(year: int, month: int, *, now: datetime, count: int = 1) -> tuple[datetime, datetime]:
    start = _start_of_day(now).replace(year=year, month=month, day=1)
    last = month - 1 + count
    return start, start.replace(year=year + last // 12, month=last % 12 + 1)


def _read_month(tags: Sequence[_Tag], place: int, now: datetime) -> _Found | None:
    """`in March`, `7 May 2023`, `May 7`, `в начале марта`, `late May`."""
    at = next((n for n in range(place, place + 2) if _peek(tags, n).kind == "month"), None)
    if at is None or (at > place and tags[place].kind not in ("number", "part")):
        return None
    before, after, end = tags[place] if at > place else _Tag("", "", ""), _peek(tags, at + 1), at + 1
    day = int(before.value) if before.kind == "number" else 0
    if not day and after.kind == "number" and before.kind != "part":
        day, end = int(after.value), end + 1
    month, year = int(tags[at].value), 0
    if _peek(tags, end).kind == "year":
        year, end = int(tags[end].value), end + 1
    elif _peek(tags, end).kind == "last":
        end += 1
    start, stop = _find_month(year or now.year - (month > now.month), month, now=now)
    if 1 <= day <= (stop - start).days:
        start, stop = start + (day - 1) * DAY, start + day * DAY
    elif before.kind == "part":
        first, last = PARTS[before.value]
        start, stop = start + (first - 1) * DAY, min(start + last * DAY, stop)
    return Period(start, stop, _say(tags, place, end)), end


def _read_season(tags: Sequence[_Tag], place: int, now: datetime) -> _Found | None:
    """`in summer`, `зимой`: the latest one that has begun; `last summer`, `الصيف الماضي`: the latest that has ended."""
    at = place + (tags[place].kind == "last")
    if _peek(tags, at).kind != "season":
        return None
    end = at + 1 + (_peek(tags, at + 1).kind in ("last", "year"))
    first = SEASONS[tags[at].value]
    year = int(tags[end - 1].value) if tags[end - 1].kind == "year" else now.year - (first > now.month)
    start, stop = _find_month(year, first, now=now, count=3)
    if stop > now and "last" in (tags[place].kind, tags[end - 1].kind):
        start, stop = _find_month(year - 1, first, now=now, count=3)
    return Period(start, stop, _say(tags, place, end)), end


def _read_weekday(tags: Sequence[_Tag], place: int, now: datetime) -> _Found | None:
    """`on Monday`, `last Friday`: the latest one before today."""
    at = place + (tags[place].kind == "last")
    if _peek(tags, at).kind != "weekday":
        return None
    end = at + 1 + (_peek(tags, at + 1).kind == "last")
    today = _start_of_day(now)
    start = today - ((today.weekday() - int(tags[at].value) - 1) % 7 + 1) * DAY
    return Period(start, start + DAY, _say(tags, place, end)), end


def _read_year(tags: Sequence[_Tag], place: int, now: datetime) -> _Found | None:
    """`in 2023`."""
    if tags[place].kind != "year":
        return None
    start = _start_of_day(now).replace(year=int(tags[place].value), month=1, day=1)
    return Period(start, start.replace(year=start.year + 1), tags[place].words), place + 1


def _make_date(match: re.Match[str], now: datetime) -> Period | None:
    year, month, day = (match[1], match[2], match[3]) if match[1] else (match[6], match[5], match[4])
    try:
        start = _start_of_day(now).replace(year=int(year), month=int(month), day=int(day))
        return Period(start, start + DAY, match[0])
    except (ValueError, OverflowError):
        return None


_READERS: tuple[_Reader, ...] = (_read_day, _read_ago, _read_recent, _read_unit, _read_weekday)
_YEARLY_READERS: tuple[_Reader, ...] = (_read_month, _read_season, _read_year)
