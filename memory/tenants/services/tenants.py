"""Making tenants and changing what they may set."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from django.db import IntegrityError

from memory.errors import InvalidRequest
from memory.ids import new_id
from memory.tenants.errors import TenantExists
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import Actor, TenantSettings

_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def create_tenant(*, slug: str, name: str, timezone: str, actor: Actor, now: datetime) -> Tenant:
    """Make a tenant. Raises InvalidRequest for a bad slug or an unknown time zone, TenantExists. Writes, audited."""
    check_timezone(timezone)
    tenant = Tenant(id=new_id(), slug=slug, name=name, timezone=timezone)
    _check_slug(tenant)
    try:
        with tenant_scope(tenant.id):
            tenant.save(force_insert=True)
            record_audit_event(
                tenant_id=tenant.id,
                actor=actor,
                action="tenant.create",
                now=now,
                object_type="tenant",
                object_ids=[tenant.id],
            )
    except IntegrityError:
        raise TenantExists from None
    return tenant


def change_settings(*, tenant: Tenant, settings: TenantSettings, actor: Actor, now: datetime) -> None:
    """Replace the tenant's settings. Writes, audited."""
    with tenant_scope(tenant.id):
        tenant.settings = msgspec.to_builtins(settings)
        tenant.save(update_fields=["settings"])
        record_audit_event(
            tenant_id=tenant.id,
            actor=actor,
            action="tenant.change_settings",
            now=now,
            object_type="tenant",
            object_ids=[tenant.id],
        )


def read_settings(tenant: Tenant) -> TenantSettings:
    """The tenant's settings with the defaults filled in. Raises InvalidRequest when the stored JSON is not of them."""
    try:
        return msgspec.convert(tenant.settings, TenantSettings)
    except msgspec.ValidationError:
        raise InvalidRequest("The stored settings of the tenant are not valid.") from None


def check_timezone(timezone: str) -> None:
    """Raise InvalidRequest unless the name is one of the time-zone database, e.g. Asia/Dubai."""
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidRequest(
            "The time zone is unknown.", fields={"timezone": "must be a name such as Asia/Dubai"}
        ) from None


def _check_slug(tenant: Tenant) -> None:
    if not _SLUG.fullmatch(tenant.slug):
        raise InvalidRequest(
            "The slug is not valid.", fields={"slug": "must be 1-63 lower-case letters, digits and dashes"}
        )
