"""Work on the facts of a rule: asked for, cancelled, gone on with. A worker does it (`running`)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings

from memory.errors import Conflict, NotFound
from memory.ids import new_id
from memory.models import FactJob
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_staff_act
from memory.withdrawals.selectors import OPEN

AUDITED = {"close": "close_facts", "reopen": "reopen_facts", "preview": "preview_reading", "reread": "reread"}
"""What the audit trail calls the request of each kind."""


class WorkGoesOn(Conflict):
    """Another work on the facts of the rule is not finished."""

    code = "work_goes_on"
    default_message = "Another task on the facts of this rule is running. Wait for it, or stop it."


class PreviewFirst(Conflict):
    """Nobody has looked at what the new reading would do."""

    code = "preview_first"
    default_message = "Finish the preview first. It shows what rereading adds and removes."


def request_closing(
    *, tenant_id: UUID, rule: str, versions: Sequence[int], requested_by: str, now: datetime
) -> FactJob:
    """Ask that the active facts of versions of a rule be closed. Raises WorkGoesOn, NotFound for no version. Writes."""
    if not versions:
        raise NotFound("No fact comes from a withdrawn version.")
    return _request(tenant_id, "close", rule, requested_by, now, rule_versions=sorted(versions))


def request_reopening(*, tenant_id: UUID, job_id: UUID, requested_by: str, now: datetime) -> FactJob:
    """Ask that what a work closed be opened again. Raises NotFound, WorkGoesOn. Writes."""
    with tenant_scope(tenant_id):
        closing = FactJob.objects.filter(tenant_id=tenant_id, id=job_id, kind="close").first()
    if closing is None:
        raise NotFound("This task does not exist or did not close facts.")
    return _request(
        tenant_id,
        "reopen",
        closing.rule,
        requested_by,
        now,
        rule_versions=closing.rule_versions,
        of_job_id=closing.id,
    )


def request_preview(*, tenant_id: UUID, rule: str, has_all_users: bool, requested_by: str, now: datetime) -> FactJob:
    """Ask what reading stored messages anew would change; nothing is changed. Raises WorkGoesOn. Writes."""
    return _request(tenant_id, "preview", rule, requested_by, now, rule_versions=[], has_all_users=has_all_users)


def request_reading(
    *, tenant_id: UUID, preview_id: UUID, changed_at: datetime, requested_by: str, now: datetime
) -> FactJob:
    """Ask that messages be read anew as a preview showed it. `changed_at`: since when the rule is as it is.

    Raises PreviewFirst when the preview was not finished or is older than the rule, WorkGoesOn. Writes.
    """
    with tenant_scope(tenant_id):
        preview = FactJob.objects.filter(tenant_id=tenant_id, id=preview_id, kind="preview", state="done").first()
    if preview is None or preview.created_at < changed_at:
        raise PreviewFirst
    return _request(
        tenant_id,
        "reread",
        preview.rule,
        requested_by,
        now,
        rule_versions=[],
        of_job_id=preview.id,
        has_all_users=preview.has_all_users,
    )


def cancel_job(*, tenant_id: UUID, job_id: UUID, actor: str, now: datetime) -> None:
    """Stop a work after the user it is at; what it did stays. Writes."""
    with tenant_scope(tenant_id):
        rows = FactJob.objects.filter(tenant_id=tenant_id, id=job_id, state__in=OPEN)
        rows.update(state="cancelled", finished_at=now)
        _audit("stop_work", job_id, tenant_id=tenant_id, actor=actor, now=now)


def resume_job(*, tenant_id: UUID, job_id: UUID, actor: str, now: datetime) -> None:
    """Let a stopped or failed work go on from where it stopped. Raises NotFound, WorkGoesOn. Writes."""
    with tenant_scope(tenant_id):
        job = FactJob.objects.filter(tenant_id=tenant_id, id=job_id, state__in=("cancelled", "failed")).first()
        if job is None:
            raise NotFound("This task does not exist or cannot be continued.")
        _refuse_second(tenant_id, job.rule)
        FactJob.objects.filter(id=job.id).update(state="queued", finished_at=None, heartbeat_at=None, error_code="")
        _audit("continue_work", job_id, tenant_id=tenant_id, actor=actor, now=now)


def _request(tenant_id: UUID, kind: str, rule: str, requested_by: str, now: datetime, **more: object) -> FactJob:
    with tenant_scope(tenant_id):
        _refuse_second(tenant_id, rule)
        rows = FactJob.objects.filter(tenant_id=tenant_id, rule=rule)
        old = list(rows.order_by("-id").values_list("id", flat=True)[settings.UNDE_TUNING.FACT_JOBS_KEPT - 1 :])
        FactJob.objects.filter(id__in=old).delete()
        job = FactJob(
            id=new_id(), tenant_id=tenant_id, kind=kind, rule=rule, requested_by=requested_by, created_at=now, **more
        )
        job.save(force_insert=True)
        _audit(AUDITED[kind], job.id, tenant_id=tenant_id, actor=requested_by, now=now)
    return job


def _audit(verb: str, job_id: UUID, *, tenant_id: UUID, actor: str, now: datetime) -> None:
    record_staff_act(
        tenant_id=tenant_id,
        actor=actor,
        action=f"rule.{verb}",
        now=now,
        object_type="fact_job",
        object_ids=[job_id],
    )


def _refuse_second(tenant_id: UUID, rule: str) -> None:
    if FactJob.objects.filter(tenant_id=tenant_id, rule=rule, state__in=OPEN).exists():
        raise WorkGoesOn
