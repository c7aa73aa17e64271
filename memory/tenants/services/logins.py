"""Logins of staff in the audit trail: who came in, who did not, and where somebody tried too often (D-32)."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from django.contrib.auth.models import User

from memory.tenants.models import StaffMembership
from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import INSTALLATION_ID, Actor, ActorType

Outcome = Literal["login", "login_failed", "login_locked"]
UNKNOWN: Final = Actor(type=ActorType.STAFF, id="unknown")
"""Somebody under a name that nobody has. The name is not kept: people type their password into the wrong field."""


def record_login(*, username: str, outcome: Outcome, now: datetime) -> None:
    """Note a login or a refused one, in the trail of the installation and of every tenant the person has a role in.

    Names no address and no name, only the staff user's id. Writes.
    """
    user = User.objects.filter(username=username).only("pk").first()
    actor = Actor(type=ActorType.STAFF, id=str(user.pk)) if user else UNKNOWN
    for tenant_id in [INSTALLATION_ID, *(_list_tenant_ids(user.pk) if user else ())]:
        record_audit_event(tenant_id=tenant_id, actor=actor, action=f"staff.{outcome}", now=now)


def _list_tenant_ids(staff_user_id: int) -> list[UUID]:
    rows = StaffMembership.objects.filter(staff_user_id=staff_user_id).exclude(tenant_id__isnull=True)
    return list(rows.order_by("tenant_id").values_list("tenant_id", flat=True).distinct())
