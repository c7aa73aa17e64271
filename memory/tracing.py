"""Stages as spans. Nothing here knows OpenTelemetry: an installation that traces gives a tracer at start (SPEC O-2).

Attributes are codes, counts and ids of receipts: no text and no id of a user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, TypeVar, cast

Attributes = Mapping[str, str | int | float | bool]
Note = Callable[[Attributes], None]
Tracer = Callable[[str, str], AbstractContextManager[Note]]
"""Opens a span by its name and its GenAI operation (empty: a stage of ours), and gives what notes attributes on it."""

R = TypeVar("R")
Work = TypeVar("Work", bound=Callable[..., Any])
_tracers: list[Tracer] = []


def set_tracer(tracer: Tracer | None) -> None:
    """What opens spans from now on in this process; None: nothing does."""
    _tracers[:] = [tracer] if tracer else []


def traced(
    name: str, *, operation: str = "", note: Callable[[Any], Attributes] | None = None
) -> Callable[[Work], Work]:
    """Makes a stage of a function. `note` reads attributes from what it returned. Without a tracer it just runs."""

    def wrap(work: Work) -> Work:
        @wraps(work)
        def run(*args: Any, **kwargs: Any) -> Any:
            if not _tracers:
                return work(*args, **kwargs)
            return run_stage(name, lambda: work(*args, **kwargs), operation=operation, note=note)

        return cast("Work", run)

    return wrap


def run_stage(
    name: str, work: Callable[[], R], *, operation: str = "", note: Callable[[R], Attributes] | None = None
) -> R:
    """Do the work as a stage."""
    if not _tracers:
        return work()
    with _tracers[0](name, operation) as note_on:
        result = work()
        if note is not None:
            note_on(note(result))
        return result
