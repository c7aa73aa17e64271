"""Switching retention on and off, and carrying a run out. Each user is a step of its own (D-54)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
import structlog
from django.conf import settings
from django.db.models import F

from memory.erasure.requests import request_erasure
from memory.erasure.types import ErasureTarget
from memory.errors import CodedError, InvalidRequest
from memory.fence.user_lock import lock_user
from memory.ids import new_id
from memory.kept.storing import delete_items_before
from memory.metrics import RETAINED
from memory.retention.models import RetentionRun
from memory.retention.selectors import list_over_age
from memory.retention.types import REASON, OverAge
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from memory.tenants.services.tenants import change_settings, read_settings
from memory.tenants.types import Actor
from memory.types import TenantRef

log = structlog.get_logger(__name__)


def switch_retention(*, tenant: Tenant, is_on: bool, days: int | None, actor: Actor, now: datetime) -> None:
    """Let things go by age from the next night on, or no more. Raises InvalidRequest. Writes, audited."""
    if days is not None and not 1 <= days <= settings.UNDE_TUNING.MAX_RETENTION_DAYS:
        raise InvalidRequest(fields={"days": f"must be from 1 to {settings.UNDE_TUNING.MAX_RETENTION_DAYS}"})
    stored = read_settings(tenant)
    wanted = msgspec.structs.replace(stored, is_retention_on=is_on, retention_days=days)
    with tenant_scope(tenant.id):
        change_settings(tenant=tenant, settings=wanted, actor=actor, now=now)
        record_audit_event(
            tenant_id=tenant.id,
            actor=actor,
            action="retention.switch_on" if is_on else "retention.switch_off",
            now=now,
            object_type="tenant",
            object_ids=[tenant.id],
        )
        if not is_on:
            RetentionRun.objects.filter(tenant_id=tenant.id, finished_at=None).update(finished_at=now)


def open_run(*, tenant_id: UUID, now: datetime) -> RetentionRun:
    """The run to go on with; a new one where none is open. In a tenant scope. Writes."""
    found = RetentionRun.objects.filter(tenant_id=tenant_id, finished_at=None).first()
    if found is not None:
        return found
    RetentionRun.objects.bulk_create(
        [RetentionRun(id=new_id(), tenant_id=tenant_id, began_at=now)], ignore_conflicts=True
    )
    return RetentionRun.objects.get(tenant_id=tenant_id, finished_at=None)


def go_on(
    *, tenant: Tenant, clock: Callable[[], datetime], is_over: Callable[[], bool], after_user: Callable[[UUID], None]
) -> RetentionRun:
    """Go on with a tenant's run, user by user, until it is done or `is_over`; the run as it stands then. Writes.

    What is interrupted anywhere goes on with the same user: the same erasure is asked for once. A user who is busy is
    left to the next run.
    """
    with tenant_scope(tenant.id):
        run = open_run(tenant_id=tenant.id, now=clock())
    days = read_settings(tenant).retention_days
    while not is_over():
        with tenant_scope(tenant.id):
            found = list_over_age(
                tenant_id=tenant.id,
                days=days,
                at=run.began_at,
                after=run.last_user_id,
                limit=settings.UNDE_TUNING.RETENTION_USERS_AT_ONCE,
            )
            if not found:
                RetentionRun.objects.filter(tenant_id=tenant.id, id=run.id, finished_at=None).update(
                    finished_at=clock()
                )
        for one in found:
            _let_go(run, tenant, one, now=clock())
            after_user(one.user.id)
            if is_over():
                break
        run = _read(run)
        if run.finished_at is not None:
            break
    return run


def _read(run: RetentionRun) -> RetentionRun:
    with tenant_scope(run.tenant_id):
        return RetentionRun.objects.get(tenant_id=run.tenant_id, id=run.id)


def _let_go(run: RetentionRun, tenant: Tenant, one: OverAge, *, now: datetime) -> None:
    """One user's turn, with the run's note of it, in one transaction."""
    counts = {"users": 1, "messages": one.messages, "items": one.items}
    try:
        with tenant_scope(tenant.id, statement_timeout_ms=settings.UNDE_TUNING.ERASURE_STATEMENT_TIMEOUT_MS):
            lock_user(user=one.user)
            if one.items and one.keeps_items_from:
                counts["items"] = delete_items_before(user=one.user, moment=one.keeps_items_from)
            if one.messages:
                request_erasure(
                    tenant=TenantRef(id=tenant.id, zone=ZoneInfo(tenant.timezone)),
                    user_external_id=one.user.external_id,
                    target=ErasureTarget(scope="range", said_to=one.keeps_messages_from),
                    reason=REASON,
                    actor="system",
                    now=now,
                )
            _note(run, one, counts)
    except CodedError as error:
        log.info("retention_skipped_user", user_id=str(one.user.id), code=error.code)
        with tenant_scope(tenant.id):
            _note(run, one, {"skipped": 1})
        return
    for kind in ("messages", "items"):
        RETAINED.labels(kind).inc(counts[kind])


def _note(run: RetentionRun, one: OverAge, counts: dict[str, int]) -> None:
    added = {name: F(name) + count for name, count in counts.items()}
    RetentionRun.objects.filter(tenant_id=run.tenant_id, id=run.id).update(last_user_id=one.user.id, **added)
