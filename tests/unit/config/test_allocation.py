"""Memory that a web process keeps."""

import ctypes
import gc
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from config import allocation
from config.allocation import (
    ASKED_SECONDS,
    BUSY_SECONDS,
    COLLECT_AFTER,
    GROWTH,
    IDLE_SECONDS,
    Aside,
    Use,
    collect_seldom,
    is_sweep_due,
    keep_freed_memory,
    measure_use,
)


class Ring:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.me = self


class Piece:
    """An object that refers to nothing."""


@pytest.fixture
def aside() -> Iterator[Aside]:
    aside = Aside()
    aside.begin()
    try:
        yield aside
    finally:
        aside.end()


def test_glibc_takes_the_bounds() -> None:
    assert keep_freed_memory() == hasattr(ctypes.CDLL(None), "gnu_get_libc_version")


def test_another_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: Any) -> object:
        return object()

    monkeypatch.setattr(ctypes, "CDLL", load)
    assert keep_freed_memory() is False


def test_circles_of_garbage_are_looked_for_seldom_and_all_other_garbage_goes_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(allocation, "aside", Aside())
    monkeypatch.setattr(allocation, "_sweep_seldom", lambda: None)
    before = gc.get_threshold()
    try:
        collect_seldom()
        assert gc.isenabled()
        assert gc.get_threshold() == (COLLECT_AFTER, *before[1:])
    finally:
        gc.set_threshold(*before)
        allocation.aside.end()


def test_a_circle_of_garbage_is_found_where_it_was_not_put_aside(aside: Aside) -> None:
    ring = weakref.ref(Ring())
    assert ring() is not None
    gc.collect(0)
    assert ring() is None


@pytest.mark.parametrize("is_looked_at", [True, False])
def test_what_was_put_aside_is_looked_at_again_only_when_all_is_swept(aside: Aside, is_looked_at: bool) -> None:
    times = aside.times
    ring = Ring()
    found = weakref.ref(ring)
    if is_looked_at:
        gc.collect(0)
    else:
        aside.put()
    assert aside.times == times + 1
    del ring
    for generation in (0, 1, 2):
        gc.collect(generation)
    assert found() is not None
    aside.sweep()
    assert found() is None


def test_what_was_put_aside_and_is_part_of_no_circle_goes_with_its_last_name(aside: Aside) -> None:
    store = {"a word": Piece()}
    found = weakref.ref(store["a word"])
    aside.put()
    store.clear()
    assert found() is None


def test_nothing_is_put_aside_while_all_is_swept(aside: Aside, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring()
    found = weakref.ref(ring)
    aside.put()
    del ring
    unfreeze = gc.unfreeze

    def unfreeze_and_put() -> None:
        unfreeze()
        aside.put()  # a batch of another thread ends

    monkeypatch.setattr(gc, "unfreeze", unfreeze_and_put)
    aside.sweep()
    assert found() is None


def test_nothing_is_put_aside_in_a_process_that_never_sweeps() -> None:
    before = gc.get_freeze_count()
    Aside().put()
    assert gc.get_freeze_count() == before


def test_all_is_swept_where_nothing_is_to_do_where_memory_has_grown_and_once_an_hour() -> None:
    swept = Use(at=0.0, worked=10.0, memory=400, times=4)
    before = Use(at=IDLE_SECONDS, worked=50.0, memory=400, times=9)
    busy = replace(before, at=IDLE_SECONDS + ASKED_SECONDS, worked=54.0)
    assert not is_sweep_due(swept, before, busy)
    assert is_sweep_due(swept, before, replace(busy, worked=50.01))
    assert not is_sweep_due(replace(swept, at=60.0), before, replace(busy, worked=50.01))
    assert is_sweep_due(swept, before, replace(busy, memory=int(400 * (1 + GROWTH)) + 1))
    assert is_sweep_due(swept, before, replace(busy, at=BUSY_SECONDS))
    assert not is_sweep_due(swept, before, replace(busy, worked=50.01, at=BUSY_SECONDS, times=swept.times))


def test_use_is_measured_in_bytes_that_are_held_now_and_in_seconds() -> None:
    first = measure_use()
    held = b"x" * 2**27
    second = measure_use()
    assert second.at >= first.at
    assert second.worked >= first.worked
    assert second.memory - first.memory > len(held) // 2
    del held
    assert measure_use().memory < second.memory
