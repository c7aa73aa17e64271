"""Whether extraction runs for a tenant, what of it is held back, and how much is sampled (SPEC X-4, D-26).

`paused`: too many samples were judged wrong; a person looks and switches it on again. `off`: users took too many of its
facts back, or a person turned it off. Either way instant facts and RAW go on as before.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.errors import InvalidRequest
from memory.extraction.metrics import SWITCHES
from memory.extraction.quality.intervals import Precision
from memory.extraction.types import MODES
from memory.ids import new_id
from memory.models import ExtractionQuarantine, ExtractionTenantState
from memory.outbox.services.events import record_event
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.tenants.services.audit import record_audit_event
from memory.tenants.services.tenants import read_settings
from memory.tenants.types import Actor, ActorType

SYSTEM = Actor(type=ActorType.SYSTEM, id="extraction")


@dataclass(frozen=True, slots=True)
class TenantState:
    """The switches of a tenant as they are now."""

    mode: str = "on"
    reason: str = ""
    actor: str = ""
    changed_at: datetime | None = None
    sample_share: float = 0.01
    blocked_until: datetime | None = None


def get_state(*, tenant_id: UUID, default_share: float) -> TenantState:
    """The tenant's switches; on, and sampled by `default_share`, where nothing was ever switched."""
    with tenant_scope(tenant_id):
        row = ExtractionTenantState.objects.filter(tenant_id=tenant_id).first()
    if row is None:
        return TenantState(sample_share=default_share)
    return TenantState(row.mode, row.reason, row.actor, row.changed_at, row.sample_share, row.blocked_until)


def switch_extraction(*, tenant_id: UUID, mode: str, reason: str, actor: Actor, now: datetime) -> bool:
    """Turn extraction on, pause it or turn it off; whether that changed anything. Writes, audited.

    `reason` is a code. Raises InvalidRequest for an unknown mode.
    """
    if mode not in MODES:
        raise InvalidRequest(fields={"mode": f"must be one of {', '.join(MODES)}"})
    with tenant_scope(tenant_id):
        row = ExtractionTenantState.objects.filter(tenant_id=tenant_id).first()
        if (row.mode if row else "on") == mode:
            return False
        _store(tenant_id, mode=mode, reason=reason, actor=f"{actor.type.value}:{actor.id}", changed_at=now)
        record_audit_event(tenant_id=tenant_id, actor=actor, action=f"extraction.{mode}", now=now)
        name = "extraction.resumed" if mode == "on" else "extraction.paused"
        record_event(name, tenant_id=tenant_id, data={"mode": mode, "reason": reason})
    SWITCHES.labels(mode, reason).inc()
    return True


def has_governor(*, tenant_id: UUID) -> bool:
    """Whether the tenant lets figures pause extraction and hold parts of it back (SPEC Q-2)."""
    tenant = find_tenant(tenant_id=tenant_id)
    return tenant is None or read_settings(tenant).is_governor_on


def block_until(*, tenant_id: UUID, until: datetime) -> None:
    """The day's tokens are used up: claim nothing of this tenant before then. Writes."""
    with tenant_scope(tenant_id):
        _store(tenant_id, blocked_until=until)


def set_sample_share(*, tenant_id: UUID, share: float) -> None:
    """Set the share of changes that is sampled, 0 to 1. Writes."""
    with tenant_scope(tenant_id):
        _store(tenant_id, sample_share=share)


def get_daily_tokens(*, tenant_id: UUID, default: int) -> int:
    """The tokens that a tenant may use a day."""
    tenant = find_tenant(tenant_id=tenant_id)
    own = read_settings(tenant).extraction_daily_tokens if tenant else None
    return default if own is None else own


# --- quarantine -------------------------------------------------------------------------------------------------------


def list_quarantined(*, tenant_id: UUID, at: datetime | None = None) -> frozenset[tuple[str, str]]:
    """(slice, value) pairs whose proposals the gate refuses, now or at a moment of the past."""
    with tenant_scope(tenant_id):
        rows = ExtractionQuarantine.objects.filter(tenant_id=tenant_id)
        is_held = Q(lifted_at=None) if at is None else Q(since__lte=at) & (Q(lifted_at=None) | Q(lifted_at__gt=at))
        rows = rows.filter(is_held)
        return frozenset(rows.values_list("slice", "value"))


def quarantine_slice(*, tenant_id: UUID, slice_name: str, value: str, precision: Precision, now: datetime) -> bool:
    """Hold a slice back because its precision is too low; whether it was not held back yet. Writes."""
    with tenant_scope(tenant_id):
        if ExtractionQuarantine.objects.filter(tenant_id=tenant_id, slice=slice_name, value=value, lifted_at=None):
            return False
        ExtractionQuarantine(
            id=new_id(),
            tenant_id=tenant_id,
            slice=slice_name,
            value=value,
            reason="precision_too_low",
            judged=precision.judged,
            right_count=precision.right,
            since=now,
        ).save(force_insert=True)
        record_audit_event(tenant_id=tenant_id, actor=SYSTEM, action="extraction.quarantine", now=now)
    SWITCHES.labels("quarantine", slice_name).inc()
    return True


def lift_quarantine(*, tenant_id: UUID, quarantine_id: UUID, actor: Actor, now: datetime) -> bool:
    """Let a slice through again; whether it was held back. Verdicts from before then no longer count. Writes."""
    with tenant_scope(tenant_id):
        rows = ExtractionQuarantine.objects.filter(tenant_id=tenant_id, id=quarantine_id, lifted_at=None)
        is_lifted = rows.update(lifted_at=now, lifted_by=f"{actor.type.value}:{actor.id}") == 1
        if is_lifted:
            record_audit_event(tenant_id=tenant_id, actor=actor, action="extraction.quarantine_lifted", now=now)
    return is_lifted


def _store(tenant_id: UUID, **values: Any) -> None:
    ExtractionTenantState.objects.update_or_create(tenant_id=tenant_id, defaults=values)
