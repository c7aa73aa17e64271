"""How a web process deals with memory that a large search gives back: it keeps it for the next one.

A search in a user of 20,000 messages takes a dozen pieces of megabytes each. The C library would return every one to
the system and ask for it anew, and the system clears each page again: a third of the search's time. With a heap for
each thread it would do so all the same, since whole heaps of threads are given back at once.

And it looks for circles of garbage less often than Python does unasked, every 700 new objects: a batch of a hundred
messages makes tens of thousands that live until it is answered, and walking them over and over was a fifth of its time.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from typing import Final

MEBIBYTE: Final = 1024 * 1024
KEPT_BYTES: Final = 64 * MEBIBYTE  # of a process, at most
LARGEST_KEPT_BYTES: Final = 32 * MEBIBYTE  # a larger piece goes back at once; more than this the library does not take
_ARENA_MAX: Final = -8  # M_ARENA_MAX
_TRIM_THRESHOLD: Final = -1  # M_TRIM_THRESHOLD of <malloc.h>
_MMAP_THRESHOLD: Final = -3  # M_MMAP_THRESHOLD

COLLECT_AFTER: Final = 50_000  # objects more than before: some two batches' worth, a walk of a few milliseconds


def keep_freed_memory() -> bool:
    """Tell the C library so. False where it is not glibc: then nothing changes."""
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        if hasattr(library, "gnu_get_libc_version"):
            wanted = ((_MMAP_THRESHOLD, LARGEST_KEPT_BYTES), (_TRIM_THRESHOLD, KEPT_BYTES), (_ARENA_MAX, 1))
            return all(library.mallopt(name, value) for name, value in wanted)
    return False


def collect_seldom() -> None:
    """Look for garbage that refers to itself after `COLLECT_AFTER` new objects; all other goes at once anyway."""
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])
