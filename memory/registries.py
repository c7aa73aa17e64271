"""What rooms to the left hand to this one at start (D-31): forget steps, erasers, exporters, rebuilders, queue probes.

A registry is filled in `AppConfig.ready()` and only read afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from memory.types import UserRef

T = TypeVar("T")


class Registry(Generic[T]):
    """Named entries in the order in which they came; the same name twice is a fault of the program."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._entries: dict[str, T] = {}

    def register(self, name: str, entry: T) -> None:
        """Add an entry. Raises ValueError when the name is taken."""
        if name in self._entries:
            raise ValueError(f"{self.name}: {name} is registered twice")
        self._entries[name] = entry

    def __iter__(self) -> Iterator[T]:
        return iter(self._entries.values())

    def items(self) -> Iterable[tuple[str, T]]:
        """Names with their entries, in order."""
        return self._entries.items()


@dataclass(frozen=True, slots=True)
class ForgetStep:
    """How a room hides what it derived from messages, and brings it back (SPEC G-1), in the caller's transaction."""

    forget: Callable[[UserRef, Sequence[UUID]], dict[str, int]]
    """Returns counts by name, e.g. {"snippets_cleared": 2}."""
    restore: Callable[[UserRef, Sequence[UUID]], dict[str, int]]


@dataclass(frozen=True, slots=True)
class Eraser:
    """How a room deletes every row of its tables that belongs to a user or to some of the messages (SPEC G-2, G-3)."""

    models: tuple[str, ...]
    """Labels of the models it answers for, e.g. "retrieval.MessageIndex"."""
    erase: Callable[[UserRef, Sequence[UUID] | None], int]
    """Deletes the rows of these messages, or all rows of the user when None; returns how many."""


class Exporter(Protocol):
    """Yields a room's rows about a user as JSON objects, a `kind` in each (SPEC M-7)."""

    def __call__(self, user: UserRef) -> Iterator[dict[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class QueueProbe:
    """How long a work list is: for readiness, the start page and metrics."""

    count_pending: Callable[[], int]
    description: str = field(default="")


forget_steps: Registry[ForgetStep] = Registry("forget steps")
erasers: Registry[Eraser] = Registry("erasers")
exporters: Registry[Exporter] = Registry("exporters")
rebuilders: Registry[Callable[[UserRef], int]] = Registry("rebuilders")
queue_probes: Registry[QueueProbe] = Registry("queue probes")
