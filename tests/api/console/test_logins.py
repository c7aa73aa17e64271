"""Logins leave a trace of ids and codes: who came in, who did not, who tried too often (D-32)."""

from __future__ import annotations

from collections import Counter

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import INSTALLATION_ID, Role
from memory.types import TenantRef
from tests.api.console.conftest import make_staff

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_counters() -> None:
    cache.clear()


def try_login(client: Client, username: str, password: str = "not-the-password") -> int:
    return client.post(reverse("admin:login"), {"username": username, "password": password}).status_code


def read_trail(tenant_id: object) -> list[AuditEvent]:
    with tenant_scope(tenant_id):  # type: ignore[arg-type]
        return list(AuditEvent.objects.filter(tenant_id=tenant_id, action__startswith="staff.login").order_by("id"))


def test_a_login_is_in_the_trail_of_the_tenant_and_of_the_installation(client: Client, tenant: TenantRef) -> None:
    leila = make_staff("leila", tenant=tenant, role=Role.AUDITOR)
    assert try_login(client, "leila", "a-long-password") == 302
    for trail in (read_trail(tenant.id), read_trail(INSTALLATION_ID)):
        assert [(event.action, event.actor_id) for event in trail] == [("staff.login", str(leila.pk))]


def test_failures_are_counted_by_id_and_the_lockout_is_noted_once(client: Client, tenant: TenantRef) -> None:
    leila = make_staff("leila", tenant=tenant, role=Role.AUDITOR)
    for _ in range(15):
        assert try_login(client, "leila") == 200
    assert try_login(client, "leila", "a-long-password") == 200
    trail = read_trail(tenant.id)
    assert Counter(event.action for event in trail) == {"staff.login_failed": 9, "staff.login_locked": 1}
    assert {event.actor_id for event in trail} == {str(leila.pk)}


def test_a_name_that_nobody_has_is_not_kept(client: Client, tenant: TenantRef) -> None:
    try_login(client, "my-secret-password-in-the-wrong-field")
    (event,) = read_trail(INSTALLATION_ID)
    assert (event.action, event.actor_id, event.object_ids) == ("staff.login_failed", "unknown", [])
    assert read_trail(tenant.id) == []


def test_somebody_without_access_to_the_console_fails_like_everybody_else(client: Client, tenant: TenantRef) -> None:
    outsider = make_staff("outsider", tenant=tenant, role=Role.AUDITOR)
    outsider.is_staff = False
    outsider.save(update_fields=["is_staff"])
    assert try_login(client, "outsider", "a-long-password") == 200
    assert [event.action for event in read_trail(tenant.id)] == ["staff.login_failed"]
