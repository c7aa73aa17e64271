"""People are named on every page: staff by login, keys by their name, users by the tenant's own id (SPEC H-1)."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from memory.extraction.quality.switches import switch_extraction
from memory.models import Action
from memory.services.fact_inputs import FactInput
from memory.services.facts import FactAct, confirm_fact, put_facts
from memory.tenants.models import Tenant
from memory.tenants.people import name_person
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from memory.tenants.services.keys import create_key
from memory.tenants.types import Actor, ActorType, Role, Scope
from memory.types import TenantRef, UserRef
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


@pytest.fixture
def key_id(tenant: TenantRef) -> str:
    """A key named shop-backend."""
    owner = Tenant.objects.get(id=tenant.id)
    return str(
        create_key(tenant=owner, name="shop-backend", scopes=list(Scope), actor=SYSTEM, now=timezone.now()).key_id
    )


SYSTEM = Actor(type=ActorType.SYSTEM, id="system")


def read(browser: Client, name: str, *args: object, **query: str) -> str:
    return browser.get(reverse(name, args=args), query).content.decode()


def find_staff(role: Role, tenant: TenantRef) -> User:
    return User.objects.get(username=f"{role.value}-{tenant.id.hex[-8:]}")


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("system", "the service"),
        ("system:system", "the service"),
        ("system:review", "the service"),
        ("system:schedule", "the schedule"),
        ("import", "an import"),
        ("staff:987654321", "deleted staff user 987654321"),
        ("staff:x", "deleted staff user x"),
        ("key:test", "key test"),
        ("api_key:2d5b8971-086", None),
        ("", "–"),
    ],
)
def test_what_has_no_name_of_its_own_is_named_in_words(tenant: TenantRef, code: str, name: str | None) -> None:
    with tenant_scope(tenant.id):
        assert name_person(code) == (name or f"key {code.partition(':')[2][-12:]}")


def test_the_audit_trail_and_the_start_page_name_staff_and_keys(
    operator: Client, tenant: TenantRef, key_id: str
) -> None:
    staff = find_staff(Role.OPERATOR, tenant)
    for actor in (Actor(type=ActorType.STAFF, id=str(staff.pk)), Actor(type=ActorType.API_KEY, id=key_id)):
        record_audit_event(tenant_id=tenant.id, actor=actor, action="key.revoke", now=timezone.now())
    for page in (read(operator, "admin:tenants_auditevent_changelist"), read(operator, "admin:index")):
        assert page.count(staff.username) > 1  # beside the name of who is logged in
        assert "key shop-backend" in page
        assert f"staff {staff.pk}<" not in page


def test_a_users_history_names_who_changed_it(operator: Client, alice: Chatter, key_id: str, tenant: TenantRef) -> None:
    staff, now = find_staff(Role.OPERATOR, tenant), timezone.now()
    fact = FactInput("body_params", "M", "onboarding")
    put_facts(tenant=tenant, user_external_id=alice.name, facts=[fact], actor=f"key:{key_id}", now=now)
    with tenant_scope(tenant.id):
        fact_id = Action.objects.get(user_id=alice.ref.id, kind="onboarding").effects[0]["fact_id"]
    confirm_fact(FactAct(user=alice.ref, fact_id=UUID(fact_id), actor=f"staff:{staff.pk}", now=now, reason=None))
    for page in (
        read(operator, "console:user_actions", alice.ref.id),
        read(operator, "console:user_facts", alice.ref.id),
        read(operator, "admin:memory_action_changelist", user_id=str(alice.ref.id)),
    ):
        assert "key shop-backend" in page
        assert page.count(staff.username) > 1
        assert key_id[-12:] not in page


def test_who_switched_extraction_is_named(operator: Client, tenant: TenantRef) -> None:
    staff = find_staff(Role.OPERATOR, tenant)
    actor = Actor(type=ActorType.STAFF, id=str(staff.pk))
    switch_extraction(tenant_id=tenant.id, mode="off", reason="by_staff", actor=actor, now=timezone.now())
    for page in (read(operator, "console:extraction"), read(operator, "console:review_numbers")):
        assert f'<span class="muted">{staff.username}, ' in page


def test_lists_name_users_for_those_who_may_see_them_and_show_others_the_id(
    log_in: Callable[[Role], Client], alice: Chatter, known: UserRef
) -> None:
    operator, auditor = log_in(Role.OPERATOR), log_in(Role.AUDITOR)
    page = read(operator, "admin:memory_action_changelist", user_id=str(known.id))
    assert f"<bdi>{alice.name}</bdi>" in page
    page = read(auditor, "admin:memory_action_changelist", user_id=str(known.id))
    assert alice.name not in page
    assert f"<bdi>{str(known.id)[-12:]}</bdi>" in page


def test_a_user_who_is_being_erased_has_no_name_in_lists(operator: Client, alice: Chatter, known: UserRef) -> None:
    operator.post(reverse("console:erase_user", args=[known.id]), {"typed": alice.name, "reason": "user_request"})
    page = read(operator, "admin:memory_action_changelist", user_id=str(known.id))
    assert f"<bdi>{alice.name}</bdi>" not in page


def test_a_name_is_read_once_a_page(operator: Client, tenant: TenantRef) -> None:
    actor = Actor(type=ActorType.STAFF, id=str(find_staff(Role.OPERATOR, tenant).pk))
    counts = []
    for events in (1, 20):
        for _ in range(events):
            record_audit_event(tenant_id=tenant.id, actor=actor, action="key.revoke", now=timezone.now())
        with CaptureQueriesContext(connection) as asked:
            read(operator, "admin:tenants_auditevent_changelist")
        counts.append(len(asked))
    assert counts[0] == counts[1]
