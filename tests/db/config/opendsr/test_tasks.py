"""Requests are carried out and every address is told, signed, whatever dies or refuses meanwhile."""

import json
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from config.opendsr import tasks
from config.opendsr.tasks import run_privacy_requests
from memory.erasure.tasks import run_erasures
from memory.errors import UserBusy
from memory.privacy.models import PrivacyCallback, PrivacyRequest
from memory.privacy.requests import cancel_request, take_request
from memory.privacy.types import Asked, NotPending, RequestView
from memory.privacy.worker import run_requests
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from tests.cast import Chatter
from tests.privacy_desk import DOMAIN, check_signature, make_pair
from tests.scripted_receiver import ScriptedReceiver

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("opendsr")]


def ask(tenant: TenantRef, *urls: str, kind: str = "access", user: str = "alice", days_ago: int = 0) -> RequestView:
    asked = Asked(uuid.uuid4(), kind, "gdpr", user, timezone.now(), urls)
    now = timezone.now() - timedelta(days=days_ago)
    return take_request(tenant=tenant, asked=asked, actor=f"key:{uuid.uuid4()}", now=now)[0]


def read(tenant: TenantRef, request: RequestView) -> PrivacyRequest:
    with tenant_scope(tenant.id):
        return PrivacyRequest.objects.get(tenant_id=tenant.id, id=request.id)


def list_callbacks(tenant: TenantRef) -> list[PrivacyCallback]:
    with tenant_scope(tenant.id):
        return list(PrivacyCallback.objects.order_by("id"))


@pytest.fixture
def run(as_role: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """The worker's run, under the worker's role."""
    monkeypatch.setattr(tasks, "wake_worker", lambda: None)

    def work() -> int:
        as_role("worker")
        count = run_privacy_requests()
        as_role("app")
        return count

    return work


def test_an_address_is_told_of_every_change_in_signed_words(
    tenant: TenantRef, alice: Chatter, receiver: ScriptedReceiver, run: Callable[[], int]
) -> None:
    alice.say("my size is M")
    request = ask(tenant, receiver.url)
    assert run() == 1
    assert run() == 0
    told = {}
    with tenant_scope(tenant.id):
        slug = Tenant.objects.get(id=tenant.id).slug
    for headers, body in receiver.received:
        check_signature(body, headers, pem=make_pair()[0])
        found = json.loads(body)
        assert (found["status_callback_url"], found["controller_id"]) == (receiver.url, slug)
        assert found["subject_request_id"] == str(request.subject_request_id)
        told[found["request_status"]] = (found["results_url"], found["results_count"])
    assert len(receiver.received) == 3
    results = f"https://{DOMAIN}/opendsr/v2/requests/{request.subject_request_id}/results"
    count = read(tenant, request).results_count
    assert count
    assert told == {"pending": (None, None), "in_progress": (None, None), "completed": (results, count)}
    assert {row.state for row in list_callbacks(tenant)} == {"delivered"}


def test_an_erasure_is_carried_out_by_the_workers_and_told(
    tenant: TenantRef, alice: Chatter, receiver: ScriptedReceiver, run: Callable[[], int], as_role: Any
) -> None:
    alice.say("my size is M")
    early = ask(tenant, kind="erasure")
    late = ask(tenant, receiver.url, kind="erasure", days_ago=1)
    run()
    assert (read(tenant, early).status, read(tenant, late).status) == ("pending", "in_progress")
    as_role("worker")
    assert run_erasures() == 1
    as_role("app")
    with tenant_scope(tenant.id):
        PrivacyRequest.objects.update(available_at=timezone.now())  # the next look is not now
    run()
    # The request that was still pending finds that its person was erased meanwhile.
    assert (read(tenant, early).status, read(tenant, late).status) == ("completed", "completed")
    assert read(tenant, early).erasure_id == read(tenant, late).erasure_id
    last = [json.loads(body) for _, body in receiver.received][-1]
    assert (last["request_status"], last["results_count"] > 0) == ("completed", True)


def test_a_refused_callback_is_tried_again_and_one_that_is_gone_is_not(
    tenant: TenantRef, alice: Chatter, receiver: ScriptedReceiver, run: Callable[[], int]
) -> None:
    alice.say("my size is M")
    request = ask(tenant, receiver.url, kind="erasure")
    receiver.status = 500
    run()
    (row,) = list_callbacks(tenant)
    assert (row.state, row.error, row.http_status, row.attempts) == ("waiting", "refused", 500, 1)
    assert row.available_at > timezone.now()
    receiver.status = 410
    cancel_request(
        tenant_id=tenant.id, subject_request_id=request.subject_request_id, actor="key:k", now=timezone.now()
    )
    run()
    states = {row.status: (row.state, row.http_status) for row in list_callbacks(tenant)}
    assert states == {"pending": ("waiting", 500), "cancelled": ("failed", 410)}


def test_an_address_that_leads_inside_is_not_called(
    tenant: TenantRef, alice: Chatter, receiver: ScriptedReceiver, run: Callable[[], int], settings: Any
) -> None:
    settings.UNDE_WEBHOOK_NETWORKS = []
    ask(tenant, receiver.url, kind="erasure")
    run()
    assert receiver.received == []
    assert {row.error for row in list_callbacks(tenant)} == {"address_refused"}


def test_a_failure_is_noted_with_its_code_and_tried_again(
    tenant: TenantRef, alice: Chatter, monkeypatch: pytest.MonkeyPatch, as_role: Callable[[Any], None]
) -> None:
    alice.say("my size is M")
    request = ask(tenant, kind="erasure", days_ago=1)
    as_role("worker")

    def refuse(**named: object) -> None:
        raise UserBusy

    with monkeypatch.context() as patched:
        patched.setattr("memory.privacy.worker.request_erasure", refuse)
        assert run_requests(clock=timezone.now) == 1
    row = read(tenant, request)
    assert (row.status, row.failure, row.erasure_id) == ("in_progress", "user_busy", None)
    assert run_requests(clock=timezone.now) == 0
    later = timezone.now() + timedelta(minutes=2)
    assert run_requests(clock=lambda: later) == 1
    assert (read(tenant, request).failure, read(tenant, request).erasure_id is None) == ("", False)


def test_a_worker_that_dies_leaves_the_request_to_the_next(
    tenant: TenantRef, alice: Chatter, monkeypatch: pytest.MonkeyPatch, as_role: Callable[[Any], None]
) -> None:
    alice.say("my size is M")
    request = ask(tenant)
    as_role("worker")

    def die(**named: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("memory.privacy.worker.export_user", die)
        with pytest.raises(KeyboardInterrupt):
            run_requests(clock=timezone.now)
    assert (read(tenant, request).status, run_requests(clock=timezone.now)) == ("in_progress", 0)
    after = timezone.now() + timedelta(seconds=settings.UNDE_TUNING.PRIVACY_LEASE_SECONDS)
    run_requests(clock=lambda: after)
    assert read(tenant, request).status == "completed"
    with pytest.raises(NotPending):
        cancel_request(
            tenant_id=tenant.id, subject_request_id=request.subject_request_id, actor="key:k", now=timezone.now()
        )


IMPOSSIBLE = {
    "kind = 'other'": "a_request_is_of_a_known_kind",
    "status = 'lost'": "a_request_is_in_a_known_status",
    "status = 'completed', results_count = 0": "a_request_that_is_over_has_an_end",
    "status = 'completed', finished_at = now()": "only_a_completed_request_has_results",
    "erasure_id = id": "only_an_erasure_has_one",
    "fingerprint = 'x'": "what_is_asked_is_known_by_a_whole_hmac",
}


def test_the_database_refuses_what_cannot_be_and_keeps_what_is_over(
    tenant: TenantRef, as_role: Callable[[Any], None]
) -> None:
    request = ask(tenant)
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        for change, constraint in IMPOSSIBLE.items():
            with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
                cursor.execute(f"UPDATE privacy_request SET {change}")
    as_role("worker")
    run_requests(clock=timezone.now)
    with pytest.raises(IntegrityError, match="stays as it is"), tenant_scope(tenant.id):
        PrivacyRequest.objects.filter(id=request.id).update(status="pending", finished_at=None)
