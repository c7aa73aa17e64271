"""Carrying imports out. A worker that dies leaves its import to the next one (SPEC A-3, M-7).

An export of our own is one transaction, the end of its import included: all of it is there, or nothing. While it goes
on its row is locked, so nobody else takes it, however long it lasts. Messages of another product's file are stored a
piece at a time, and how far that is stands in the transaction of the piece.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings

from memory.database.claims import claim_of_users
from memory.errors import CodedError, UserBusy, UserErased
from memory.fence.user_lock import lock_user
from memory.imports.endings import PURPOSE, fail_import, read_outcome, seal_outcome
from memory.imports.models import ImportPart, ImportRun
from memory.imports.progress import note_progress
from memory.imports.requests import ImportBroken, ImportGivenUp, ImportInterrupted
from memory.imports.running import import_memory, list_drafts, split, store_piece, tell_end
from memory.imports.types import ImportOutcome
from memory.metrics import IMPORTS
from memory.models import User
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.types import TenantRef, UserRef

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]
Hook = Callable[[str], None]


class _Gone(Exception):
    """The import is over, was erased, or belongs to another worker by now."""


@dataclass(frozen=True, slots=True)
class _Task:
    """An import that this worker has claimed."""

    run: ImportRun
    tenant: TenantRef
    user: UserRef
    data: bytes


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One turn at an import. An import that another worker has claimed since is left to that worker."""

    user: UserRef
    import_id: UUID
    number: int | None
    """None where it was not even opened."""

    def find_run(self) -> ImportRun | None:
        """The import, while it is this worker's. In a tenant scope; locks it."""
        rows = ImportRun.objects.filter(user_id=self.user.id, id=self.import_id, status="running")
        rows = rows if self.number is None else rows.filter(attempts=self.number)
        return rows.select_for_update().first()


def _ignore(step: str) -> None:
    return


def run_imports(*, clock: Clock, limit: int = 1) -> int:
    """Carry out what is due, each claimed when its turn comes; how many were looked at. Writes."""
    for done in range(limit):
        claimed = claim_import(now=clock())
        if claimed is None:
            return done
        run_import(user=claimed[0], import_id=claimed[1], clock=clock)
    return limit


def claim_import(*, now: datetime) -> tuple[UserRef, UUID] | None:
    """The import that has waited longest and its user, taken for this worker; None where nothing is due. Writes."""
    claimed = claim_of_users("claim_imports_v2(%s, %s, 1)", [now, now + settings.UNDE_TUNING.IMPORT_LEASE])
    return (claimed[0][0], claimed[0][1]) if claimed else None


def run_import(*, user: UserRef, import_id: UUID, clock: Clock, after_step: Hook = _ignore) -> str:
    """Carry a claimed import to its end, or put it off; what it is then. Writes.

    What the file itself is refused for ends it at once. A user who is busy, or a key store that is away, is waited
    for. Any other failure, and a worker that does not come back, is tried a few times. `after_step` is called where a
    worker may die.
    """
    attempt: int | None = None
    try:
        task = _open(user, import_id)
        attempt = task.run.attempts
        after_step("opened")
        return _take_whole(task, clock, after_step) if _is_own(task.run) else _take_in_pieces(task, clock, after_step)
    except (_Gone, UserErased):
        return "gone"  # the eraser takes the import along
    except Exception as error:
        return _end_badly(_Attempt(user, import_id, attempt), error, clock())


def _end_badly(tried: _Attempt, error: Exception, now: datetime) -> str:
    if isinstance(error, CodedError):
        if error.status == UserBusy.status:
            return _put_off(tried, now, code=error.code, counts=False)
        if error.status < 500 or isinstance(error, ImportGivenUp):
            return _fail(tried, error, now)
    log.warning("import_failed", import_id=str(tried.import_id), error=type(error).__name__, exc_info=error)
    return _put_off(tried, now, code=ImportBroken.code, counts=True)


def _is_own(run: ImportRun) -> bool:
    return run.file_format == "unde"


def _open(user: UserRef, import_id: UUID) -> _Task:
    with tenant_scope(user.tenant_id):
        run = ImportRun.objects.filter(user_id=user.id, id=import_id, status="running").first()
        external_id = User.objects.filter(id=user.id, fenced_at=None).values_list("external_id", flat=True).first()
        tenant = find_tenant(tenant_id=user.tenant_id)
        if run is None or external_id is None or tenant is None:
            raise _Gone
        if run.attempts > settings.UNDE_TUNING.IMPORT_MAX_ATTEMPTS:
            raise ImportBroken if run.failure == ImportBroken.code else ImportInterrupted
        parts = ImportPart.objects.filter(user_id=user.id, import_id=run.id).order_by("number")
        sealed = list(parts.values_list("sealed", flat=True))
    data = b"".join(UserVault(user_id=user.id).open_bytes(sealed, purpose=PURPOSE)) if sealed else b""
    owner = UserRef(id=user.id, tenant_id=user.tenant_id, external_id=external_id)
    return _Task(run, TenantRef(id=tenant.id, zone=ZoneInfo(tenant.timezone)), owner, data)


def _hold(task: _Task) -> None:
    """Take the user's lock, then the import's row until the transaction ends. Raises _Gone, UserBusy, UserErased."""
    lock_user(user=task.user)
    mine = ImportRun.objects.filter(user_id=task.user.id, id=task.run.id, status="running", attempts=task.run.attempts)
    if mine.select_for_update().values_list("id").first() is None:
        raise _Gone


def _take_whole(task: _Task, clock: Clock, after_step: Hook) -> str:
    run, lines = task.run, (0, 0)

    def report(done: int, total: int) -> None:
        nonlocal lines
        lines = (done, total)
        note_progress(run.id, done, total)
        after_step("piece")

    with tenant_scope(task.tenant.id):
        _hold(task)
        outcome = import_memory(
            tenant=task.tenant,
            user_external_id=task.user.external_id,
            data=task.data,
            file_format=run.file_format,
            actor=run.actor,
            now=run.created_at,
            report=report,
        )
        return _succeed(task, outcome, lines, clock())


def _take_in_pieces(task: _Task, clock: Clock, after_step: Hook) -> str:
    run, name = task.run, task.user.external_id
    outcome = ImportOutcome()
    drafts = list_drafts(task.data, run.file_format, user_external_id=name, now=run.created_at, outcome=outcome)
    outcome = read_outcome(run) or outcome
    taken = run.taken
    for piece in split(drafts[taken:]):
        taken += len(piece)
        with tenant_scope(task.tenant.id):
            _hold(task)
            store_piece(task.tenant, piece, actor=run.actor, now=run.created_at, outcome=outcome)
            held_until = clock() + settings.UNDE_TUNING.IMPORT_LEASE
            _update(task.user, run.id, taken=taken, sealed=seal_outcome(task.user, outcome), claimed_until=held_until)
        note_progress(run.id, taken, len(drafts))
        after_step("piece")
    with tenant_scope(task.tenant.id):
        _hold(task)
        tell_end(task.tenant, name, outcome)
        return _succeed(task, outcome, (taken, len(drafts)), clock())


def _succeed(task: _Task, outcome: ImportOutcome, progress: tuple[int, int], now: datetime) -> str:
    sealed = seal_outcome(task.user, outcome, progress=progress)
    _update(task.user, task.run.id, status="succeeded", sealed=sealed, failure="", claimed_until=None, finished_at=now)
    IMPORTS.labels("succeeded").inc()
    return "succeeded"


def _fail(tried: _Attempt, error: CodedError, now: datetime) -> str:
    with tenant_scope(tried.user.tenant_id):
        run = tried.find_run()
        if run is None:
            return "gone"
        fail_import(run, error, now=now)
    return "failed"


def _put_off(tried: _Attempt, now: datetime, *, code: str, counts: bool) -> str:
    """Leave it to a later run. `counts`: whether this was one of the attempts after which it fails."""
    with tenant_scope(tried.user.tenant_id):
        run = tried.find_run()
        if run is None:
            return "gone"
        _update(
            tried.user,
            tried.import_id,
            status="waiting",
            failure=code[:60],
            attempts=run.attempts - (not counts),
            claimed_until=None,
            available_at=now + settings.UNDE_TUNING.IMPORT_RETRY_WAIT,
        )
    return "waiting"


def _update(user: UserRef, import_id: UUID, **values: Any) -> None:
    ImportRun.objects.filter(user_id=user.id, id=import_id, status="running").update(**values)
