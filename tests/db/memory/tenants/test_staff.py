from datetime import datetime
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.utils import IntegrityError
from django.utils import timezone

from memory.errors import InvalidRequest
from memory.tenants.access import StaffAccess, find_access
from memory.tenants.models import AuditEvent, StaffMembership, Tenant
from memory.tenants.roles import PERMISSIONS
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.staff import create_staff_user, grant_role, reset_password, revoke_role
from memory.tenants.types import INSTALLATION_ID, Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def alices(db: None) -> Tenant:
    return Tenant.objects.create(slug=f"a-{uuid4().hex[:8]}", name="Alice's")


@pytest.fixture
def bobs(db: None) -> Tenant:
    return Tenant.objects.create(slug=f"b-{uuid4().hex[:8]}", name="Bob's")


@pytest.fixture
def leila(db: None) -> User:
    return create_staff_user(username="leila")[0]


def get_access(user: User, chosen: Tenant) -> StaffAccess:
    access = find_access(user=user, chosen_id=chosen.id)
    assert access is not None
    return access


def test_a_new_staff_user_gets_a_password_once(db: None) -> None:
    user, password = create_staff_user(username="omar")
    assert password is not None
    assert user.check_password(password)
    assert user.is_staff and not user.is_superuser
    assert create_staff_user(username="omar") == (user, None)
    assert user.check_password(reset_password(user=user))


def test_a_role_is_held_in_one_tenant_and_not_in_another(
    leila: User, alices: Tenant, bobs: Tenant, now: datetime
) -> None:
    assert grant_role(user=leila, role=Role.REVIEWER, tenant=alices, actor=SYSTEM, now=now) is True
    assert grant_role(user=leila, role=Role.REVIEWER, tenant=alices, actor=SYSTEM, now=now) is False
    for chosen in (alices, bobs):  # what is not theirs to choose is not chosen
        access = get_access(leila, chosen)
        assert (access.tenant, access.tenants, access.roles) == (alices, (alices,), {Role.REVIEWER})


def test_who_has_no_role_has_no_tenant(leila: User, alices: Tenant) -> None:
    assert find_access(user=leila, chosen_id=alices.id) is None


def test_roles_in_two_tenants_are_not_mixed(leila: User, alices: Tenant, bobs: Tenant, now: datetime) -> None:
    grant_role(user=leila, role=Role.REVIEWER, tenant=alices, actor=SYSTEM, now=now)
    grant_role(user=leila, role=Role.AUDITOR, tenant=bobs, actor=SYSTEM, now=now)
    assert get_access(leila, alices).roles == {Role.REVIEWER}
    assert get_access(leila, bobs).roles == {Role.AUDITOR}
    assert get_access(leila, bobs).tenants == (alices, bobs)


def test_a_superuser_has_every_role_in_every_tenant(alices: Tenant, bobs: Tenant) -> None:
    root = User.objects.create_user("root", is_superuser=True)
    access = get_access(root, bobs)
    assert (access.tenant, access.roles, access.is_installation) == (bobs, set(Role), True)
    assert {alices, bobs} <= set(access.tenants)


@pytest.mark.parametrize("role", list(Role))
def test_a_role_brings_its_permissions_and_no_others(leila: User, alices: Tenant, now: datetime, role: Role) -> None:
    grant_role(user=leila, role=role, tenant=alices, actor=SYSTEM, now=now)
    fresh = User.objects.get(pk=leila.pk)
    assert fresh.get_all_permissions() == {f"tenants.{codename}" for codename in PERMISSIONS[role]}


def test_a_role_taken_away_takes_its_permissions_unless_it_is_held_elsewhere(
    leila: User, alices: Tenant, bobs: Tenant, now: datetime
) -> None:
    for tenant in (alices, bobs):
        grant_role(user=leila, role=Role.AUDITOR, tenant=tenant, actor=SYSTEM, now=now)
    assert revoke_role(user=leila, role=Role.AUDITOR, tenant=alices, actor=SYSTEM, now=now) is True
    assert revoke_role(user=leila, role=Role.AUDITOR, tenant=alices, actor=SYSTEM, now=now) is False
    assert User.objects.get(pk=leila.pk).has_perm("tenants.audit")
    revoke_role(user=leila, role=Role.AUDITOR, tenant=bobs, actor=SYSTEM, now=now)
    assert not User.objects.get(pk=leila.pk).has_perm("tenants.audit")


def test_an_operator_of_the_installation_sees_every_tenant(
    leila: User, alices: Tenant, bobs: Tenant, now: datetime
) -> None:
    grant_role(user=leila, role=Role.OPERATOR, tenant=None, actor=SYSTEM, now=now)
    access = get_access(leila, bobs)
    assert access.is_installation
    assert {alices, bobs} <= set(access.tenants)
    assert (access.tenant, access.roles) == (bobs, {Role.OPERATOR, Role.PATTERN_EDITOR})
    with tenant_scope(INSTALLATION_ID):
        assert AuditEvent.objects.filter(action="staff.grant_role").count() >= 1


def test_an_operator_of_one_tenant_is_none_of_the_installation(leila: User, alices: Tenant, now: datetime) -> None:
    grant_role(user=leila, role=Role.OPERATOR, tenant=alices, actor=SYSTEM, now=now)
    assert not get_access(leila, alices).is_installation


def test_only_an_operator_may_be_without_a_tenant(leila: User, now: datetime) -> None:
    with pytest.raises(InvalidRequest):
        grant_role(user=leila, role=Role.AUDITOR, tenant=None, actor=SYSTEM, now=now)
    with pytest.raises(IntegrityError, match="only_operators_have_no_tenant"), transaction.atomic():
        StaffMembership.objects.create(staff_user=leila, tenant=None, role="auditor")


def test_migrations_made_a_group_for_each_role() -> None:
    for role, codenames in PERMISSIONS.items():
        group = Group.objects.get(name=role.value)
        assert set(group.permissions.values_list("codename", flat=True)) == set(codenames)
