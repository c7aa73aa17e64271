"""A hard end to work that waits for somebody else: an embedder or a model across the network. Pure."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from functools import cache
from typing import TypeVar

Value = TypeVar("Value")
WAITING_THREADS = 16  # of a process; calls that were given up end by the client's own time limit


class TooLate(Exception):
    """The work was not done in time."""


def run_until(work: Callable[[], Value], *, deadline_ms: int) -> Value:
    """Do the work in another thread and wait at most `deadline_ms`. Raises TooLate and what the work raises.

    A client's own time limits count from byte to byte and leave out the name's resolution: an answer that trickles
    passes them. `work` must touch no database, for connections belong to threads.
    """
    future = _get_threads().submit(work)
    try:
        return future.result(timeout=deadline_ms / 1000)
    except FutureTimeout:
        future.cancel()
        raise TooLate from None


@cache
def _get_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=WAITING_THREADS, thread_name_prefix="deadline")
