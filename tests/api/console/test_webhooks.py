"""Operators see who is told of events and what arrived, send tests, and send again."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.outbox.models import WebhookDelivery, WebhookEndpoint
from memory.outbox.services.endpoints import put_endpoint
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import SYSTEM
from memory.tenants.types import Role
from memory.types import TenantRef

pytestmark = pytest.mark.django_db
LIST = "admin:outbox_webhookendpoint_changelist"
LOG = "admin:outbox_webhookdelivery_changelist"


def make_hook(tenant: TenantRef) -> WebhookEndpoint:
    return put_endpoint(
        tenant_id=tenant.id,
        external_id="crm",
        url="https://hooks.example.com/unde",
        events=["fact.*"],
        description="",
        actor=SYSTEM,
        now=timezone.now(),
    ).endpoint


def test_a_test_is_sent_from_the_list_and_shows_in_the_log(operator: Client, tenant: TenantRef) -> None:
    hook = make_hook(tenant)
    listed = operator.get(reverse(LIST)).content.decode()
    assert "hooks.example.com" in listed
    url = reverse("admin:outbox_webhookendpoint_do", args=[hook.id, "test"])
    assert "Send a test" in operator.get(url).content.decode()
    operator.post(url)
    with tenant_scope(tenant.id):
        delivery = WebhookDelivery.objects.get(tenant_id=tenant.id)
    log = operator.get(reverse(LOG), {"endpoint_id": str(hook.id)}).content.decode()
    assert "webhook.test" in log
    assert operator.post(reverse("admin:outbox_webhookdelivery_replay", args=[delivery.id])).status_code == 302


def test_a_webhook_is_disabled_and_enabled_and_sends_no_test_meanwhile(operator: Client, tenant: TenantRef) -> None:
    hook = make_hook(tenant)
    for action, reason in (("disable", "by_hand"), ("test", "by_hand"), ("enable", "")):
        operator.post(reverse("admin:outbox_webhookendpoint_do", args=[hook.id, action]))
        with tenant_scope(tenant.id):
            assert WebhookEndpoint.objects.get(id=hook.id).disabled_reason == reason
    with tenant_scope(tenant.id):
        assert not WebhookDelivery.objects.filter(tenant_id=tenant.id).exists()


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.PATTERN_EDITOR, Role.AUDITOR])
def test_other_roles_see_no_webhook(role: Role, log_in: Callable[[Role], Client], tenant: TenantRef) -> None:
    hook, client = make_hook(tenant), log_in(role)
    assert client.get(reverse(LIST)).status_code == 403
    assert client.post(reverse("admin:outbox_webhookendpoint_do", args=[hook.id, "test"])).status_code == 403


def test_another_tenants_webhook_is_not_there(operator: Client, other_tenant: TenantRef) -> None:
    hook = make_hook(other_tenant)
    assert "hooks.example.com" not in operator.get(reverse(LIST)).content.decode()
    assert operator.post(reverse("admin:outbox_webhookendpoint_do", args=[hook.id, "test"])).status_code == 404


@pytest.mark.parametrize("value", ["x", "", "0" * 400, "\x00"])
def test_an_odd_filter_of_the_log_is_no_fault(operator: Client, value: str) -> None:
    assert operator.get(reverse(LOG), {"endpoint_id": value}).status_code < 500
