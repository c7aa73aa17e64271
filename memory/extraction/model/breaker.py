"""A circuit breaker: an endpoint that keeps failing is left alone for a while. Pure but for the clock it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

MAX_FAILURES: Final = 5
REST_SECONDS: Final = 60.0


class CircuitBreaker:
    """Opens after five failures in a row, lets one call through after a minute, closes when that one succeeds."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures = 0
        self._opened_at: float | None = None

    def is_closed(self) -> bool:
        """Whether a call may be made now. After the rest each call may, until one of them fails."""
        return self._opened_at is None or self._clock() - self._opened_at >= REST_SECONDS

    def note(self, *, is_success: bool) -> None:
        """How the call ended."""
        if is_success:
            self._failures, self._opened_at = 0, None
            return
        self._failures += 1
        if self._failures >= MAX_FAILURES:
            self._opened_at = self._clock()
