"""Events reach the addresses that want them, each at least once, whatever dies meanwhile."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from standardwebhooks import Webhook

from config.webhooks.tasks import deliver_events
from memory.outbox.models import WebhookDelivery, WebhookEndpoint
from memory.outbox.services.deliveries import claim_deliveries, replay_delivery, send_test
from memory.outbox.services.endpoints import PutEndpoint, put_endpoint, rotate_secret, set_enabled
from memory.outbox.services.events import number_events
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Actor, ActorType
from memory.types import TenantRef
from tests.cast import Chatter
from tests.scripted_receiver import LOOPBACK, ScriptedReceiver

pytestmark = pytest.mark.django_db(transaction=True)
TESTER = Actor(type=ActorType.SYSTEM, id="test")


@pytest.fixture
def hook(tenant: TenantRef, receiver: ScriptedReceiver) -> PutEndpoint:
    return make_hook(tenant, receiver.url)


def make_hook(tenant: TenantRef, url: str, *events: str, name: str = "crm") -> PutEndpoint:
    return put_endpoint(
        tenant_id=tenant.id,
        external_id=name,
        url=url,
        events=events or ["*"],
        description="",
        actor=TESTER,
        now=timezone.now(),
    )


@pytest.fixture
def deliver(as_role: Callable[[Any], None]) -> Callable[[], int]:
    """The worker's run, under the worker's role."""

    def run() -> int:
        as_role("worker")
        count = deliver_events()
        as_role("app")
        return count

    return run


def get_deliveries(tenant: TenantRef) -> list[WebhookDelivery]:
    with tenant_scope(tenant.id):
        return list(WebhookDelivery.objects.filter(tenant_id=tenant.id).order_by("id"))


def make_due(tenant: TenantRef) -> None:
    """As if the pause were over."""
    with tenant_scope(tenant.id):
        WebhookDelivery.objects.filter(state="waiting").update(available_at=timezone.now(), claimed_until=None)


def test_an_event_arrives_signed_once(
    alice: Chatter, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int]
) -> None:
    alice.say("my size is M")
    assert deliver() == 1
    assert deliver() == 0
    headers, body = receiver.received[0]
    assert hook.secret is not None
    assert Webhook(hook.secret).verify(body.decode(), headers) == json.loads(body)
    assert json.loads(body)["type"] == "fact.added"
    assert json.loads(body)["data"]["user_id"] == "alice"
    assert len(receiver.received) == 1
    delivery = get_deliveries(alice.tenant)[0]
    assert (delivery.state, delivery.status, delivery.attempts) == ("delivered", 204, 1)


def test_an_address_gets_the_types_that_it_wants(
    alice: Chatter, tenant: TenantRef, receiver: ScriptedReceiver, deliver: Callable[[], int]
) -> None:
    make_hook(tenant, receiver.url, "correction.*", "fact.superseded")
    alice.say("my size is M")
    alice.say("my size is L")
    deliver()
    assert [json.loads(body)["type"] for _, body in receiver.received] == ["fact.superseded"]


def test_a_refusal_is_tried_again_with_the_same_id_and_body(
    alice: Chatter, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int]
) -> None:
    receiver.status = 500
    alice.say("my size is M")
    deliver()
    waiting = get_deliveries(alice.tenant)[0]
    assert (waiting.state, waiting.error, waiting.status) == ("waiting", "refused", 500)
    assert waiting.available_at > timezone.now()
    receiver.status = 200
    make_due(alice.tenant)
    deliver()
    (first, body), (second, again) = receiver.received
    assert (first["webhook-id"], body) == (second["webhook-id"], again)
    assert get_deliveries(alice.tenant)[0].state == "delivered"


def test_a_receiver_that_asks_for_time_gets_it(
    alice: Chatter, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int]
) -> None:
    receiver.status, receiver.headers = 429, {"Retry-After": "3600"}
    alice.say("my size is M")
    deliver()
    assert get_deliveries(alice.tenant)[0].available_at > timezone.now() + timedelta(minutes=55)


def test_gone_disables_the_address_at_once(
    alice: Chatter, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int]
) -> None:
    receiver.status = 410
    alice.say("my size is M")
    deliver()
    with tenant_scope(alice.tenant.id):
        endpoint = WebhookEndpoint.objects.get(id=hook.endpoint.id)
    assert endpoint.disabled_reason == "gone"
    alice.say("I am allergic to wool")
    assert deliver() == 0
    assert len(get_deliveries(alice.tenant)) == 1


def test_a_redirect_is_not_followed(
    alice: Chatter, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int]
) -> None:
    receiver.status, receiver.headers = 302, {"Location": receiver.url}
    alice.say("my size is M")
    deliver()
    assert get_deliveries(alice.tenant)[0].error == "redirected"
    assert len(receiver.received) == 1


def test_an_address_that_is_inside_the_network_now_is_sent_nothing(
    alice: Chatter, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int], settings: Any
) -> None:
    settings.UNDE_WEBHOOK_NETWORKS = []
    alice.say("my size is M")
    deliver()
    assert get_deliveries(alice.tenant)[0].error == "address_refused"
    assert receiver.received == []


def test_attempts_come_to_an_end_and_a_person_replays_them(
    alice: Chatter, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int], settings: Any
) -> None:
    receiver.status = 503
    alice.say("my size is M")
    for _ in range(len(settings.UNDE_TUNING.WEBHOOK_RETRY_WAITS) + 1):
        deliver()
        make_due(alice.tenant)
    failed = get_deliveries(alice.tenant)[0]
    assert (failed.state, failed.attempts) == ("failed", 9)
    receiver.status = 200
    replay_delivery(tenant_id=alice.tenant.id, external_id="crm", delivery_id=failed.id, now=timezone.now())
    assert deliver() == 1
    assert get_deliveries(alice.tenant)[0].state == "delivered"


def test_an_address_that_takes_nothing_for_days_is_disabled(
    alice: Chatter, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int]
) -> None:
    receiver.status = 500
    alice.say("my size is M")
    deliver()
    with tenant_scope(alice.tenant.id):
        WebhookEndpoint.objects.update(failing_since=timezone.now() - timedelta(days=6))
    make_due(alice.tenant)
    deliver()
    with tenant_scope(alice.tenant.id):
        assert WebhookEndpoint.objects.get(id=hook.endpoint.id).disabled_reason == "failing"


def test_what_waits_for_a_disabled_address_goes_out_when_it_is_on_again(
    alice: Chatter, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int]
) -> None:
    alice.say("my size is M")
    number_events(tenant_id=alice.tenant.id, limit=10)
    for is_enabled, sent in ((False, 0), (True, 1)):
        set_enabled(
            tenant_id=alice.tenant.id, external_id="crm", is_enabled=is_enabled, actor=TESTER, now=timezone.now()
        )
        assert deliver() == sent


def test_after_a_rotation_both_secrets_verify_for_a_day(
    alice: Chatter, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int]
) -> None:
    secret, _ = rotate_secret(tenant_id=alice.tenant.id, external_id="crm", actor=TESTER, now=timezone.now())
    alice.say("my size is M")
    deliver()
    with tenant_scope(alice.tenant.id):
        WebhookEndpoint.objects.update(former_until=timezone.now())
    alice.say("I am allergic to wool")
    deliver()
    assert hook.secret is not None
    (first, body), (second, again) = receiver.received
    Webhook(hook.secret).verify(body.decode(), first)
    Webhook(secret).verify(body.decode(), first)
    Webhook(secret).verify(again.decode(), second)
    assert len(second["webhook-signature"].split()) == 1


def test_a_test_goes_to_one_address_alone(
    tenant: TenantRef, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int]
) -> None:
    make_hook(tenant, receiver.url, name="other")
    send_test(tenant_id=tenant.id, external_id="crm", now=timezone.now())
    assert deliver() == 1
    assert [json.loads(body)["type"] for _, body in receiver.received] == ["webhook.test"]


def test_a_tenants_events_go_to_its_own_addresses(
    alice: Chatter, other_tenant: TenantRef, receiver: ScriptedReceiver, deliver: Callable[[], int]
) -> None:
    make_hook(other_tenant, receiver.url)
    alice.say("my size is M")
    deliver()
    assert receiver.received == []


def test_a_claim_that_nobody_finishes_is_claimed_again(
    alice: Chatter, hook: PutEndpoint, as_role: Callable[[Any], None], settings: Any
) -> None:
    alice.say("my size is M")
    number_events(tenant_id=alice.tenant.id, limit=10)
    as_role("worker")
    now = timezone.now()
    assert len(claim_deliveries(now=now, limit=10)) == 1
    assert claim_deliveries(now=now, limit=10) == []
    later = now + timedelta(seconds=settings.UNDE_TUNING.WEBHOOK_LEASE_SECONDS)
    assert len(claim_deliveries(now=later, limit=10)) == 1


SENDER = """
import django, os
django.setup()
from django.conf import settings
settings.UNDE_WEBHOOK_NETWORKS = [os.environ["ALLOWED"]]
from config.webhooks import tasks
def die(*args, **kwargs):
    os.kill(os.getpid(), 9)
tasks.record_outcome = die
tasks.deliver_events()
"""


def test_a_sender_killed_between_sending_and_noting_loses_nothing(
    alice: Chatter, hook: PutEndpoint, receiver: ScriptedReceiver, deliver: Callable[[], int], service_environment: Any
) -> None:
    alice.say("my size is M")
    environment = {**os.environ, **service_environment, "UNDE_DB_ROLE": "worker", "ALLOWED": LOOPBACK}
    died = subprocess.run([sys.executable, "-c", SENDER], env=environment, check=False, timeout=120)
    assert died.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 10
    while not receiver.received and time.monotonic() < deadline:
        time.sleep(0.05)
    assert get_deliveries(alice.tenant)[0].state == "waiting"
    make_due(alice.tenant)
    deliver()
    assert {headers["webhook-id"] for headers, _ in receiver.received} == {
        str(get_deliveries(alice.tenant)[0].event_id)
    }
    assert len(receiver.received) == 2
