"""What travels through an import. Pure: nothing here reads or writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from memory.errors import CodedError

FORMATS = ("unde", "jsonl", "mem0", "zep", "hindsight")
MAX_ERRORS_SHOWN = 100

Progress = Callable[[int, int], None]
"""Gets how many lines or messages are taken, and how many there are."""


def ignore_progress(done: int, total: int) -> None:
    """For whoever does not watch."""


@dataclass(frozen=True, slots=True)
class ForeignMessage:
    """One message of another system, in our words."""

    role: str
    content: str
    said_at: datetime
    conversation: str
    client_id: str | None = None
    speaker: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LineError:
    """Why a line was not taken: its number (from 1), the code and the names of what is wrong. No text of the line."""

    line: int
    code: str
    fields: Mapping[str, str]


@dataclass(slots=True)
class ImportOutcome:
    """What an import did."""

    messages: int = 0
    """New ones that were stored."""
    repeated: int = 0
    """Messages and actions that were there already: an import may be repeated."""
    actions: int = 0
    accounts: int = 0
    """Receipts and corrections that were stored: accounts of what was handed out and of what was wrong."""
    facts: int = 0
    """Facts that the user has now, history included."""
    differing_facts: int = 0
    """Facts of an export that its own logs do not give back here (other rules, another engine)."""
    ignored: int = 0
    """Lines that carry nothing to be taken over (the user's ids, candidates, whatever this version does not know)."""
    failed: int = 0
    errors: list[LineError] = field(default_factory=list)

    def add_error(self, line: int, error: CodedError) -> None:
        """Count a line that was refused; the first hundred are named."""
        self.failed += 1
        if len(self.errors) < MAX_ERRORS_SHOWN:
            self.errors.append(LineError(line, error.code, error.fields))


@dataclass(frozen=True, slots=True)
class ImportFailure:
    """Why an import stored nothing, or no more than its outcome counts. `fields` says what is wrong where."""

    code: str
    message: str
    fields: Mapping[str, str]


Status = Literal["waiting", "running", "succeeded", "failed"]


@dataclass(frozen=True, slots=True)
class ImportView:
    """An import in the background as its caller sees it."""

    id: UUID
    status: Status
    created_at: datetime
    finished_at: datetime | None
    done: int
    """Lines of our own export that are taken, or messages of another product's file."""
    total: int | None
    """How many there are; None while nobody has counted them."""
    outcome: ImportOutcome | None
    """What was stored: None before the end, and for a failure that stored nothing."""
    failure: ImportFailure | None
