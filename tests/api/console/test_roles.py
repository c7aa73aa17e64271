"""Who sees what (SPEC H-1)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.tenants.types import Role
from memory.types import TenantRef, UserRef
from tests.api.console.conftest import MARKER, make_staff
from tests.cast import Chatter

pytestmark = pytest.mark.django_db

LogIn = Callable[[Role], Client]

LISTS = {
    "admin:memory_user_changelist": {Role.REVIEWER, Role.OPERATOR},
    "admin:memory_message_changelist": {Role.REVIEWER, Role.OPERATOR},
    "admin:memory_factrow_changelist": {Role.REVIEWER, Role.OPERATOR},
    "admin:memory_action_changelist": {Role.REVIEWER, Role.OPERATOR, Role.AUDITOR},
    "admin:memory_forgetbatch_changelist": {Role.REVIEWER, Role.OPERATOR, Role.AUDITOR},
    "admin:retrieval_retrievalreceipt_changelist": {Role.REVIEWER, Role.OPERATOR, Role.AUDITOR},
    "admin:corrections_correctionlog_changelist": {Role.REVIEWER, Role.OPERATOR, Role.AUDITOR},
    "admin:memory_erasurerequest_changelist": {Role.OPERATOR, Role.AUDITOR},
    "admin:memory_extractionrun_changelist": {Role.OPERATOR, Role.AUDITOR},
    "admin:tenants_auditevent_changelist": {Role.OPERATOR, Role.AUDITOR},
    "admin:tenants_apikey_changelist": {Role.OPERATOR},
    "admin:tenants_tenant_changelist": {Role.OPERATOR},
    "admin:tenants_staffmembership_changelist": {Role.OPERATOR},
    "admin:django_celery_beat_periodictask_changelist": {Role.OPERATOR},
    "admin:django_celery_results_taskresult_changelist": {Role.OPERATOR},
    "admin:retrieval_embeddingtask_changelist": {Role.OPERATOR},
}
FROM = re.compile(r'FROM "(\w+)"')
TABS = ("user_facts", "user_messages", "user_actions", "user_corrections", "user_packs")


@pytest.mark.parametrize("role", list(Role))
def test_each_role_opens_the_lists_it_needs_and_no_others(log_in: LogIn, role: Role) -> None:
    browser = log_in(role)
    opened = {name for name in LISTS if browser.get(reverse(name)).status_code == 200}
    assert opened == {name for name, roles in LISTS.items() if role in roles}


def test_a_page_refused_asks_who_asks_and_nothing_else(log_in: LogIn) -> None:
    """Session, staff user, roles, tenants, and the tenant's scope around the page: no permissions of lists."""
    browser, address = log_in(Role.PATTERN_EDITOR), reverse("admin:memory_user_changelist")
    assert browser.get(address).status_code == 403
    with CaptureQueriesContext(connection) as asked:
        browser.get(address)
    tables = [FROM.findall(statement["sql"]) for statement in asked]
    assert [name for found in tables for name in found] == ["django_session", "auth_user", "staff_membership", "tenant"]


def test_the_lists_of_an_application_are_those_that_the_role_opens(log_in: LogIn) -> None:
    address = reverse("admin:app_list", args=["tenants"])
    page = log_in(Role.AUDITOR).get(address)
    assert [model["object_name"] for model in page.context["app_list"][0]["models"]] == ["AuditEvent"]
    assert log_in(Role.PATTERN_EDITOR).get(address).status_code == 404


@pytest.mark.parametrize("role", list(Role))
def test_each_role_sees_the_start_page(log_in: LogIn, role: Role) -> None:
    assert log_in(role).get("/admin/").status_code == 200


@pytest.mark.parametrize("tab", TABS)
def test_reviewers_and_operators_read_a_users_memory(log_in: LogIn, known: UserRef, tab: str) -> None:
    for role in (Role.REVIEWER, Role.OPERATOR):
        assert log_in(role).get(reverse(f"console:{tab}", args=[known.id])).status_code == 200


@pytest.mark.parametrize("tab", TABS)
def test_pattern_editors_and_auditors_do_not_read_a_users_memory(log_in: LogIn, known: UserRef, tab: str) -> None:
    for role in (Role.PATTERN_EDITOR, Role.AUDITOR):
        answer = log_in(role).get(reverse(f"console:{tab}", args=[known.id]))
        assert answer.status_code == 403
        assert MARKER not in answer.content.decode()


def test_a_reviewer_has_no_buttons_that_change_memory(log_in: LogIn, known: UserRef, alice: Chatter) -> None:
    browser = log_in(Role.REVIEWER)
    page = browser.get(reverse("console:user_messages", args=[known.id])).content.decode()
    assert MARKER in page
    assert "/forget/" not in page
    message_id = alice.said[0].message_id
    url = reverse("console:forget_message", args=[known.id, message_id])
    assert browser.post(url, {"plan_id": str(message_id)}).status_code == 403


def test_the_sidebar_offers_only_what_the_role_opens(log_in: LogIn) -> None:
    page = log_in(Role.AUDITOR).get("/admin/").content.decode()
    assert reverse("admin:tenants_auditevent_changelist") in page
    assert reverse("admin:tenants_apikey_changelist") not in page
    assert reverse("admin:memory_user_changelist") not in page


def test_a_stranger_is_sent_to_the_login(client: Client, known: UserRef) -> None:
    answer = client.get(reverse("console:user_facts", args=[known.id]))
    assert answer.status_code == 302
    assert "/admin/login/" in answer["Location"]


def test_a_login_that_is_to_end_on_another_site_ends_on_the_first_page(client: Client) -> None:
    person = make_staff("lured")
    person.set_password("a long enough password")
    person.save()
    form = {"username": "lured", "password": "a long enough password", "next": "//evil.example/"}
    answer = client.post("/admin/login/", form)
    assert (answer.status_code, answer["Location"]) == (302, "/admin/")


def test_staff_without_a_role_are_told_so(client: Client) -> None:
    client.force_login(make_staff("newcomer"))
    answer = client.get("/admin/")
    assert answer.status_code == 403
    assert "no role in any tenant" in answer.content.decode()


def test_staff_of_another_tenant_find_nobody(client: Client, known: UserRef, other_tenant: TenantRef) -> None:
    client.force_login(make_staff("neighbour", tenant=other_tenant, role=Role.OPERATOR))
    answer = client.get(reverse("console:user_facts", args=[known.id]))
    assert answer.status_code == 404
    listed = client.get(reverse("admin:memory_message_changelist"), {"user_id": str(known.id)}).content.decode()
    assert MARKER not in listed
    assert "alice" not in client.get(reverse("admin:memory_user_changelist")).content.decode()


def test_a_role_in_one_tenant_gives_nothing_in_another(
    client: Client, tenant: TenantRef, other_tenant: TenantRef, known: UserRef
) -> None:
    user = make_staff("both", tenant=tenant, role=Role.PATTERN_EDITOR)
    _grant(user, other_tenant, Role.OPERATOR)
    client.force_login(user)
    client.post(reverse("console:switch_tenant"), {"tenant": str(tenant.id)})
    assert client.get(reverse("console:user_facts", args=[known.id])).status_code == 403
    client.post(reverse("console:switch_tenant"), {"tenant": str(other_tenant.id)})
    assert client.get(reverse("admin:tenants_apikey_changelist")).status_code == 200
    assert client.get(reverse("console:user_facts", args=[known.id])).status_code == 404


def test_a_tenant_that_is_not_theirs_cannot_be_chosen(
    client: Client, tenant: TenantRef, other_tenant: TenantRef
) -> None:
    client.force_login(make_staff("curious", tenant=tenant, role=Role.OPERATOR))
    client.post(reverse("console:switch_tenant"), {"tenant": str(other_tenant.id)})
    assert client.get("/admin/").context["request"].staff_access.tenant.id == tenant.id


def test_a_superuser_may_choose_any_tenant(
    client: Client, tenant: TenantRef, other_tenant: TenantRef, known: UserRef
) -> None:
    client.force_login(make_staff("root", is_superuser=True))
    client.post(reverse("console:switch_tenant"), {"tenant": str(tenant.id)})
    assert client.get(reverse("console:user_facts", args=[known.id])).status_code == 200
    client.post(reverse("console:switch_tenant"), {"tenant": str(other_tenant.id)})
    assert client.get(reverse("console:user_facts", args=[known.id])).status_code == 404


def test_staff_users_and_passwords_are_for_superusers(log_in: LogIn) -> None:
    assert log_in(Role.OPERATOR).get(reverse("admin:auth_user_changelist")).status_code == 403


def _grant(user: User, tenant: TenantRef, role: Role) -> None:
    from django.utils import timezone

    from memory.tenants.models import Tenant
    from memory.tenants.services.audit import SYSTEM
    from memory.tenants.services.staff import grant_role

    grant_role(user=user, role=role, tenant=Tenant.objects.get(id=tenant.id), actor=SYSTEM, now=timezone.now())
