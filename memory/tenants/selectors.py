"""Reads of access: who is calling, which tenants a staff user works in."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from memory.database.statements import fetch_row
from memory.errors import NotFound
from memory.tenants.errors import InvalidKey
from memory.tenants.key_format import hash_key
from memory.tenants.models import ApiKey, StaffMembership, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Caller, Role, Scope


def get_caller(*, secret: str, now: datetime) -> Caller:
    """The tenant and scopes behind a key. Raises InvalidKey when it is unknown, revoked or expired. One statement."""
    key_hash = hash_key(secret)
    row = fetch_row("SELECT * FROM find_api_key_v2(%s)", [key_hash])
    if row is None:
        raise InvalidKey
    key_id, tenant_id, tenant_slug, timezone, scopes, requests_per_minute, expires_at, user_id, user, position = row
    if expires_at is not None and expires_at <= now:
        raise InvalidKey
    return Caller(
        key_id=key_id,
        tenant_id=tenant_id,
        tenant_slug=tenant_slug,
        timezone=timezone,
        scopes=frozenset(map(Scope, scopes)),
        requests_per_minute=requests_per_minute,
        user_id=user_id,
        user=user,
        user_position=position,
    )


def get_tenant(*, slug: str) -> Tenant:
    """The tenant of that slug. Raises NotFound."""
    tenant = Tenant.objects.filter(slug=slug).first()
    if tenant is None:
        raise NotFound("There is no tenant with this slug.")
    return tenant


def find_tenant(*, tenant_id: UUID) -> Tenant | None:
    """The tenant of that id, if there is one."""
    return Tenant.objects.filter(id=tenant_id).first()


def get_zone(*, tenant_id: UUID) -> ZoneInfo:
    """Where the days of a tenant's users are counted. Raises Tenant.DoesNotExist."""
    return ZoneInfo(Tenant.objects.values_list("timezone", flat=True).get(id=tenant_id))


def list_tenants(*, among: Collection[UUID] | None = None) -> list[Tenant]:
    """All tenants by slug, or those of the ids in `among`."""
    rows = Tenant.objects.order_by("slug")
    return list(rows if among is None else rows.filter(id__in=among))


def list_user_keys(*, tenant_id: UUID, user_id: UUID, after: UUID | None, limit: int) -> list[ApiKey]:
    """The working keys for one user, in the order in which they were made."""
    rows = ApiKey.objects.filter(tenant_id=tenant_id, user_id=user_id, revoked_at=None).order_by("id")
    return list((rows.filter(id__gt=after) if after else rows)[:limit])


def find_key(*, tenant_id: UUID, name: str) -> ApiKey | None:
    """The working key of that name, if there is one."""
    with tenant_scope(tenant_id):
        return ApiKey.objects.filter(tenant_id=tenant_id, name=name, revoked_at=None).first()


def list_memberships(*, staff_user_id: int) -> list[tuple[UUID | None, Role]]:
    """The roles of a staff user with their tenants; no tenant stands for the installation as a whole (D-14)."""
    rows = StaffMembership.objects.filter(staff_user_id=staff_user_id).values_list("tenant_id", "role")
    return [(tenant_id, Role(role)) for tenant_id, role in rows]


def list_reviewers(*, tenant_id: UUID) -> list[tuple[str, str]]:
    """Those who review in a tenant: their code (`staff:<id>`) and login, by login."""
    rows = StaffMembership.objects.filter(
        tenant_id=tenant_id, role=Role.REVIEWER.value, staff_user__is_active=True
    ).order_by("staff_user__username")
    return [(f"staff:{number}", name) for number, name in rows.values_list("staff_user_id", "staff_user__username")]


def find_broken_audit_event(*, tenant_id: UUID) -> UUID | None:
    """The first sealed audit event that does not follow from the one before it; None when the chain holds (D-29)."""
    with tenant_scope(tenant_id):
        found: UUID | None = fetch_row("SELECT find_broken_audit_event_v1(%s)", [tenant_id])[0]
    return found
