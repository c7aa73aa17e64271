"""Files of counters whose room on the disk is taken when they are made.

`prometheus_client` makes a file longer without taking room, and writes to it through memory. On a full disk the system
ends a process that does so (SIGBUS), the next one likewise, and so on. Here the room is taken first; where there is
none the counters of this process stay in its memory and are missing from the page until it starts again.
"""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from prometheus_client import mmap_dict, values

_ENTRY_EXTRA: Final = 64
"""Bytes of an entry beside its key, rounded up."""


def reserve_figure_files() -> None:
    """From now on files of counters are made in this way. Called before the first counter is made."""
    values.MmapedDict = ReservedFile  # type: ignore[attr-defined]  # the library offers no other way


class ReservedFile(mmap_dict.MmapedDict):
    """The same file, or memory where the disk has no room."""

    _f: BinaryIO | None  # type: ignore[assignment]

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        if read_mode or _reserve(filename, mmap_dict._INITIAL_MMAP_SIZE):
            super().__init__(filename, read_mode)  # type: ignore[no-untyped-call]
            return
        self._f, self._fname, self._positions = None, filename, {}
        self._capacity = mmap_dict._INITIAL_MMAP_SIZE
        self._m = mmap.mmap(-1, self._capacity)
        self._used = 8
        mmap_dict._pack_integer(self._m, 0, self._used)

    def _init_value(self, key: str) -> None:
        needed = self._used + len(key.encode()) + _ENTRY_EXTRA
        if needed > self._capacity:
            self._grow(needed)
        super()._init_value(key)  # type: ignore[no-untyped-call]

    def _grow(self, needed: int) -> None:
        while self._capacity < needed:
            self._capacity *= 2
        if self._f is not None and _reserve(self._fname, self._capacity):
            self._m = mmap.mmap(self._f.fileno(), self._capacity)
            return
        wider = mmap.mmap(-1, self._capacity)
        wider[: self._used] = self._m[: self._used]
        if self._f is not None:
            self._f.close()
        self._f, self._m = None, wider


def _reserve(filename: str, size: int) -> bool:
    """Take room for a file; False, and no file that was not there before, when there is none."""
    handle = os.open(filename, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    before = os.fstat(handle).st_size
    try:
        take_room(handle, size)
    except OSError:
        with suppress(OSError):
            os.truncate(handle, before)
            if before == 0:
                Path(filename).unlink()
        return False
    finally:
        os.close(handle)
    return True


def take_room(handle: int, size: int) -> None:
    """Make an open file at least that long, its room taken. Raises OSError when the disk has too little."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, size)
        return
    missing = size - os.fstat(handle).st_size
    if missing > 0:
        os.pwrite(handle, bytes(missing), size - missing)
