"""The audit trail: one row for what somebody did, as codes and ids (SPEC G-2, H-1, D-29)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final
from uuid import UUID

from memory.database.statements import fetch_row
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Actor, ActorType, read_actor

SYSTEM: Final = Actor(type=ActorType.SYSTEM, id="system")


def record_audit_event(
    *,
    tenant_id: UUID,
    actor: Actor,
    action: str,
    now: datetime,
    object_type: str = "",
    object_ids: Sequence[UUID] = (),
) -> AuditEvent:
    """Write that `actor` did `action` (a dotted code, e.g. `key.revoke`) to the objects, in a scope of `tenant_id`.

    Ids only: the trail is kept when everything it speaks of is erased. INSTALLATION_ID stands for what belongs to no
    tenant. Part of the caller's transaction when there is one.
    """
    with tenant_scope(tenant_id):
        return AuditEvent.objects.create(
            tenant_id=tenant_id,
            happened_at=now,
            actor_type=actor.type.value,
            actor_id=actor.id,
            action=action,
            object_type=object_type,
            object_ids=list(object_ids),
        )


def record_staff_act(
    *, tenant_id: UUID, actor: str, action: str, now: datetime, object_type: str = "", object_ids: Sequence[UUID] = ()
) -> None:
    """As `record_audit_event`, for an actor as the action log names them (`staff:7`), and for staff alone.

    What an app does with its key is in the action log; the trail is about people who work here.
    """
    named = read_actor(actor)
    if named.type is ActorType.STAFF:
        record_audit_event(
            tenant_id=tenant_id,
            actor=named,
            action=action,
            now=now,
            object_type=object_type,
            object_ids=object_ids,
        )


def seal_audit_day(*, tenant_id: UUID, day: date) -> int:
    """Chain the hashes of the tenant's events up to the end of `day` (UTC); how many were sealed (D-29). Writes.

    The worker's role alone may do this. Run it an hour or more after the day's end: what is still being written then
    would break the chain.
    """
    with tenant_scope(tenant_id):
        return int(fetch_row("SELECT seal_audit_day_v1(%s, %s)", [tenant_id, day])[0])
