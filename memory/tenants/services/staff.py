"""Staff users and their roles (SPEC H-1, D-14, D-32)."""

from __future__ import annotations

import secrets
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import Group, Permission, User

from memory.errors import InvalidRequest
from memory.tenants.models import StaffMembership, Tenant
from memory.tenants.roles import PERMISSIONS
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import INSTALLATION_ID, Actor, Role


def create_staff_user(*, username: str, is_superuser: bool = False) -> tuple[User, str | None]:
    """A staff user with a random one-time password, or the existing one and None. Writes."""
    existing = User.objects.filter(username=username).first()
    if existing is not None:
        return existing, None
    password = secrets.token_urlsafe(18)
    user = User.objects.create_user(username=username, password=password, is_staff=True, is_superuser=is_superuser)
    return user, password


def reset_password(*, user: User) -> str:
    """Give the user create create a new one-time password and return it. Writes."""
    password = secrets.token_urlsafe(18)
    user.set_password(password)
    user.save(update_fields=["password"])
    return password


def grant_role(*, user: User, role: Role, tenant: Tenant | None, actor: Actor, now: datetime) -> bool:
    """Give a role in a tenant, or `operator` of the installation without one. False when it was there. Writes, audited.

    Raises InvalidRequest for another role without a tenant.
    """
    if tenant is None and role is not Role.OPERATOR:
        raise InvalidRequest("Only an operator may have no tenant.", fields={"tenant": "is required"})
    with _scope_of(tenant):
        membership, is_new = StaffMembership.objects.get_or_create(staff_user=user, tenant=tenant, role=role.value)
        user.groups.add(get_role_group(role))
        if is_new:
            _audit(membership, action="staff.grant_role", actor=actor, now=now)
    return is_new


def revoke_role(*, user: User, role: Role, tenant: Tenant | None, actor: Actor, now: datetime) -> bool:
    """Take a role away; its group too when the user has the role nowhere else. False when it wasn't there. Audited."""
    with _scope_of(tenant):
        membership = StaffMembership.objects.filter(staff_user=user, tenant=tenant, role=role.value).first()
        if membership is None:
            return False
        _audit(membership, action="staff.revoke_role", actor=actor, now=now)
        membership.delete()
        if not StaffMembership.objects.filter(staff_user=user, role=role.value).exists():
            user.groups.remove(get_role_group(role))
    return True


def get_role_group(role: Role) -> Group:
    """The Django group of a role, made with its permissions when it is missing."""
    group, is_new = Group.objects.get_or_create(name=role.value)
    if is_new:
        group.permissions.set(
            Permission.objects.filter(content_type__app_label="tenants", codename__in=PERMISSIONS[role])
        )
    return group


def _scope_of(tenant: Tenant | None) -> tenant_scope:
    """The scope in which something of this tenant, or of the installation, is written."""
    return tenant_scope(_owner_id(tenant.id if tenant else None))


def _owner_id(tenant_id: UUID | None) -> UUID:
    return tenant_id or INSTALLATION_ID


def _audit(membership: StaffMembership, *, action: str, actor: Actor, now: datetime) -> None:
    record_audit_event(
        tenant_id=_owner_id(membership.tenant_id),
        actor=actor,
        action=action,
        now=now,
        object_type="staff_membership",
        object_ids=[membership.id],
    )
