"""Pictures: what is drawn stands where its number says, and the same numbers stand in words and in a table."""

from __future__ import annotations

from datetime import UTC, date, datetime
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import pytest
from django.template.loader import render_to_string

from config.console.drawing.pictures import (
    WIDTH,
    Column,
    Key,
    Picture,
    RatePoint,
    Span,
    draw_columns,
    draw_rate,
    draw_spans,
    find_top,
)
from config.console.rules.trial_picture import draw_trial

KEYS = (Key("good", "changes"), Key("soft", "staged"))


def draw_two_days() -> Picture:
    columns = [Column("1 Mar", (3, 1)), Column("2 Mar", (0, 2))]
    picture = draw_columns(name="days", title="By day", keys=KEYS, columns=columns)
    assert picture is not None
    return picture


@pytest.mark.parametrize(("highest", "top"), [(0, 0), (1, 1), (3, 4), (7, 8), (9, 10), (11, 20), (450, 500), (0.4, 1)])
def test_a_scale_ends_at_a_round_number_that_is_not_too_small(highest: float, top: float) -> None:
    assert find_top(highest) == top


def test_pieces_of_a_column_stand_on_each_other_and_are_as_high_as_their_number() -> None:
    three, one, two = draw_two_days().shapes
    assert three.height == pytest.approx(3 * one.height, abs=0.2)
    assert one.y + one.height == pytest.approx(three.y, abs=0.2)
    assert two.y + two.height == pytest.approx(three.y + three.height, abs=0.2)
    assert "1 Mar: 3 changes" in three.title


def test_the_numbers_of_a_picture_are_in_words_and_in_a_table() -> None:
    picture = draw_two_days()
    assert picture.words == "3 changes, 3 staged, from 1 Mar to 2 Mar. Most on 1 Mar: 4."
    assert picture.columns == ("Day", "Changes", "Staged")
    assert picture.rows == (("1 Mar", "3", "1"), ("2 Mar", "0", "2"))


def test_nothing_is_drawn_of_nothing() -> None:
    nothing = [Column("1 Mar", (0, 0))]
    assert draw_columns(name="x", title="x", keys=KEYS, columns=nothing) is None
    assert draw_rate(name="x", title="x", points=[RatePoint("1 Mar", None)], unit="Week") is None
    assert draw_spans(name="x", title="x", spans=[], ends=("", ""), unit="Stage") is None


def test_a_week_without_a_number_leaves_a_gap_and_the_band_holds_the_rate() -> None:
    points = [
        RatePoint("1 Mar", 10.0, 5.0, 20.0, "1 of 10"),
        RatePoint("8 Mar", None),
        RatePoint("15 Mar", 0.0, 0.0, 4.0),
    ]
    picture = draw_rate(name="weeks", title="By week", points=points, unit="Week of")
    assert picture is not None
    assert (len(picture.points), len(picture.shapes), len(picture.rows)) == (2, 2, 2)
    for mark, band in zip(picture.points, picture.shapes, strict=True):
        assert band.y - 0.2 <= mark.y <= band.y + band.height + 0.2
    assert picture.points[1].x - picture.points[0].x > WIDTH / 2


def test_spans_are_drawn_to_one_scale_and_stay_within_the_picture() -> None:
    spans = [
        Span("M", 0, 10, "soft", "1 – 10 March"),
        Span("L", 10, 40, "good", "10 March – now"),
        Span("x" * 60, 40, 40, "other", "at once"),
    ]
    picture = draw_spans(name="key", title="Versions", spans=spans, ends=("1 Mar", "now"), unit="Value")
    assert picture is not None
    first, second, third = picture.shapes
    assert second.width == pytest.approx(3 * first.width, abs=0.2)
    assert third.width > 0
    assert all(shape.x + shape.width <= picture.width for shape in picture.shapes)
    assert all(len(mark.text) <= 16 for mark in picture.labels)


def test_a_picture_is_sound_svg_with_a_name_and_a_description_and_escapes_what_people_wrote() -> None:
    spans = [Span('<script>"x"&', 0, 10, "soft", "<b>now</b>")]
    picture = draw_spans(name="key", title="Versions", spans=spans, ends=("1 Mar", "now"), unit="Value")
    for one in (picture, draw_two_days()):
        page = render_to_string("console/picture.html", {"picture": one})
        svg = ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])
        named = [svg.find(f"*[@id='{each}']") for each in svg.attrib["aria-labelledby"].split()]
        assert all(found is not None and found.text for found in named)
        assert svg.attrib["role"] == "img"
        assert "<script>" not in page
        assert page.count("<tr>") == 1 + len(one.rows) if one else False


def test_a_trial_is_drawn_from_its_first_day_with_days_on_which_nothing_came() -> None:
    zone, now = ZoneInfo("Asia/Dubai"), datetime(2026, 3, 4, 12, tzinfo=UTC)
    counts = {(date(2026, 3, 2), 3): 4, (date(2026, 3, 2), 2): 9, (date(2026, 3, 4), 3): 1}
    picture = draw_trial(counts, tried=3, before=2, since=datetime(2026, 3, 2, 8, tzinfo=UTC), now=now, zone=zone)
    assert picture is not None
    assert picture.rows == (("02 Mar", "4", "9"), ("03 Mar", "0", "0"), ("04 Mar", "1", "0"))
    assert [key.words for key in picture.keys] == ["facts of the trial, v3", "facts of v2, active"]
    alone = draw_trial(counts, tried=3, before=0, since=datetime(2020, 1, 1, tzinfo=UTC), now=now, zone=zone)
    assert alone is not None
    assert (len(alone.rows), len(alone.keys)) == (30, 1)
