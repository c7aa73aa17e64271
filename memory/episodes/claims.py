"""The work list: which conversations have messages that are not cut. Claims see all tenants and return ids (D-14)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from memory.database.claims import claim_of_users
from memory.database.statements import fetch_row
from memory.types import UserRef


@dataclass(frozen=True, slots=True)
class CutClaim:
    """A conversation that this worker is to look at; one that is still going on was put off."""

    user: UserRef
    conversation_id: UUID
    is_open: bool


def claim_conversations(*, now: datetime, limit: int) -> list[CutClaim]:
    """Conversations with uncut messages, of any tenant, longest waiting first. Writes and commits."""
    tuning = settings.UNDE_TUNING
    call = "claim_uncut_conversations_v1(%s::timestamptz, %s::interval, %s::interval, %s::integer)"
    with transaction.atomic():
        return [CutClaim(*row) for row in claim_of_users(call, [now, tuning.CUT_LEASE, tuning.SESSION_GAP, limit])]


def count_uncut() -> int:
    """Conversations that could be cut by now, over all tenants."""
    return count_waiting(now=timezone.now())[0]


def count_waiting(*, now: datetime) -> tuple[int, datetime | None]:
    """The same, and since when the first of them waits."""
    row = fetch_row("SELECT conversations, waits_since FROM count_uncut_conversations_v1(%s::timestamptz)", [now])
    return (int(row[0]), row[1]) if row else (0, None)
