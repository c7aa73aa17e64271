"""Times that a question names, in four languages, as spans of days."""

from datetime import UTC, date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patterns.text.data_files import read_lines
from retrieval.search.periods import Period, find_periods

NOW = datetime(2026, 6, 30, 9, tzinfo=UTC)  # a Tuesday


def find_days(text: str, **more: datetime) -> list[tuple[date, date]]:
    """First and last day of each period."""
    return [(p.start.date(), p.end.date()) for p in find_periods(text, now=NOW, **more)]


def day(text: str) -> date:
    return date.fromisoformat(text)


@pytest.mark.parametrize(
    "question",
    [
        "What did I buy last week?",
        "что я купила на прошлой неделе",
        "وش اشتريت الأسبوع اللي فات؟",
        "el osbo3 elli fat eshtarayt eh",
    ],
)
def test_last_week_is_the_calendar_week_before(question: str):
    assert find_days(question) == [(day("2026-06-22"), day("2026-06-29"))]


@pytest.mark.parametrize(
    "question", ["what did I wear in March", "что я носила в марте", "وش لبست في مارس؟", "shu lbest b mars?"]
)
def test_a_month_without_a_year_is_the_last_one(question: str):
    assert find_days(question) == [(day("2026-03-01"), day("2026-04-01"))]


@pytest.mark.parametrize("question", ["a month ago", "месяц назад", "قبل شهر", "gabl shahar", "من شهر"])
def test_a_month_ago_is_a_few_weeks_around_that_day(question: str):
    (start, end) = find_days(question)[0]
    assert (start, end) == (day("2026-05-18"), day("2026-06-11"))


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("al shahr elli fat", "2026-05-01", "2026-06-01"),
        ("last month", "2026-05-01", "2026-06-01"),
        ("в прошлом месяце", "2026-05-01", "2026-06-01"),
        ("الشهر الماضي", "2026-05-01", "2026-06-01"),
        ("yesterday", "2026-06-29", "2026-06-30"),
        ("вчера", "2026-06-29", "2026-06-30"),
        ("البارحة", "2026-06-29", "2026-06-30"),
        ("embare7", "2026-06-29", "2026-06-30"),
        ("on Monday", "2026-06-29", "2026-06-30"),
        ("в пятницу", "2026-06-26", "2026-06-27"),
        ("يوم الجمعة", "2026-06-26", "2026-06-27"),
        ("in early February", "2026-02-01", "2026-02-13"),
        ("в начале марта", "2026-03-01", "2026-03-13"),
        ("7 May 2023", "2023-05-07", "2023-05-08"),
        ("May 7, 2023", "2023-05-07", "2023-05-08"),
        ("3 марта", "2026-03-03", "2026-03-04"),
        ("on 2026-05-07", "2026-05-07", "2026-05-08"),
        ("07.05.2026", "2026-05-07", "2026-05-08"),
        ("in 2025", "2025-01-01", "2026-01-01"),
        ("last winter", "2025-12-01", "2026-03-01"),
        ("прошлым летом", "2025-06-01", "2025-09-01"),
        ("الصيف الماضي", "2025-06-01", "2025-09-01"),
        ("за последние три дня", "2026-06-27", "2026-06-30"),
        ("آخر أسبوعين", "2026-06-16", "2026-06-30"),
        ("قبل شهرين", "2026-04-18", "2026-05-12"),
        ("last weekend", "2026-06-26", "2026-06-29"),
    ],
)
def test_a_named_time_becomes_days(question: str, start: str, end: str):
    assert find_days(question) == [(day(start), day(end))]


@pytest.mark.parametrize(
    "question",
    [
        "When did I fall off my bike?",
        "you may go",
        "we march on",
        "my size is 2020",
        "what do I do every Monday",
        "next week",
        "plans for the summer",
        "на следующей неделе",
        "الأسبوع القادم",
        "",
        "😀",
    ],
)
def test_what_is_no_time_in_the_past_names_none(question: str):
    assert find_days(question) == []


def test_a_month_is_looked_for_where_something_was_said():
    assert find_days("in July", latest=datetime(2023, 10, 1, tzinfo=UTC)) == [(day("2023-07-01"), day("2023-08-01"))]
    assert find_days("last week", latest=datetime(2023, 10, 1, tzinfo=UTC)) == [(day("2026-06-22"), day("2026-06-29"))]


def test_what_was_told_a_little_later_still_weighs_something():
    period = Period(datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 6, 2, tzinfo=UTC), "")
    moments = [
        datetime(2026, 6, 1, 12, tzinfo=UTC),
        datetime(2026, 6, 2, 18, tzinfo=UTC),
        datetime(2026, 6, 9, tzinfo=UTC),
    ]
    inside, after, far = period.weigh_all(np.array([moment.timestamp() for moment in moments]))
    assert inside == 1
    assert 0 < after < 1
    assert far == 0


@pytest.mark.parametrize(
    "question",
    [
        "31 February",
        "32.13.2026",
        "0 May",
        "99999999999 days ago",
        "in 2100",
        "9999-12-31",
        "9999 years ago",
        "12 days of 0000",
        "2 years ago" * 40,
    ],
)
def test_impossible_times_never_raise(question: str):
    assert isinstance(find_periods(question, now=NOW), tuple)


WORDS = [word for line in read_lines("time_words.txt") for word in line.partition(":")[2].replace("_", " ").split()]


@given(st.lists(st.sampled_from([*WORDS, "may", "31", "29", "2100", "1990", "0", "9999", "12.12.2024"]), max_size=8))
def test_no_row_of_time_words_ever_raises_or_lies_ahead(words: list[str]):
    for period in find_periods(" ".join(words), now=NOW, latest=datetime(2024, 2, 29, tzinfo=UTC)):
        assert period.start <= NOW
        assert period.start < period.end


@given(st.text(max_size=60))
def test_no_text_ever_raises(text: str):
    assert isinstance(find_periods(text, now=datetime(2024, 2, 29, tzinfo=UTC)), tuple)
