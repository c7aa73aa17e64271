"""Words of privacy requests. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.errors import CodedError, Conflict

KINDS: Final = ("access", "portability", "erasure")
STATUSES: Final = ("pending", "in_progress", "completed", "cancelled")
REGULATIONS: Final = ("gdpr", "ccpa")


class RequestIdReused(Conflict):
    """The id of a request comes again with other content."""

    code = "request_id_reused"
    default_message = "Another request was sent under this id before."


class NotPending(Conflict):
    """A request that was begun cannot be cancelled any more."""

    code = "request_not_pending"
    default_message = "Only a pending request can be cancelled."


class ResultsOver(CodedError):
    """There were results, and they are no longer given out."""

    code = "results_over"
    status = 410
    default_message = "The results of this request are no longer available."


@dataclass(frozen=True, slots=True)
class Asked:
    """A request on its way in. `user_external_id` is the tenant's own id of the person."""

    subject_request_id: UUID
    kind: str
    regulation: str
    user_external_id: str
    submitted_at: datetime
    callback_urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestView:
    """A request as callers see it: ids, codes and times."""

    id: UUID
    tenant_id: UUID
    subject_request_id: UUID
    kind: str
    regulation: str
    status: str
    user_id: UUID | None
    submitted_at: datetime
    received_at: datetime
    deadline_at: datetime
    finished_at: datetime | None
    erasure_id: UUID | None
    results_count: int | None
    results_until: datetime | None


@dataclass(frozen=True, slots=True)
class ClaimedCallback:
    """What a sender needs: where to, and what the request was when it changed."""

    tenant_id: UUID
    tenant_slug: str
    id: UUID
    url: str
    status: str
    request: RequestView
