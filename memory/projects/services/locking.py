"""One writer a project: the users whose words are touched first, then the project's row (D-6)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.database.statements import execute, fetch_row, lock_row
from memory.fence.user_lock import lock_user
from memory.projects.errors import ProjectBusy, ProjectFull, ProjectNotFound
from memory.projects.types import ProjectRef
from memory.types import UserRef

LOCK_TIMEOUT_MS: Final = 2_000


def lock_project(project: ProjectRef, *, users: Iterable[UUID] = ()) -> ProjectRef:
    """The project as it is now, for writing until the transaction ends.

    `users` are those whose messages or threads are written about; the owner is always among them. Their locks come
    first and in order, so that two writers never wait for each other. Raises ProjectNotFound, ProjectBusy, UserBusy,
    UserErased.
    """
    for user_id in sorted({*users, *([project.user_id] if project.user_id else [])}):
        lock_user(user=UserRef(id=user_id, tenant_id=project.tenant_id))
    statement = "SELECT change FROM project WHERE id = %s FOR UPDATE"
    row = lock_row(statement, [project.id], busy=ProjectBusy, timeout_ms=LOCK_TIMEOUT_MS)
    if row is None:
        raise ProjectNotFound
    return ProjectRef(project.id, project.tenant_id, project.external_id, project.user_id, row[0])


def note_change(project: ProjectRef, *, now: datetime) -> None:
    """Everything that was built from the project before is old from now on."""
    execute(
        "UPDATE project SET change = change + 1, updated_at = greatest(updated_at, %s) WHERE id = %s", [now, project.id]
    )


def check_room(project: ProjectRef, *, table: str, more: int, limit: int, name: str) -> None:
    """Raise ProjectFull when a project would have more than so many rows of a kind."""
    count = fetch_row(f"SELECT count(*) FROM {table} WHERE project_id = %s", [project.id])[0]
    if count + more > limit:
        raise ProjectFull(fields={name: f"at most {limit}"})
