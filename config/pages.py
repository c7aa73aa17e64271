"""Memory in pages of two megabytes instead of four kilobytes, where the kernel can join them.

The stores of a web process are hundreds of megabytes of small objects, and every word of a message looks some of them
up, anywhere: with small pages the processor has to find out first, each time, where a page is. Joined, the same work
takes a twentieth less of it (bench/results.md).

The interpreter asks for its memory a megabyte at a time, so the kernel never joins it by itself; told to, it does
(MADV_COLLAPSE, Linux 6.1 and later), whatever the system says about huge pages otherwise. Elsewhere nothing happens.
"""

from __future__ import annotations

import ctypes
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

HUGE_BYTES: Final = 2 * 1024 * 1024
SMALL_BYTES: Final = 4096
LEAST_SHARE: Final = 0.75  # of a huge page that is in use already: what is joined is held as a whole
PAUSE_SECONDS: Final = 0.005  # after each: while one is copied, who touches it waits a few milliseconds
_MADV_COLLAPSE: Final = 25  # of <linux/mman.h>
_PRESENT: Final = np.uint64(1 << 63)  # of an entry of /proc/self/pagemap, 8 bytes for each small page

Advise = Callable[[int, int, int], int]


@dataclass(frozen=True, slots=True)
class Joined:
    """Places of the memory after a walk through it: `held` are huge pages now, `refused` the kernel did not join."""

    held: int = 0
    refused: int = 0


def join_pages() -> Joined:
    """Join small pages of this process that are in use side by side. A place joined anew takes some milliseconds, one
    that is huge already next to nothing; other threads run on.
    """
    advise = _find_madvise()
    if advise is None:
        return Joined()
    results = []
    for place in list_used():
        results.append(advise(place, HUGE_BYTES, _MADV_COLLAPSE) == 0)
        time.sleep(PAUSE_SECONDS)
    return Joined(held=sum(results), refused=len(results) - sum(results))


def list_used() -> list[int]:
    """Addresses where `HUGE_BYTES` of the process's own memory are nearly all in use; none where it cannot be told."""
    places: list[int] = []
    with suppress(OSError), Path("/proc/self/pagemap").open("rb", buffering=0) as pages:
        for start, end in _list_own():
            first = -(-start // HUGE_BYTES) * HUGE_BYTES
            count = max(0, end - first) // HUGE_BYTES
            pages.seek(first // SMALL_BYTES * _PRESENT.itemsize)
            entries = np.frombuffer(pages.read(count * HUGE_BYTES // SMALL_BYTES * _PRESENT.itemsize), np.uint64)
            shares = (entries & _PRESENT != 0).reshape(-1, HUGE_BYTES // SMALL_BYTES).mean(axis=1)
            places += [first + int(place) * HUGE_BYTES for place in np.flatnonzero(shares >= LEAST_SHARE)]
    return places


def _list_own() -> Iterator[tuple[int, int]]:
    """Where memory begins and ends that is written by this process alone and is no file: heap, the interpreter's."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        place, rights, _, _, inode, *name = line.split(maxsplit=5)
        if rights == "rw-p" and inode == "0" and name in ([], ["[heap]"]):
            start, end = place.split("-")
            yield int(start, 16), int(end, 16)


@lru_cache(maxsize=1)
def _find_madvise() -> Advise | None:
    """madvise of the C library; None where it is not Linux on a machine of such pages."""
    if not sys.platform.startswith("linux") or resource.getpagesize() != SMALL_BYTES:
        return None
    advise: Any = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return cast(Advise, advise)
