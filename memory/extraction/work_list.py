"""The work list: which users are due. Claims go through functions that see all tenants and return ids (D-14)."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction

from memory.database.claims import claim_of_users
from memory.database.statements import fetch_row, fetch_rows
from memory.extraction.types import Claim
from memory.ids import new_id


def claim_extractions(*, now: datetime, limit: int) -> list[Claim]:
    """Due users of any tenant, longest waiting first; each has an open run from now on (SPEC X-1). Writes and commits.

    Runs whose worker has died come back as new claims when their lease is over.
    """
    tuning = settings.UNDE_TUNING
    values = [
        now,
        tuning.EXTRACTION_LEASE,
        tuning.SESSION_GAP,
        tuning.EXTRACTION_LONGEST_WAIT,
        tuning.EXTRACTION_PENDING_MESSAGES,
        [new_id() for _ in range(limit)],
    ]
    call = "claim_extractions_v1(%s::timestamptz, %s::interval, %s::interval, %s::interval, %s::integer, %s::uuid[])"
    with transaction.atomic():
        return [Claim(*row) for row in claim_of_users(call, values)]


def count_pending() -> int:
    """Messages that extraction has not read yet, over all tenants."""
    return count_waiting()[0]


def count_waiting() -> tuple[int, datetime | None]:
    """Messages that extraction has not read yet, over all tenants, and since when the first of them waits."""
    row = fetch_row("SELECT messages, waits_since FROM count_pending_extractions_v1()")
    return (int(row[0]), row[1]) if row else (0, None)


def count_waiting_samples() -> tuple[int, datetime | None]:
    """Samples that nobody has judged, over all tenants, and since when the oldest waits."""
    row = fetch_row("SELECT samples, waits_since FROM count_waiting_samples_v1()")
    return (int(row[0]), row[1]) if row else (0, None)


def count_switches(*, now: datetime) -> dict[str, int]:
    """How many tenants have extraction paused, off by itself or out of tokens, and how many slices are held back."""
    rows = fetch_rows("SELECT switch_name, switched FROM count_extraction_switches_v1(%s::timestamptz)", [now])
    return {name: int(count) for name, count in rows}
