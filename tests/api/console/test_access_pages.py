"""Keys, tenants, staff roles, login."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from memory.tenants.errors import InvalidKey
from memory.tenants.models import ApiKey, StaffMembership, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_caller
from memory.tenants.types import Role
from memory.types import TenantRef
from tests.api.console.conftest import make_staff

pytestmark = pytest.mark.django_db


def make_key(operator: Client) -> str:
    answer = operator.post(reverse("admin:tenants_apikey_new"), {"name": "web", "scopes": ["read", "write"]})
    assert "no-store" in answer["Cache-Control"]
    secret: str = answer.context["made"].secret
    return secret


def test_a_new_key_is_shown_once_and_works(operator: Client, tenant: TenantRef) -> None:
    secret = make_key(operator)
    assert get_caller(secret=secret, now=timezone.now()).tenant_id == tenant.id
    listed = operator.get(reverse("admin:tenants_apikey_changelist")).content.decode()
    assert "web" in listed
    assert secret not in listed
    assert secret not in str(operator.cookies)


def test_a_key_without_scopes_is_refused_in_words(operator: Client) -> None:
    answer = operator.post(reverse("admin:tenants_apikey_new"), {"name": "web"})
    assert answer.context["made"] is None
    assert "This field is required" in answer.content.decode()


def test_a_revoked_key_no_longer_works(operator: Client, tenant: TenantRef) -> None:
    secret = make_key(operator)
    with tenant_scope(tenant.id):
        key_id = ApiKey.objects.values_list("id", flat=True).get()
    url = reverse("admin:tenants_apikey_revoke", args=[key_id])
    assert operator.get(url).status_code == 200
    assert get_caller(secret=secret, now=timezone.now())
    operator.post(url)
    with pytest.raises(InvalidKey):
        get_caller(secret=secret, now=timezone.now())


def test_a_tenants_operator_makes_no_tenants_and_gives_no_roles(operator: Client) -> None:
    assert operator.get(reverse("admin:tenants_tenant_add")).status_code == 403
    assert operator.get(reverse("admin:tenants_staffmembership_add")).status_code == 403


def test_a_tenants_operator_reads_schedules_and_changes_none(operator: Client) -> None:
    for name, seconds in (("often", 90), ("hourly", 3600), ("rarely", 21_600)):
        interval = IntervalSchedule.objects.create(every=seconds, period=IntervalSchedule.SECONDS)
        PeriodicTask.objects.create(name=name, task="some.task", interval=interval)
    with CaptureQueriesContext(connection) as queries:
        page = operator.get(reverse("admin:django_celery_beat_periodictask_changelist")).content.decode()
    assert [text for text in ("every 90 seconds", "every hour", "every 6 hours") if text not in page] == []
    alone = [query for query in queries if 'WHERE "django_celery_beat_intervalschedule"."id"' in query["sql"]]
    assert alone == [], "the list asks for all schedules at once"
    assert operator.get(reverse("admin:django_celery_beat_periodictask_add")).status_code == 403
    assert operator.post(reverse("admin:django_celery_beat_intervalschedule_add"), {"every": "1"}).status_code == 403


def test_a_superuser_makes_a_tenant_and_gives_a_role_in_it(client: Client, tenant: TenantRef) -> None:
    client.force_login(make_staff("root", is_superuser=True))
    fields = {"slug": "atelier", "name": "Atelier", "timezone": "Europe/Paris"}
    assert client.post(reverse("admin:tenants_tenant_add"), fields).status_code == 302
    made = Tenant.objects.get(slug="atelier")
    newcomer = make_staff("newcomer")
    fields = {"staff_user": str(newcomer.pk), "tenant": str(made.id), "role": "reviewer"}
    assert client.post(reverse("admin:tenants_staffmembership_add"), fields).status_code == 302
    assert StaffMembership.objects.filter(staff_user=newcomer, tenant=made, role="reviewer").exists()
    assert User.objects.get(pk=newcomer.pk).groups.filter(name="reviewer").exists()


def test_an_unknown_time_zone_is_refused_in_words(client: Client, tenant: TenantRef) -> None:
    client.force_login(make_staff("root", is_superuser=True))
    answer = client.post(reverse("admin:tenants_tenant_add"), {"slug": "x1", "name": "X", "timezone": "Mars/Base"})
    assert "must be a name such as Asia/Dubai" in answer.content.decode()


def test_a_role_is_taken_away_with_its_group(client: Client, tenant: TenantRef) -> None:
    client.force_login(make_staff("root", is_superuser=True))
    user = make_staff("leaver", tenant=tenant, role=Role.AUDITOR)
    membership = StaffMembership.objects.get(staff_user=user)
    client.post(reverse("admin:tenants_staffmembership_delete", args=[membership.id]), {"post": "yes"})
    assert not StaffMembership.objects.filter(staff_user=user).exists()
    assert not user.groups.exists()


def test_login_is_refused_after_ten_failures_even_with_the_right_password(client: Client, tenant: TenantRef) -> None:
    cache.clear()
    make_staff("guessed", tenant=tenant, role=Role.AUDITOR)
    url = reverse("admin:login")
    for _ in range(10):
        client.post(url, {"username": "guessed", "password": "wrong"})
    answer = client.post(url, {"username": "guessed", "password": "a-long-password"})
    assert answer.status_code == 200
    assert "Too many failed attempts" in answer.content.decode()


def test_the_api_gets_no_session_and_no_cookie(client: Client, db: None) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert not answer.cookies
    assert not hasattr(answer.wsgi_request, "session")


def test_the_root_leads_to_the_console(client: Client, db: None) -> None:
    assert client.get("/")["Location"] == "/admin/"
