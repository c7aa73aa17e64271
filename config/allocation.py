"""How a web process deals with memory that a large search gives back: it keeps it for the next one.

A search in a user of 20,000 messages takes a dozen pieces of megabytes each. The C library would return every one to
the system and ask for it anew, and the system clears each page again: a third of the search's time. With a heap for
each thread it would do so all the same, since whole heaps of threads are given back at once.

And it looks for circles of garbage less often than Python does unasked, every 700 new objects: a batch of a hundred
messages makes tens of thousands that live until it is answered, and walking them over and over was a fifth of its time.

What lives on after that is nearly all words that were never met before: they stay until their store is full and then go
one by one, by their count. Looking at them again and again finds nothing and stops the process for a fifth of a second.
So whatever was looked at once is put aside, and what a batch that went well leaves behind at once, for it leaves no
circles (tests/api/test_circles.py). All that was put aside is looked through when nobody waits for it, when the memory
of the process has grown, or once an hour.

And it joins the pages of memory that stays (config/pages.py).
"""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from config.pages import join_pages

MEBIBYTE: Final = 1024 * 1024
KEPT_BYTES: Final = 64 * MEBIBYTE  # of a process, at most
LARGEST_KEPT_BYTES: Final = 32 * MEBIBYTE  # a larger piece goes back at once; more than this the library does not take
_ARENA_MAX: Final = -8  # M_ARENA_MAX
_TRIM_THRESHOLD: Final = -1  # M_TRIM_THRESHOLD of <malloc.h>
_MMAP_THRESHOLD: Final = -3  # M_MMAP_THRESHOLD

COLLECT_AFTER: Final = 50_000  # objects more than before: some two batches' worth, a walk of a few milliseconds
ASKED_SECONDS: Final = 5.0  # how often it is asked whether all is to be looked through
IDLE_SHARE: Final = 0.02  # of a processor: who uses less has nothing to do
IDLE_SECONDS: Final = 600.0  # from one time to the next where nothing is to do
BUSY_SECONDS: Final = 3600.0  # the same where there is always something
GROWTH: Final = 0.5  # of its memory: so much more may it take before circles of garbage are looked for
JOINED_BYTES: Final = 16 * MEBIBYTE  # more or less of memory: then it is looked through for pages to join


def keep_freed_memory() -> bool:
    """Tell the C library so. False where it is not glibc: then nothing changes."""
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        if hasattr(library, "gnu_get_libc_version"):
            wanted = ((_MMAP_THRESHOLD, LARGEST_KEPT_BYTES), (_TRIM_THRESHOLD, KEPT_BYTES), (_ARENA_MAX, 1))
            return all(library.mallopt(name, value) for name, value in wanted)
    return False


class Aside:
    """Objects that are not looked at for circles of garbage until all are. None before `begin`."""

    def __init__(self) -> None:
        self.times = 0
        """How often something was put aside."""
        self._has_begun = False
        self._is_sweeping = False

    def begin(self) -> None:
        """From now on put aside what has been looked at once."""
        if not self._has_begun:
            self._has_begun = True
            gc.callbacks.append(self._follow)

    def end(self) -> None:
        """Look at everything again."""
        self._has_begun = False
        gc.callbacks.remove(self._follow)
        self.sweep()

    def put(self) -> None:
        """Put aside what is alive now. For moments in which hardly anything is that will be part of a circle."""
        if self._has_begun and not self._is_sweeping:
            self.times += 1
            gc.freeze()

    def sweep(self) -> None:
        """Look through all that was put aside, too: stops the process for a quarter of a second."""
        self._is_sweeping = True  # another thread must not put aside what is about to be looked through
        gc.unfreeze()
        gc.collect()
        self._is_sweeping = False
        self.put()
        with suppress(OSError, AttributeError):  # given back, so that it is seen when memory grows again; glibc alone
            ctypes.CDLL(None).malloc_trim(0)

    def _follow(self, phase: str, info: dict[str, Any]) -> None:
        if phase == "stop":
            self.put()


aside: Final = Aside()


def collect_seldom() -> None:
    """Look for garbage that refers to itself after `COLLECT_AFTER` new objects, and at each of them once until all are
    swept; other garbage goes at once anyway. Begins a thread.
    """
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])
    aside.begin()
    threading.Thread(target=_sweep_seldom, name="sweep", daemon=True).start()


@dataclass(frozen=True, slots=True)
class Use:
    """What the process uses at a moment: seconds, seconds of a processor, bytes; times it has put something aside."""

    at: float
    worked: float
    memory: int
    times: int


def measure_use() -> Use:
    """The use now."""
    return Use(time.monotonic(), time.process_time(), _measure_memory(), aside.times)


def _measure_memory() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:  # not Linux: the most it ever was
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def is_sweep_due(swept: Use, before: Use, now: Use) -> bool:
    """Whether to look through all again: `swept` is the use at the last time, `before` when it was last asked."""
    if now.times == swept.times:
        return False
    is_idle = now.worked - before.worked < IDLE_SHARE * (now.at - before.at)
    has_grown = now.memory - swept.memory > GROWTH * swept.memory
    return has_grown or now.at - swept.at >= (IDLE_SECONDS if is_idle else BUSY_SECONDS)


def _sweep_seldom() -> None:
    swept = before = measure_use()
    joined = 0
    while True:
        time.sleep(ASKED_SECONDS)
        now = measure_use()
        if is_sweep_due(swept, before, now):
            aside.sweep()
            now = swept = measure_use()
        if abs(now.memory - joined) > JOINED_BYTES:
            join_pages()
            joined = now.memory
        before = now
