"""Staff of a tenant, one for each role, and a user with something to see."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memory.services.fact_inputs import FactInput
from memory.services.facts import put_facts
from memory.tenants.models import Tenant
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.staff import grant_role
from memory.tenants.types import Role
from memory.types import TenantRef, UserRef
from tests.cast import Chatter

MARKER = "zanzibar-silk"


def make_staff(
    name: str, *, tenant: TenantRef | None = None, role: Role | None = None, is_superuser: bool = False
) -> User:
    """A staff user, with a role if one is named."""
    user = User.objects.create_user(name, password="a-long-password", is_staff=True, is_superuser=is_superuser)
    if role is not None:
        owner = Tenant.objects.get(id=tenant.id) if tenant else None
        grant_role(user=user, role=role, tenant=owner, actor=SYSTEM, now=timezone.now())
    return user


@pytest.fixture
def log_in(tenant: TenantRef) -> Callable[[Role], Client]:
    """A browser of a staff user with one role in the tenant."""

    def make(role: Role) -> Client:
        client = Client()
        client.force_login(make_staff(f"{role.value}-{tenant.id.hex[-8:]}", tenant=tenant, role=role))
        return client

    return make


@pytest.fixture
def operator(log_in: Callable[[Role], Client]) -> Client:
    return log_in(Role.OPERATOR)


@pytest.fixture
def known(alice: Chatter) -> UserRef:
    """Alice, who has said something with a marker in it and stated a size."""
    alice.say(f"I am looking for something in {MARKER}")
    alice.hear("What size do you wear?")
    state_facts(alice, FactInput("body_params", "M", "onboarding"))
    return alice.ref


def state_facts(person: Chatter, *facts: FactInput) -> None:
    """Facts as a form would send them."""
    put_facts(
        tenant=person.tenant,
        user_external_id=person.name,
        facts=facts,
        actor="key:test",
        now=timezone.now(),
    )
