"""Smoothing over sessions: what neighbours add, and where they end."""

import struct

import numpy as np
import pytest

from retrieval.search.columns import Places
from retrieval.search.smoothing import find_dots, smooth
from tests.unit.patterns.text.test_lexemes import make_places, name

WEIGHTS = (0.5, 0.2, 0.3)


def read(places: Places, dots: dict[int, float]) -> list[float]:
    packed = b"".join(name(i).bytes + struct.pack(">f", dot) for i, dot in dots.items())
    return smooth(find_dots(places, packed), places, weights=WEIGHTS).tolist()


def test_each_message_gains_from_two_before_and_one_after():
    smoothed = read(make_places(*[("tea", 1)] * 4), {0: 0.1, 1: 0.2, 2: 0.4, 3: 0.8})
    assert smoothed[2] == pytest.approx(0.4 + 0.5 * 0.2 + 0.2 * 0.1 + 0.3 * 0.8)
    assert smoothed[0] == pytest.approx(0.1 + 0.3 * 0.2)


def test_neighbours_end_with_the_session_and_the_conversation():
    places = make_places(("tea", 1), ("tea", 2), ("tea", 2), conversations=(1, 1, 2))
    assert read(places, {0: 0.5, 1: 0.5, 2: 0.5}) == [0.5] * 3


def test_a_message_without_a_vector_has_none_and_adds_nothing():
    smoothed = read(make_places(*[("tea", 1)] * 3), {0: 0.5, 2: 0.5})
    assert np.isnan(smoothed[1])
    assert smoothed[2] == pytest.approx(0.5 + 0.2 * 0.5)


def test_vectors_may_come_in_any_order_and_be_of_messages_that_left():
    places = make_places(*[("tea", 1)] * 3)
    assert read(places, {0: 0.1, 1: 0.2, 2: 0.4}) == read(places, {2: 0.4, 9: 1.0, 0: 0.1, 1: 0.2})


def test_a_user_without_messages_has_no_places():
    assert read(make_places(), {}) == []
    assert read(make_places(), {1: 0.5}) == []
