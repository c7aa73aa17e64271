"""The worker's part: requests are carried out, then who asked is called back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx
import structlog
from celery import shared_task
from django.db import connection
from django.utils import timezone

from config.api.rendering import encode
from config.observability.metrics import WEBHOOK_DELIVERIES
from config.opendsr.answers import show_callback
from config.opendsr.signing import OpenDsrOff, Signer, get_signer
from config.webhooks.sending import Call, send_signed
from config.webhooks.tasks import SENDERS, list_allowed_networks, make_client
from memory.erasure.tasks import wake_worker
from memory.privacy.callbacks import claim_callbacks, record_outcome
from memory.privacy.types import ClaimedCallback
from memory.privacy.worker import run_requests

log = structlog.get_logger(__name__)


@shared_task
def run_privacy_requests() -> int:
    """Carry out what is due and call back; how many requests were looked at. A run that dies loses nothing."""
    done = run_requests(clock=timezone.now)
    if done:
        wake_worker()
    send_callbacks()
    return done


def send_callbacks() -> int:
    """Send the callbacks that are due; how many attempts were made. Without a certificate they wait."""
    try:
        signer = get_signer()
    except OpenDsrOff:
        return 0
    attempts = 0
    with make_client() as client, ThreadPoolExecutor(max_workers=SENDERS) as pool:
        while claimed := claim_callbacks(now=timezone.now(), limit=SENDERS):
            attempts += len(list(pool.map(lambda one: _call(one, client, signer), claimed)))
    return attempts


def _call(callback: ClaimedCallback, client: httpx.Client, signer: Signer) -> None:
    body = encode(show_callback(callback, signer=signer, now=timezone.now()))
    call = Call(callback.url, body, signer.sign(body))
    outcome = send_signed(call, client=client, allowed=list_allowed_networks(), now=timezone.now())
    try:
        state = record_outcome(
            tenant_id=callback.tenant_id, callback_id=callback.id, outcome=outcome, now=timezone.now()
        )
    finally:
        connection.close()
    WEBHOOK_DELIVERIES.labels(outcome.error or "delivered").inc()
    if outcome.error:
        log.info("privacy_callback_not_delivered", callback_id=str(callback.id), code=outcome.error, state=state)
