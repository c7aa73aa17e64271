"""Imports as an app asks for them: done at once, or accepted for a worker and looked at later (SPEC A-3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any, cast
from uuid import UUID

import structlog
from celery import current_app
from django.conf import settings
from msgspec import convert

from memory.errors import CodedError, Conflict
from memory.fence.user_lock import enter_user, lock_user
from memory.ids import new_id
from memory.imports.endings import PURPOSE, fail_import
from memory.imports.models import OPEN, ImportPart, ImportRun
from memory.imports.progress import read_progress
from memory.imports.running import check_format
from memory.imports.running import import_memory as import_memory
from memory.imports.types import ImportFailure, ImportOutcome, ImportView, Status
from memory.models import User
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef, UserRef

log = structlog.get_logger(__name__)


class ImportGoesOn(Conflict):
    """Another file for the same user waits or is being imported; `fields` names its operation."""

    code = "import_goes_on"
    default_message = "Another import for this user is not finished. Wait for it, then send this one."


class ImportGivenUp(CodedError):
    """It was tried often enough."""


class ImportInterrupted(ImportGivenUp):
    """Workers began and did not come back, again and again."""

    code = "import_interrupted"
    default_message = "The import was interrupted too often. Send it again, in smaller files."


class ImportBroken(ImportGivenUp):
    """The program failed at it, again and again."""

    code = "import_broken"
    default_message = "The import failed for a reason that is in the log of the service, under its id."


class ImportCancelled(Conflict):
    """Of an operation: the app ended it. What was stored before stays."""

    code = "import_cancelled"
    default_message = "The import was cancelled. What was stored before stays; the file is deleted."


class OperationOver(Conflict):
    """What is over cannot be cancelled."""

    code = "operation_over"
    default_message = "This operation is over. It cannot be cancelled."


def accept_import(
    *, tenant: TenantRef, user_external_id: str, data: bytes, file_format: str, actor: str, now: datetime
) -> ImportView:
    """Take a file on for a worker: sealed under the user's key, and deleted when the import is over. Writes.

    The user is made where it is new. The same file again, while its import is open, is the same import. Raises
    InvalidRequest, ImportGoesOn, UserErased, ErasedPeriod, UserBusy.
    """
    check_format(file_format)
    with tenant_scope(tenant.id):
        user = enter_user(tenant_id=tenant.id, external_id=user_external_id, now=now)
        vault = UserVault(user_id=user.id)
        digest = vault.fingerprint(PURPOSE, f"{file_format}:{hashlib.sha256(data).hexdigest()}")
        open_run = ImportRun.objects.filter(user_id=user.id, status__in=OPEN).first()
        if open_run is None:
            return _show(_store(user, vault, data, digest, file_format=file_format, actor=actor, now=now))
        if bytes(open_run.body_digest) != digest:
            raise ImportGoesOn(fields={"operation_id": str(open_run.id)})
        return _show(open_run)


def _store(
    user: UserRef, vault: UserVault, data: bytes, digest: bytes, *, file_format: str, actor: str, now: datetime
) -> ImportRun:
    run = ImportRun(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        file_format=file_format,
        body_digest=digest,
        size=len(data),
        actor=actor,
        created_at=now,
        available_at=now,
    )
    run.save(force_insert=True)
    step: int = settings.UNDE_TUNING.IMPORT_PART_BYTES
    for number, start in enumerate(range(0, len(data), step)):
        ImportPart(
            id=new_id(),
            tenant_id=user.tenant_id,
            user_id=user.id,
            import_id=run.id,
            number=number,
            sealed=vault.seal_bytes(data[start : start + step], purpose=PURPOSE),
        ).save(force_insert=True)
    return run


def wake_worker() -> None:
    """Let a worker look; where no broker answers, the import waits for the schedule."""
    try:
        current_app.send_task("memory.imports.tasks.run_imports")
    except Exception as error:
        log.warning("import_not_sent", error=type(error).__name__)


def find_import_owner(*, tenant_id: UUID, import_id: UUID) -> UserRef | None:
    """Whose import it is; None where there is none, and for a user who is being erased. In a tenant scope."""
    row = ImportRun.objects.filter(tenant_id=tenant_id, id=import_id).values_list("user_id", flat=True).first()
    user = User.objects.filter(id=row, fenced_at=None).first() if row else None
    return UserRef(id=user.id, tenant_id=tenant_id, external_id=user.external_id) if user else None


def find_import(*, tenant_id: UUID, import_id: UUID) -> ImportView | None:
    """How far an import is, and what came of it. In a tenant scope. Reads only."""
    owner = find_import_owner(tenant_id=tenant_id, import_id=import_id)
    return _show(ImportRun.objects.get(user_id=owner.id, id=import_id)) if owner else None


def cancel_import(*, tenant_id: UUID, import_id: UUID, now: datetime) -> bool:
    """End an open import: its file goes, what it stored stays. False where there is no such import. Writes.

    One that was cancelled before stays as it is. Raises OperationOver, UserBusy (also while an export of our own is
    taken over: that is one transaction), UserErased.
    """
    with tenant_scope(tenant_id):
        user = find_import_owner(tenant_id=tenant_id, import_id=import_id)
        if user is None:
            return False
        lock_user(user=user)
        run = ImportRun.objects.select_for_update().get(user_id=user.id, id=import_id)
        if run.finished_at is None:
            fail_import(run, ImportCancelled(), now=now)
        elif run.failure != ImportCancelled.code:
            raise OperationOver(fields={"operation_id": run.status})
    return True


def _show(run: ImportRun) -> ImportView:
    is_over = run.finished_at is not None
    told = UserVault(user_id=run.user_id).open(run.sealed, purpose=PURPOSE) if is_over and run.sealed else {}
    done, total = told["progress"] if is_over else read_progress(run.id) or (run.taken, None)
    return ImportView(
        id=run.id,
        status=cast("Status", run.status),
        created_at=run.created_at,
        finished_at=run.finished_at,
        done=done,
        total=total,
        outcome=convert(told["outcome"], ImportOutcome) if told.get("outcome") else None,
        failure=convert(told["failure"], ImportFailure) if told.get("failure") else None,
    )


def export_imports(user: UserRef) -> Iterator[dict[str, Any]]:
    """The user's imports in the background, without their files. There are few: those of a week."""
    with tenant_scope(user.tenant_id):
        rows = list(ImportRun.objects.filter(user_id=user.id).order_by("id"))
    for row in rows:
        yield {
            "kind": "import",
            "id": row.id,
            "format": row.file_format,
            "status": row.status,
            "bytes": row.size,
            "created_at": row.created_at,
            "finished_at": row.finished_at,
        }
