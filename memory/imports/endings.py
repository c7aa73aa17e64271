"""How an import ends before its time, and what is told of it, sealed under the user's key."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import structlog
from django.db import transaction
from msgspec import convert, to_builtins

from memory.errors import CodedError
from memory.imports.models import OPEN, ImportRun
from memory.imports.progress import read_progress
from memory.imports.types import ImportOutcome
from memory.metrics import IMPORTS
from memory.sealing.vault import UserVault
from memory.types import UserRef

log = structlog.get_logger(__name__)

PURPOSE: Final = "import"


def fail_import(run: ImportRun, error: CodedError, *, now: datetime) -> None:
    """End an open import with what was wrong; its file goes. In a tenant scope. Writes.

    What is stored already of another product's file stays, and is counted. Of an export of ours nothing is.
    """
    user = UserRef(id=run.user_id, tenant_id=run.tenant_id)
    progress = read_progress(run.id) if run.taken else None
    failure = {"code": error.code, "message": error.message, "fields": error.fields}
    sealed = seal_outcome(user, read_outcome(run), failure=failure, progress=progress or (run.taken, None))
    ImportRun.objects.filter(user_id=user.id, id=run.id, status__in=OPEN).update(
        status="failed", sealed=sealed, failure=error.code[:60], claimed_until=None, finished_at=now
    )
    transaction.on_commit(IMPORTS.labels("failed").inc)
    log.info("import_refused", import_id=str(run.id), code=error.code)


def read_outcome(run: ImportRun) -> ImportOutcome | None:
    """What workers have counted so far; None before the first piece."""
    if run.sealed is None:
        return None
    told = UserVault(user_id=run.user_id).open(run.sealed, purpose=PURPOSE)
    return convert(told["outcome"], ImportOutcome) if told["outcome"] else None


def seal_outcome(user: UserRef, outcome: ImportOutcome | None, **more: Any) -> bytes:
    """What is told of an import, sealed under its user's key."""
    told = {"outcome": to_builtins(outcome), "failure": None, **more}
    return UserVault(user_id=user.id).seal(told, purpose=PURPOSE)
