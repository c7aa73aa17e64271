"""Words of kept items as values. Pure: no Django, nothing here reads or writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.errors import CodedError, Conflict

Namespace = tuple[str, ...]
ANY_LABEL: Final = "*"
"""Stands for any label of a namespace in a condition."""


class QuotaReached(CodedError):
    """The user's documents are as many, or as large together, as a user may have."""

    code = "kept_quota_reached"
    status = 422
    default_message = "This user keeps as many items as a user may. Delete some first."


class VersionConflict(Conflict):
    """`if_version` names another version than the newest: somebody wrote in between."""

    code = "version_conflict"
    default_message = "The item has another version. Read it again and repeat the change."


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """One version of a document as its app sees it. Times are aware."""

    id: UUID
    namespace: Namespace
    key: str
    value: Mapping[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A document to be kept. `index`: paths of the fields that are searched; None the whole document, empty none."""

    namespace: Namespace
    key: str
    value: Mapping[str, Any]
    index: Sequence[str] | None = None
    ttl_seconds: int | None = None
    if_version: int | None = None
    """The version that the caller has seen, 0 for none; None: whatever is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """A document to be deleted with all of its versions."""

    namespace: Namespace
    key: str


@dataclass(frozen=True, slots=True)
class Condition:
    """Where a namespace must have which labels: at its beginning (`prefix`) or at its end (`suffix`)."""

    kind: str
    path: Namespace


@dataclass(frozen=True, slots=True)
class Searchable:
    """A document that is searched by words: its sealed row, and what the search was given of it."""

    id: UUID
    updated_at: datetime
    row: Any
    search_data: Mapping[str, Any]
