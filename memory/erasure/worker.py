"""Carrying an erasure out, step by step. Every step is a transaction of its own and may be repeated, so a worker that
dies anywhere leaves nothing but work for the next one (SPEC G-2).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings

from memory.database.statements import fetch_row
from memory.erasure.certificates import sign_certificate
from memory.erasure.generation import raise_generation
from memory.erasure.history import move_to, note
from memory.erasure.journal import write_entry
from memory.erasure.selectors import get_scope
from memory.errors import CodedError
from memory.fence.user_lock import is_open_after_lock
from memory.metrics import ERASURE_FAILURES, ERASURES_COMPLETED
from memory.models import ErasureRequest, Tombstone
from memory.outbox.services.events import record_event
from memory.registries import Eraser, erasers
from memory.sealing.keystore import get_key_store
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import SYSTEM, record_audit_event
from memory.types import ErasureScope, UserRef

log = structlog.get_logger(__name__)


Clock = Callable[[], datetime]
Hook = Callable[[str], None]


class ErasureIncomplete(CodedError):
    """An eraser still finds rows after every one has run. Nothing is certified; it is tried again."""

    code = "rows_left"
    default_message = "Rows are left after all erasers have run."


def _ignore(step: str) -> None:
    return


def list_erasers() -> list[Eraser]:
    """The erasers of all rooms in the order in which they run."""
    return sorted(erasers, key=lambda eraser: eraser.stage)


def run_erasure(*, user: UserRef, erasure_id: UUID, clock: Clock, after_step: Hook = _ignore) -> str:
    """Carry an erasure out to its end, or record why not; the status it has then. Writes.

    `after_step` is called between the transactions with the name of the step that is done. A failure is recorded with
    its code and tried again later; an interruption records nothing, and the next run goes on where this one stopped.
    """
    if not _start(user, erasure_id, clock()):
        return _get_status(user, erasure_id)
    try:
        _run_steps(user, erasure_id, clock, after_step)
    except Exception as error:
        code = error.code if isinstance(error, CodedError) else type(error).__name__.lower()
        log.warning("erasure_failed", erasure_id=str(erasure_id), code=code, exc_info=error)
        _record_failure(user, erasure_id, clock(), code=code)
    return _get_status(user, erasure_id)


def count_rows(scope: ErasureScope) -> dict[str, int]:
    """What every eraser still finds. Reads only; call inside a tenant scope."""
    return {eraser.name: eraser.count_left(scope) for eraser in list_erasers()}


def erase_everything(*, scope: ErasureScope, after_step: Hook = _ignore) -> dict[str, int]:
    """Run every eraser until none finds anything, at most three rounds; how many rows are left by eraser. Writes."""
    for _ in range(settings.UNDE_TUNING.ERASURE_ROUNDS):
        for eraser in list_erasers():
            _run_eraser(eraser, scope, after_step)
        with tenant_scope(scope.user.tenant_id):
            left = count_rows(scope)
        if not any(left.values()):
            break
    return left


def _start(user: UserRef, erasure_id: UUID, now: datetime) -> bool:
    with tenant_scope(user.tenant_id):
        return move_to(user=user, erasure_id=erasure_id, status="processing", now=now)


def _run_steps(user: UserRef, erasure_id: UUID, clock: Clock, after_step: Hook) -> None:
    after_step("start")
    with tenant_scope(user.tenant_id):
        scope = get_scope(user=user, erasure_id=erasure_id)
        write_entry(user=user, erasure_id=erasure_id)
        _keep_first_counts(scope)
    after_step("journal")
    if scope.is_whole:
        # First, so that whatever happens next, what is sealed can't be read any more (SPEC F-6).
        get_key_store().destroy(user.id)
        after_step("key")
    left = erase_everything(scope=scope, after_step=after_step)
    if any(left.values()):
        raise ErasureIncomplete(fields={name: str(count) for name, count in left.items() if count})
    after_step("verify")
    # Before the erasure is called completed: a worker that dies here does it again.
    raise_generation()
    _complete(scope, left, clock())


def _keep_first_counts(scope: ErasureScope) -> None:
    row = ErasureRequest.objects.get(user_id=scope.user.id, id=scope.erasure_id)
    if "before" not in row.counts:
        counts = {**row.counts, "before": count_rows(scope)}
        ErasureRequest.objects.filter(user_id=scope.user.id, id=scope.erasure_id).update(counts=counts)


def _run_eraser(eraser: Eraser, scope: ErasureScope, after_step: Hook) -> None:
    erased = 1
    while erased:
        with tenant_scope(scope.user.tenant_id):
            is_open_after_lock(user=scope.user)
            erased = eraser.erase_batch(scope, limit=settings.UNDE_TUNING.ERASURE_BATCH_ROWS)
        after_step(eraser.name)


def _complete(scope: ErasureScope, left: dict[str, int], now: datetime) -> None:
    user, erasure_id = scope.user, scope.erasure_id
    with tenant_scope(user.tenant_id):
        row = ErasureRequest.objects.get(user_id=user.id, id=erasure_id)
        counts = {**row.counts, "after": left}
        if not move_to(
            user=user,
            erasure_id=erasure_id,
            status="completed",
            now=now,
            completed_at=now,
            counts=counts,
            alert=row.alert,
        ):
            return
        position = _mark_position(user, erasure_id)
        sign_certificate(
            user=user,
            erasure_id=erasure_id,
            stage=1,
            content=_describe(row, counts=counts, now=now, position=position),
            now=now,
        )
        record_audit_event(
            tenant_id=user.tenant_id,
            actor=SYSTEM,
            action="erasure.complete",
            now=now,
            object_type="erasure",
            object_ids=[erasure_id, user.id],
        )
        record_event("erasure.completed", tenant_id=user.tenant_id, data={"erasure_id": erasure_id})
    ERASURES_COMPLETED.labels(row.scope).inc()
    log.info("erasure_completed", erasure_id=str(erasure_id), rows=sum(counts.get("before", {}).values()))


def _mark_position(user: UserRef, erasure_id: UUID) -> str:
    position: str = fetch_row(
        "UPDATE erasure_request SET completed_lsn = pg_current_wal_insert_lsn() WHERE user_id = %s AND id = %s"
        " RETURNING completed_lsn::text",
        [user.id, erasure_id],
    )[0]
    return position


def _describe(row: ErasureRequest, *, counts: dict[str, Any], now: datetime, position: str) -> dict[str, Any]:
    is_whole = row.scope == "all"
    tombstone = Tombstone.objects.get(user_id=row.user_id, id=row.tombstone_id)
    backups_until = now + timedelta(days=settings.UNDE_BACKUP_RETENTION_DAYS)
    return {
        "scope": row.scope,
        "reason": row.reason,
        "requested_by": row.actor,
        "requested_at": row.requested_at.isoformat(),
        "deadline_at": row.deadline_at.isoformat(),
        "completed_at": now.isoformat(),
        "completed_by": "system",
        "subject_hmac": bytes(tombstone.subject_hmac).hex(),
        "rows_before": counts.get("before", {}),
        "rows_after": counts["after"],
        "user_key": look_at_key(row.user_id) if is_whole else "kept",
        "backups": {
            "hold_it_until": backups_until.isoformat(),
            "facts": "unreadable: the key is destroyed" if is_whole else "readable with the key of the user",
            "messages": "readable until then: message text is not encrypted in this version",
        },
        "storage": {
            "rewritten_after": position,
            "checked": "not checked: stage 2 follows the next rewrite of the files",
        },
    }


def look_at_key(user_id: UUID) -> str:
    """What a certificate says of an erased user's key: `destroyed` where the mark is there and no key."""
    store = get_key_store()
    return "destroyed" if store.is_destroyed(user_id) and not store.holds_key(user_id) else "still there"


def _record_failure(user: UserRef, erasure_id: UUID, now: datetime, *, code: str) -> None:
    ERASURE_FAILURES.inc()
    with tenant_scope(user.tenant_id):
        row = ErasureRequest.objects.get(user_id=user.id, id=erasure_id)
        if not move_to(user=user, erasure_id=erasure_id, status="failed", now=now, code=_make_code(code)):
            return
        is_late = row.attempts >= settings.UNDE_TUNING.ERASURE_MAX_ATTEMPTS or now >= row.deadline_at
        move_to(
            user=user,
            erasure_id=erasure_id,
            status="escalated" if is_late else "retry_pending",
            now=now,
            code="deadline_over" if now >= row.deadline_at else "too_many_attempts" if is_late else "",
            available_at=now + find_delay(row.attempts),
        )


def find_delay(attempts: int) -> timedelta:
    """How long to wait after so many attempts: a minute, doubling, at most six hours."""
    first: timedelta = settings.UNDE_TUNING.ERASURE_FIRST_DELAY
    longest: timedelta = settings.UNDE_TUNING.ERASURE_LONGEST_DELAY
    factor: int = 2 ** min(max(attempts - 1, 0), 16)
    return min(first * factor, longest)


def _make_code(code: str) -> str:
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter in "_.") else "_" for letter in code)[:60]


def _get_status(user: UserRef, erasure_id: UUID) -> str:
    with tenant_scope(user.tenant_id):
        return str(ErasureRequest.objects.values_list("status", flat=True).get(user_id=user.id, id=erasure_id))


def recheck_erasure(*, user: UserRef, erasure_id: UUID, now: datetime) -> int:
    """Look once more when every request that began before the erasure is over; how many late rows went. Writes.

    A receipt is written without the user's lock, so that receipts never slow an answer (SPEC P-4): one that was on its
    way may land after its table was erased.
    """
    with tenant_scope(user.tenant_id):
        scope = get_scope(user=user, erasure_id=erasure_id)
        late = sum(count_rows(scope).values())
    if late:
        erase_everything(scope=scope)
    # Once more: a request that began before the erasure may have noted words after its stores were emptied.
    raise_generation()
    with tenant_scope(user.tenant_id):
        ErasureRequest.objects.filter(user_id=user.id, id=erasure_id).update(rechecked_at=now)
        if late:
            note(user=user, erasure_id=erasure_id, status="completed", now=now, code="late_rows_erased")
            _mark_position(user, erasure_id)  # files that were rewritten in between hold what came late
    return late
