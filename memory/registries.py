"""What rooms to the left hand to this one at start (D-31): forget steps, erasers, exporters, rebuilders, probes, cases.

A registry is filled in `AppConfig.ready()` and only read afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from memory.errors import CodedError
from memory.types import ErasureScope, UserRef

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


class Eraser(Protocol):
    """How a room deletes its rows about a user, or about some of the user's messages, for good (SPEC G-2, G-3).

    Most tables need nothing but `memory.erasure.erasers.TableEraser`. The worker calls inside a tenant scope and under
    the user's lock; a crash repeats a batch, so erasing twice must do no harm.
    """

    @property
    def name(self) -> str:
        """What counts and certificates call it."""
        ...

    @property
    def models(self) -> tuple[str, ...]:
        """Labels of the models it answers for, e.g. "retrieval.MessageIndex". Every model with a `user_id` has one."""
        ...

    @property
    def stage(self) -> int:
        """Lower ones first: DERIVED before EVIDENCE before RAW before SUBJECT (`memory.erasure.erasers`)."""
        ...

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """Delete at most about `limit` rows in the scope. Returns how many; 0 means that nothing is left to do."""
        ...

    def count_left(self, scope: ErasureScope) -> int:
        """Rows in the scope that are still there; 0 before an erasure may be completed. Reads only."""
        ...


class Exporter(Protocol):
    """Yields a room's rows about a user as JSON objects, a `kind` in each (SPEC M-7).

    Called outside any transaction; what may be many is read by `memory.selectors.pages.read_in_pages`.
    """

    def __call__(self, user: UserRef) -> Iterator[dict[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class ImportContext:
    """Where the lines of an export are going: what they name has other numbers here."""

    user: UserRef
    now: datetime
    positions: Mapping[int, int]
    """By position in the action log of the export, the position here."""
    find_conversation: Callable[[UUID | None], UUID | None]
    """The id here of a conversation of the export."""


class Importer(Protocol):
    """Takes over lines of one kind: for each True when it is new, False when it was there, or why not (SPEC M-7)."""

    def __call__(self, rows: Sequence[Mapping[str, Any]], context: ImportContext) -> Sequence[bool | CodedError]: ...


@dataclass(frozen=True, slots=True)
class QueueProbe:
    """How long a work list is: for readiness, the start page and metrics."""

    count_pending: Callable[[], int]
    description: str = field(default="")


@dataclass(frozen=True, slots=True)
class GoldenResult:
    """How a model did on one golden case of a room: whether right, and what became of it, in a few words."""

    name: str
    is_right: bool
    outcome: str


class GoldenSuite(Protocol):
    """Puts a room's golden cases to an endpoint, `only` those named if any are (`manage.py run_golden`, SPEC X-6)."""

    def __call__(self, client: Any, *, only: Sequence[str] = ()) -> Iterator[GoldenResult]: ...


@dataclass(frozen=True, slots=True)
class DerivedDifference:
    """One derived row that is not what its message gives now: ids and names of columns, no words (SPEC M-4)."""

    table: str
    message_id: UUID
    problem: str
    """`missing`, `unfounded` (there is no visible message for it) or `different`."""
    columns: tuple[str, ...] = ()
    reason: str = "drift"
    """`engine_changed` for what an older version of the room wrote."""
    row_id: UUID | None = None
    """Of a row that has an id of its own; `message_id` is then the last of its evidence."""


class DocumentReader(Protocol):
    """What a search by words needs of documents that it does not keep: JSON for each text, sealed by those who do.

    Called outside any transaction, since an embedder may be across the network. Never raises for one that fails.
    """

    def __call__(self, texts: Sequence[str]) -> Sequence[Any]: ...


class TextVectors(Protocol):
    """Unit vectors of short texts, zeros for one without words: always the same for the same text, with no network."""

    def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


class TenantWatcher(Protocol):
    """Looks at a tenant's figures every quarter of an hour and switches what they demand; a code for each switch."""

    def __call__(self, *, tenant_id: UUID, now: datetime) -> list[str]: ...


forget_steps: Registry[ForgetStep] = Registry("forget steps")
erasers: Registry[Eraser] = Registry("erasers")
exporters: Registry[Exporter] = Registry("exporters")
importers: Registry[Importer] = Registry("importers")
"""By the `kind` of their lines."""
kept_models: dict[str, str] = {}
"""Models with a `user_id` that outlive an erasure, each with the reason. They hold ids, codes and times only."""
rewritten_models: dict[str, str] = {}
"""Models without a `user_id` whose tables are rewritten on demand as those of erasers are, each with the reason."""
comparers: Registry[Callable[[UserRef], Sequence[DerivedDifference]]] = Registry("comparers")
"""What a room derived, held against what it would derive now. They change nothing."""
rebuilders: Registry[Callable[[UserRef], int]] = Registry("rebuilders")
queue_probes: Registry[QueueProbe] = Registry("queue probes")
golden_suites: Registry[GoldenSuite] = Registry("golden suites")
text_vectors: Registry[TextVectors] = Registry("text vectors")
document_readers: Registry[DocumentReader] = Registry("document readers")
tenant_watchers: Registry[TenantWatcher] = Registry("tenant watchers")
