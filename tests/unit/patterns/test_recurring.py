from __future__ import annotations

from patterns.recurring import MET_FOR_EACH, Recurring
from patterns.stores import DROPPED, make_room


def test_what_comes_a_second_time_is_kept() -> None:
    kept: Recurring[int] = Recurring(size=2)
    kept.note("ok", 1)
    assert kept.find("ok") is None
    kept.note("ok", 2)
    assert kept.find("ok") == 2


def test_a_store_never_outgrows_its_size() -> None:
    kept: Recurring[int] = Recurring(size=2)
    for number in range(10):
        for _ in range(2):
            kept.note(f"text {number}", number)
    for number in range(1000):
        kept.note(f"once {number}", number)
    assert len(kept._found) <= 2
    assert len(kept._met) <= 2 * MET_FOR_EACH


def test_a_full_store_drops_its_oldest_alone() -> None:
    store = {number: str(number) for number in range(1000)}
    assert make_room(store) == [str(number) for number in range(DROPPED)]
    assert list(store) == list(range(DROPPED, 1000))
