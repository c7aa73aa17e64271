"""Background work of the wing. Arguments are none; what there is to do is rows (SPEC M-2)."""

from __future__ import annotations

import time

import structlog
from celery import shared_task
from django.utils import timezone

from memory.episodes.claims import CutClaim, claim_conversations
from memory.episodes.cutting import cut_user
from memory.errors import CodedError

log = structlog.get_logger(__name__)

MAX_SECONDS = 50.0
"""Then the task ends and the next beat goes on."""
BATCH = 20


@shared_task
def cut_pending() -> int:
    """Cut the conversations whose session is over; how many were looked at."""
    looked_at = 0
    started = time.monotonic()
    while time.monotonic() - started < MAX_SECONDS:
        claims = claim_conversations(now=timezone.now(), limit=BATCH)
        if not claims:
            break
        looked_at += sum(_cut(claim) for claim in claims if not claim.is_open)
    return looked_at


def _cut(claim: CutClaim) -> bool:
    """Whether it was cut; a user who is busy comes again when the lease is over."""
    try:
        cut_user(user=claim.user, now=timezone.now(), conversation_id=claim.conversation_id)
    except CodedError as error:
        log.info("cutting_skipped_user", user_id=str(claim.user.id), code=error.code)
        return False
    return True
