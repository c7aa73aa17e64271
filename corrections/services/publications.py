"""What the scheduler published or refused, in the audit trail: rules know no tenants' trails."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import Actor, ActorType
from patterns.models import Publication

SCHEDULE: Final = Actor(type=ActorType.SYSTEM, id="schedule")


def note_ended_plan(plan: Publication, *, now: datetime) -> None:
    """Write to the trail of the tenant in which it was asked for what became of a plan. Ids and codes."""
    kind, subject_id = ("rule", plan.rule_version.rule_id) if plan.rule_version else ("lexicon", None)
    if plan.entry_version is not None:
        subject_id = plan.entry_version.entry_id
    action = "publish" if plan.state == "published" else "publish_refused"
    record_audit_event(
        tenant_id=plan.tenant_id,
        actor=SCHEDULE,
        action=f"{kind}.{action}",
        now=now,
        object_type=kind,
        object_ids=[subject_id] if subject_id else [],
    )
