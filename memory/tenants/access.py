"""What a staff user may do in the tenant they work in: read once a request, asked by every page (SPEC H-1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpRequest

from memory.errors import Forbidden
from memory.tenants.models import Tenant
from memory.tenants.roles import PERMISSIONS
from memory.tenants.selectors import list_memberships, list_tenants
from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import Actor, ActorType, Role

_OF_THE_INSTALLATION = frozenset({Role.OPERATOR, Role.PATTERN_EDITOR})


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffAccess:
    """A staff user in one tenant, with the roles they have there. Lives as long as the request."""

    staff_user_id: int
    tenant: Tenant
    tenants: tuple[Tenant, ...]
    """All tenants that the staff user may choose from."""
    roles: frozenset[Role]
    is_installation: bool
    """Whether they operate the installation as a whole: a superuser, or an operator of no single tenant (D-14)."""

    @property
    def actor(self) -> Actor:
        """Who the audit trail names."""
        return Actor(type=ActorType.STAFF, id=str(self.staff_user_id))

    @property
    def actor_code(self) -> str:
        """Who the action log names (`memory_action.actor`)."""
        return f"staff:{self.staff_user_id}"

    def has_permission(self, codename: str) -> bool:
        """Whether one of the roles held in this tenant gives the permission (`memory.tenants.roles`)."""
        return any(codename in PERMISSIONS[role] for role in self.roles)


def find_access(*, user: User, chosen_id: UUID | None) -> StaffAccess | None:
    """The access of a staff user to the chosen tenant, or to the first of theirs; None without any.

    A superuser has every role in every tenant. An operator of the installation is an operator and a pattern editor in
    each: rules for all tenants are theirs alone. Two statements, one for a superuser.
    """
    held = [] if user.is_superuser else list_memberships(staff_user_id=user.pk)
    is_installation = user.is_superuser or (None, Role.OPERATOR) in held
    tenants = list_tenants(among=None if is_installation else [tenant_id for tenant_id, _ in held if tenant_id])
    if not tenants:
        return None
    tenant = next((tenant for tenant in tenants if tenant.id == chosen_id), tenants[0])
    of_all = frozenset(Role) if user.is_superuser else _OF_THE_INSTALLATION if is_installation else frozenset()
    return StaffAccess(
        staff_user_id=user.pk,
        tenant=tenant,
        tenants=tuple(tenants),
        roles=of_all | {role for tenant_id, role in held if tenant_id == tenant.id},
        is_installation=is_installation,
    )


def get_access(request: HttpRequest) -> StaffAccess:
    """The access that the middleware put on the request. Raises Forbidden where there is none."""
    access = getattr(request, "staff_access", None)
    if not isinstance(access, StaffAccess):
        raise Forbidden("Choose a tenant first.")
    return access


def has_permission(request: HttpRequest, *codenames: str) -> bool:
    """Whether the staff user of the request has one of the permissions in the tenant they work in."""
    access = getattr(request, "staff_access", None)
    return isinstance(access, StaffAccess) and any(access.has_permission(codename) for codename in codenames)


def is_installation_staff(request: HttpRequest) -> bool:
    """Whether the staff user runs the installation as a whole: what is for all tenants is theirs to change (D-14)."""
    access = getattr(request, "staff_access", None)
    return isinstance(access, StaffAccess) and access.is_installation


def record_view(
    request: HttpRequest, *, action: str, object_type: str, object_ids: Sequence[UUID], now: datetime
) -> None:
    """Write to the audit trail that the staff user looked at something (SPEC H-1). Ids only."""
    access = get_access(request)
    record_audit_event(
        tenant_id=access.tenant.id,
        actor=access.actor,
        action=action,
        now=now,
        object_type=object_type,
        object_ids=object_ids,
    )
