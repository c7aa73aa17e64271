"""Memory that a web process keeps."""

import ctypes
import gc
from typing import Any

import pytest

from config.allocation import COLLECT_AFTER, collect_seldom, keep_freed_memory


def test_glibc_takes_the_bounds() -> None:
    assert keep_freed_memory() == hasattr(ctypes.CDLL(None), "gnu_get_libc_version")


def test_another_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: Any) -> object:
        return object()

    monkeypatch.setattr(ctypes, "CDLL", load)
    assert keep_freed_memory() is False


def test_circles_of_garbage_are_looked_for_seldom_and_all_other_garbage_goes_at_once() -> None:
    before = gc.get_threshold()
    try:
        collect_seldom()
        assert gc.isenabled()
        assert gc.get_threshold() == (COLLECT_AFTER, *before[1:])
    finally:
        gc.set_threshold(*before)
