"""An axis of time leaves out what is much longer than usual and empty, and says what it left out."""

import itertools
from datetime import UTC, datetime, timedelta

from config.console.drawing.axes import Axis, Stretch, make_axis

TODAY = datetime(2026, 11, 1, tzinfo=UTC)


def talk(days_ago: float, hours: float = 1) -> Stretch:
    began = TODAY - timedelta(days=days_ago)
    return began, began + timedelta(hours=hours)


def draw(*spans: Stretch) -> Axis:
    return make_axis(spans, left=0, right=1000)


def test_one_old_talk_does_not_squeeze_the_others() -> None:
    recent = [talk(days) for days in range(0, 20)]
    axis = draw(*recent, talk(900))
    places = [axis.find_x(began) for began, _ in sorted(recent)]
    assert places[-1] - places[0] > 850
    assert axis.find_x(talk(900)[0]) == 0
    ((x, first, last),) = axis.list_breaks()
    assert 0 < x < places[0]
    assert (first, last) == (talk(900)[1], talk(19)[0])


def test_several_old_talks_have_a_break_each() -> None:
    axis = draw(*(talk(days) for days in range(10)), talk(400), talk(900))
    assert len(axis.list_breaks()) == 2


def test_talks_at_an_even_pace_have_no_break() -> None:
    axis = draw(*(talk(30 * month) for month in range(8)))
    assert axis.list_breaks() == []
    assert len(axis.list_days(apart=74)) == 5


def test_some_weeks_have_no_break_whatever_their_talks() -> None:
    assert draw(talk(1), talk(1.1), talk(4), talk(4.1), talk(30)).list_breaks() == []


def test_order_is_kept_and_all_stays_within_the_picture() -> None:
    spans = sorted([*(talk(days, hours=30) for days in range(15)), talk(200), talk(1500), talk(1501)])
    assert len(draw(*spans).list_breaks()) == 2
    axis = draw(*spans)
    places = [axis.find_x(began) for began, _ in spans]
    assert places == sorted(places)
    assert places[0] >= 0 and axis.find_x(spans[-1][1]) <= 1000


def test_one_talk_or_one_moment_is_drawn_as_well() -> None:
    assert draw(talk(1)).list_breaks() == []
    moment = (TODAY, TODAY)
    assert 0 <= draw(moment).find_x(TODAY) <= 1000
    assert 0 <= draw(moment, moment).find_x(TODAY) <= 1000


def test_days_do_not_stand_on_each_other() -> None:
    axis = draw(*(talk(days) for days in range(10)), talk(900), talk(901))
    days = [x for x, _ in axis.list_days(apart=74)]
    assert all(after - before >= 74 for before, after in itertools.pairwise(days))
