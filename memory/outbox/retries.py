"""When a delivery is tried again (Standard Webhooks 1.0, "Deliverability and reliability"). Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta


def find_next_attempt(
    *,
    attempts: int,
    now: datetime,
    waits: Sequence[timedelta],
    jitter: float,
    draw: Callable[[], float],
    retry_after: timedelta | None = None,
) -> datetime | None:
    """When to try again after so many attempts; None when that was the last.

    `waits` are the pauses after the first, second, ... attempt. Each is spread by up to `jitter` of itself either way
    (`draw` gives 0 to 1), so that a receiver that comes back is not met by everything at once. `retry_after` is what
    the receiver asked for: it is kept, and never makes a pause shorter or longer than the longest of `waits`.
    """
    if attempts > len(waits):
        return None
    pause = waits[attempts - 1] * (1 + jitter * (2 * draw() - 1))
    if retry_after is not None:
        pause = max(pause, min(retry_after, max(waits)))
    return now + pause
