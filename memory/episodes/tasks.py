"""Background work of the wing. Arguments are none; what there is to do is rows (SPEC M-2)."""

from __future__ import annotations

import time
from datetime import datetime

import structlog
from celery import shared_task
from django.utils import timezone

from memory.database.claims import claim_users
from memory.episodes.claims import CutClaim, claim_conversations
from memory.episodes.cutting import cut_user
from memory.episodes.metrics import CUT, CUT_SECONDS, LAYERED
from memory.episodes.modelling import claim_episodes, word_episode
from memory.episodes.night import layer_user
from memory.errors import CodedError
from memory.extraction.configuration import EndpointMisconfigured, find_client
from memory.extraction.model.openai_client import ModelFailed

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


@shared_task
def word_episodes() -> int:
    """Have a model put new episodes into words, where there is one and the tenant wants it; how many it did.

    An endpoint that does not answer ends the task; what it was asked about keeps the messages' own sentences.
    """
    try:
        client = find_client()
    except EndpointMisconfigured:
        return 0
    worded = 0
    started = time.monotonic()
    while client is not None and time.monotonic() - started < MAX_SECONDS:
        claims = claim_episodes(now=timezone.now(), limit=1)
        if not claims:
            break
        try:
            worded += word_episode(claims[0], client=client) == "worded"
        except ModelFailed as failure:
            log.info("wording_stopped", episode_id=str(claims[0].episode_id), code=failure.code)
            break
        except CodedError as error:
            log.info("wording_skipped", episode_id=str(claims[0].episode_id), code=error.code)
    return worded


@shared_task
def layer_episodes() -> int:
    """Go on with tonight's round; how many users had their turn. A user who is busy has it with the next call."""
    return run_round(now=timezone.now(), max_seconds=MAX_SECONDS)


def run_round(*, now: datetime, max_seconds: float) -> int:
    """Users whom no round of this day (UTC) has looked at, one by one, until there are none or the time is up."""
    done = 0
    started = time.monotonic()
    before = now.replace(hour=0, minute=0, second=0, microsecond=0)
    left_out: set[object] = set()
    while time.monotonic() - started < max_seconds:
        claimed = claim_users("claim_unlayered_users_v1", now=before, limit=BATCH)
        users = [user for user in claimed if user.id not in left_out]
        if not users:
            break
        for user in users:
            if time.monotonic() - started >= max_seconds:
                return done
            try:
                for layer, count in layer_user(user=user, now=now).items():
                    LAYERED.labels(layer).inc(count)
                done += 1
            except CodedError as error:
                left_out.add(user.id)
                log.info("round_skipped_user", user_id=str(user.id), code=error.code)
    return done


def _cut(claim: CutClaim) -> bool:
    """Whether it was cut; a user who is busy comes again when the lease is over."""
    try:
        with CUT_SECONDS.time():
            CUT.inc(cut_user(user=claim.user, now=timezone.now(), conversation_id=claim.conversation_id))
    except CodedError as error:
        log.info("cutting_skipped_user", user_id=str(claim.user.id), code=error.code)
        return False
    return True
