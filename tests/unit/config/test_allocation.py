"""Memory that a web process keeps."""

import ctypes
from typing import Any

import pytest

from config.allocation import keep_freed_memory


def test_glibc_takes_the_bounds() -> None:
    assert keep_freed_memory() == hasattr(ctypes.CDLL(None), "gnu_get_libc_version")


def test_another_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: Any) -> object:
        return object()

    monkeypatch.setattr(ctypes, "CDLL", load)
    assert keep_freed_memory() is False
