"""The words of erasure as values. Pure: no Django, nothing here reads or writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

SCOPES: Final = ("all", "conversation", "messages", "range")
REASON_PATTERN: Final = r"^[a-z][a-z0-9_]{0,39}$"
"""A reason is a code, never a sentence: what a person wrote would outlive the erasure (D-29)."""

TRANSITIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "requested": ("verified",),
    "verified": ("tombstoned",),
    "tombstoned": ("queued",),
    "queued": ("processing", "escalated"),
    "processing": ("processing", "completed", "failed"),
    "failed": ("retry_pending", "escalated"),
    "retry_pending": ("processing", "escalated"),
    "escalated": ("processing",),
    "completed": (),
}
"""The states of SPEC G-2. `processing` again is a worker taking over from one that died."""


@dataclass(frozen=True, slots=True)
class ErasureTarget:
    """What is to be erased, as the caller says it. `said_from` is included, `said_to` is not."""

    scope: str = "all"
    conversation_external_id: str | None = None
    message_ids: tuple[UUID, ...] = ()
    said_from: datetime | None = None
    said_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class ErasureEventView:
    """One entry of the history: the status it moved to, a code that says why, and when."""

    status: str
    code: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ErasureView:
    """An erasure as callers see it: codes, ids, times and counts."""

    id: UUID
    user_id: UUID
    scope: str
    reason: str
    status: str
    requested_at: datetime
    deadline_at: datetime
    completed_at: datetime | None = None
    alert: str = ""
    attempts: int = 0
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    history: tuple[ErasureEventView, ...] = ()
    certificates: tuple[Mapping[str, Any], ...] = ()
