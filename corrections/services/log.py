"""Writing the correction log (SPEC C-2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from corrections.models import CorrectionLog
from memory.errors import CodedError, NotFound
from memory.facts.ledger import PendingAction
from memory.imports.rows import insert_rows, load_row
from memory.registries import ImportContext
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_staff_act
from memory.types import UserRef

GOLDEN_STATUSES = ("candidate", "accepted", "rejected")

_INSERT = """
INSERT INTO memory_correction_log (tenant_id, user_id, id, trigger_message_id, corrected_message_id,
    deactivated_knowledge_id, disputed_knowledge_id, set_knowledge_id, correction_type, language, created_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""


class CorrectionNotFound(NotFound):
    """No such correction in this tenant."""

    code = "correction_not_found"
    default_message = "This correction does not exist."


def insert_corrections(*, user: UserRef, actions: Sequence[PendingAction], now: datetime) -> int:
    """Write a row for each effect that these actions note in their detail; how many. Call in the ingest transaction."""
    rows = [_make_row(user, action, entry, now) for action in actions for entry in action.detail.get("corrections", ())]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(_INSERT, rows)
    return len(rows)


def _make_row(user: UserRef, action: PendingAction, entry: dict[str, Any], now: datetime) -> list[Any]:
    return [
        user.tenant_id,
        user.id,
        UUID(entry["id"]),
        action.message_id,
        action.detail["corrected_message_id"],
        entry["deactivated_id"],
        entry["disputed_id"],
        entry["set_id"],
        entry["correction_type"],
        action.detail["language"],
        now,
    ]


def set_golden_status(*, user: UserRef, correction_id: UUID, status: str) -> None:
    """A reviewer takes a correction as a golden case, or turns it down (SPEC C-2, D-27). Writes.

    Raises ValueError for an unknown status and CorrectionNotFound.
    """
    if status not in GOLDEN_STATUSES:
        raise ValueError(f"no golden status: {status}")
    found = CorrectionLog.objects.filter(user_id=user.id, id=correction_id).update(golden_status=status)
    if not found:
        raise CorrectionNotFound(fields={"correction_id": "unknown"})


def record_golden_status(*, user: UserRef, correction_id: UUID, status: str, actor: str, now: datetime) -> None:
    """As `set_golden_status`, at the press of a button: noted in the audit trail. Writes."""
    with tenant_scope(user.tenant_id):
        set_golden_status(user=user, correction_id=correction_id, status=status)
        record_staff_act(
            tenant_id=user.tenant_id,
            actor=actor,
            action=f"correction.{status}",
            now=now,
            object_type="correction",
            object_ids=[correction_id],
        )


def import_corrections(rows: Sequence[Mapping[str, Any]], context: ImportContext) -> Sequence[bool | CodedError]:
    """Take over the corrections of an export whose messages are here (SPEC M-7). Writes."""

    def make(row: Mapping[str, Any]) -> Any:
        return load_row(CorrectionLog, row, user=context.user)

    return insert_rows(CorrectionLog, rows, user=context.user, make=make)
