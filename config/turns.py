"""Turns: requests that keep a processor busy are worked on one after another, in the order in which they came.

Two searches in one process share one processor whatever is done: begun together, both end late. One after the other,
the first ends in half of the time and the second no later, so that few wait long (bench/results.md). Whoever takes
longer than `patience`, because it waits for somebody else or has more to read, is no longer waited for. No Django.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

LATE_SECONDS: Final = 0.05  # seconds: several times what an ordinary search takes


class Turns:
    """At most `count` at a time that are not late yet. `note` is told how many work or wait, whenever that changes."""

    def __init__(
        self, count: int = 1, *, patience: float = LATE_SECONDS, note: Callable[[int], None] = lambda length: None
    ) -> None:
        self._count = count
        self._patience = patience
        self._note = note
        self._lock = threading.Lock()
        self._waiting: deque[_Turn] = deque()
        self._working: list[_Turn] = []

    @property
    def length(self) -> int:
        """How many work or wait."""
        return len(self._working) + len(self._waiting)

    @contextmanager
    def take(self) -> Iterator[None]:
        """Wait for one's turn; the next one's comes with the end of the block."""
        turn = _Turn()
        with self._lock:
            self._waiting.append(turn)
            self._note(self.length)
            self._call_next()
        while not turn.called.acquire(timeout=self._patience):
            # Nobody says when those who work become late: those who wait look.
            with self._lock:
                self._call_next()
        try:
            yield
        finally:
            with self._lock:
                self._working.remove(turn)
                self._note(self.length)
                self._call_next()

    def _call_next(self) -> None:
        now = time.monotonic()
        while self._waiting and sum(now - turn.began < self._patience for turn in self._working) < self._count:
            turn = self._waiting.popleft()
            turn.began = now
            self._working.append(turn)
            turn.called.release()


class _Turn:
    """One request: a lock that opens when it is called, and when that was."""

    __slots__ = ("began", "called")

    def __init__(self) -> None:
        self.called = threading.Lock()
        self.called.acquire()
        self.began = 0.0
