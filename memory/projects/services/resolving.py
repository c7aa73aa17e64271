"""Contradictions resolved by a person: one side stays, the other is put aside."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.errors import InvalidRequest, NotFound
from memory.projects.errors import ConflictResolved
from memory.projects.services.conflicts import close_conflict
from memory.projects.services.decisions import reject_decision
from memory.projects.services.facts import refute_fact
from memory.projects.services.locking import lock_project, note_change
from memory.projects.types import ProjectRef


def resolve_conflict(
    project: ProjectRef, *, conflict_id: UUID, keep: str, reason: str, actor: str, now: datetime
) -> None:
    """A person decides: `keep` stays, the other is refuted (a decision: rejected). The link stays. Writes.

    The same again changes nothing. Raises NotFound, InvalidRequest when `keep` is neither, ConflictResolved.
    """
    locked = lock_project(project)
    rows = fetch_rows(_READ_CONFLICT, [project.id, conflict_id])
    if not rows:
        raise NotFound("There is no such contradiction in this project.")
    status, kept_id, left, right, left_name, right_name, kind = rows[0]
    if keep not in (left_name, right_name):
        raise InvalidRequest(fields={"keep": "is neither side of this contradiction"})
    kept, other = (left, right) if keep == left_name else (right, left)
    if status == "resolved":
        if kept_id == kept:
            return
        raise ConflictResolved
    close_conflict(locked, conflict_id, kept_id=kept, resolution="person", actor=actor, now=now, reason=reason)
    _put_aside(locked, kind, other, actor=actor, now=now)
    note_change(locked, now=now)


_READ_CONFLICT: Final = """
SELECT c.status, c.kept_id, c.left_id, c.right_id, l.external_id, r.external_id, l.kind
FROM project_conflict c
JOIN project_item l ON l.project_id = c.project_id AND l.id = c.left_id
JOIN project_item r ON r.project_id = c.project_id AND r.id = c.right_id
WHERE c.project_id = %s AND c.id = %s
"""


def _put_aside(project: ProjectRef, kind: str, id: UUID, *, actor: str, now: datetime) -> None:
    if kind == "fact":
        refute_fact(project, fact_id=id, actor=actor, now=now)
    else:
        reject_decision(project, decision_id=id, actor=actor, now=now)
