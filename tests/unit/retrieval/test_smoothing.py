"""Smoothing over sessions: what neighbours add, and where they end."""

import struct
from uuid import UUID

import numpy as np
import pytest

from retrieval.smoothing import Places, unpack_places

WEIGHTS = (0.5, 0.2, 0.3)
FIRST, SECOND = UUID(int=1 << 100), UUID(int=2 << 100)


def name(number: int) -> UUID:
    return UUID(int=(number << 64) + 256)  # ends with a zero byte, as one id in 256 does


def unpack(places: dict[UUID, list[tuple[int, int, int]]], dots: dict[int, float]) -> Places:
    """Places are (id, seq, session) by conversation."""
    rows = [
        (conversation_id, b"".join(name(i).bytes + struct.pack(">ii", seq, session) for i, seq, session in members))
        for conversation_id, members in places.items()
    ]
    packed_dots = b"".join(name(i).bytes + struct.pack(">f", dot) for i, dot in dots.items())
    return unpack_places(rows, packed_dots, weights=WEIGHTS)


def test_each_message_gains_from_two_before_and_one_after():
    places = unpack({FIRST: [(1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 4, 1)]}, {1: 0.1, 2: 0.2, 3: 0.4, 4: 0.8})
    assert places.find_smoothed(FIRST, 3) == pytest.approx(0.4 + 0.5 * 0.2 + 0.2 * 0.1 + 0.3 * 0.8)
    assert places.find_smoothed(FIRST, 1) == pytest.approx(0.1 + 0.3 * 0.2)


def test_neighbours_end_with_the_session_and_the_conversation():
    places = unpack({FIRST: [(1, 1, 1), (2, 2, 2)], SECOND: [(3, 1, 2)]}, {1: 0.5, 2: 0.5, 3: 0.5})
    assert [places.find_smoothed(FIRST, 1), places.find_smoothed(FIRST, 2), places.find_smoothed(SECOND, 1)] == [
        0.5
    ] * 3


def test_a_message_without_a_vector_has_none_and_adds_nothing():
    places = unpack({FIRST: [(1, 1, 1), (2, 2, 1), (3, 3, 1)]}, {1: 0.5, 3: 0.5})
    assert places.find_smoothed(FIRST, 2) is None
    assert places.find_smoothed(FIRST, 3) == pytest.approx(0.5 + 0.2 * 0.5)
    assert places.list_without_vector([name(1), name(2)]) == [name(2)]


def test_places_that_come_out_of_order_are_put_in_order():
    ordered = unpack({FIRST: [(1, 1, 1), (2, 2, 1), (3, 3, 1)]}, {1: 0.1, 2: 0.2, 3: 0.4})
    mixed = unpack({FIRST: [(3, 3, 1), (1, 1, 1), (2, 2, 1)]}, {2: 0.2, 3: 0.4, 1: 0.1})
    assert np.array_equal(ordered.smoothed, mixed.smoothed)


def test_the_nearest_are_inside_the_filters_above_zero_and_best_first():
    places = unpack(
        {FIRST: [(1, 1, 1), (2, -2, 2), (3, 3, 3), (4, 4, 4), (5, 5, 5)]}, {1: 0.2, 2: 0.9, 3: 0.4, 4: -0.1, 5: 0.3}
    )
    assert places.choose_nearest(depth=10) == [name(3), name(5), name(1)]
    assert places.choose_nearest(depth=2) == [name(3), name(5)]
    assert places.count_in_scope() == 4


def test_a_user_without_messages_has_no_places():
    places = unpack({}, {})
    assert places.choose_nearest(depth=5) == []
    assert places.find_smoothed(FIRST, 1) is None
