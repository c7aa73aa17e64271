"""Projects are made and changed, and conversations are bound to them (SPEC J-1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from memory.database.statements import execute, fetch_row, fetch_rows, insert_all
from memory.errors import Conflict, InvalidRequest
from memory.fence.user_lock import enter_user
from memory.ids import new_id
from memory.projects.errors import ProjectFull
from memory.projects.selectors.projects import find_items, find_project, read_project_version
from memory.projects.services.locking import check_room, lock_project, note_change
from memory.projects.types import ProjectRef
from memory.projects.words import PROJECT, ProjectWords

RESERVED_IDS = frozenset({"normalise"})
"""Ids that would be taken for another path."""


@dataclass(frozen=True, slots=True)
class ProjectInput:
    """What a caller says of a project; None: not said."""

    name: str | None = None
    mission: str | None = None
    goals: Sequence[str] | None = None
    constraints: Sequence[str] | None = None
    status: str | None = None


def make_project(
    *, tenant_id: UUID, external_id: str | None, user: str | None, content: ProjectInput, now: datetime
) -> tuple[ProjectRef, bool]:
    """Make a project, of a user or shared; whether it is new. The same call again changes nothing.

    Raises Conflict when the id is another project's, ProjectFull, UserBusy, UserErased. Writes.
    """
    if external_id in RESERVED_IDS:
        raise InvalidRequest(fields={"id": "is a word of the API"})
    owner = enter_user(tenant_id=tenant_id, external_id=user, now=now).id if user else None
    id = new_id()
    name = external_id or str(id)
    count = fetch_row("SELECT count(*) FROM project WHERE tenant_id = %s", [tenant_id])[0]
    if count >= settings.UNDE_TUNING.PROJECTS_OF_A_TENANT:
        raise ProjectFull(fields={"projects": f"at most {settings.UNDE_TUNING.PROJECTS_OF_A_TENANT}"})
    is_new = execute(
        "INSERT INTO project (tenant_id, id, external_id, user_id, created_at, updated_at)"
        " VALUES (%s, %s, %s, %s, %s, %s)"
        " ON CONFLICT ON CONSTRAINT an_external_id_is_one_project_of_a_tenant DO NOTHING",
        [tenant_id, id, name, owner, now, now],
    )
    words = _merge({"name": name, "mission": "", "goals": [], "constraints": [], "status": "active"}, content)
    if not is_new:
        return _check_same(tenant_id=tenant_id, external_id=name, owner=owner, words=words), False
    project = ProjectRef(id, tenant_id, name, owner)
    _write_version(project, words, version=1, now=now)
    return project, True


def change_project(project: ProjectRef, *, content: ProjectInput, now: datetime) -> None:
    """A new version with what is given; the former one stays readable. Nothing happens when nothing differs. Writes."""
    locked = lock_project(project)
    version = _find_version(locked)
    before = read_project_version(locked, version=version)
    assert before is not None
    words = _merge(before, content)
    if words == before:
        return
    execute("UPDATE project_version SET known_to = %s WHERE project_id = %s AND known_to IS NULL", [now, project.id])
    _write_version(locked, words, version=version + 1, now=now)
    note_change(locked, now=now)


def bind_thread(
    project: ProjectRef, *, user: str, conversation: str, scope: str, is_shared: bool, now: datetime
) -> UUID:
    """Bind a conversation of a user to a project, or set its scope.

    Writes. Raises Conflict for another user's project.
    """
    owner = enter_user(tenant_id=project.tenant_id, external_id=user, now=now)
    if project.user_id not in (None, owner.id):
        raise Conflict("The project belongs to another user.", fields={"user_id": "is not its owner"})
    locked = lock_project(project, users=[owner.id])
    known = fetch_rows(
        "SELECT id, scope, is_shared FROM project_thread WHERE project_id = %s AND user_id = %s AND conversation = %s",
        [project.id, owner.id, conversation],
    )
    if known:
        if known[0][1:] != (scope, is_shared):
            execute("UPDATE project_thread SET scope = %s, is_shared = %s WHERE project_id = %s AND id = %s",
                [scope, is_shared, project.id, known[0][0]])  # fmt: skip
            note_change(locked, now=now)
        return UUID(str(known[0][0]))
    check_room(locked, table="project_thread", more=1, limit=settings.UNDE_TUNING.PROJECT_MAX_THREADS, name="threads")
    id = _add_thread_item(locked, conversation, now)
    columns = ("tenant_id", "project_id", "id", "user_id", "conversation", "scope", "is_shared", "bound_at")
    row = (project.tenant_id, project.id, id, owner.id, conversation, scope, is_shared, now)
    insert_all("project_thread", columns, [row])
    note_change(locked, now=now)
    return id


def _add_thread_item(project: ProjectRef, conversation: str, now: datetime) -> UUID:
    """A new item for a thread. Callers name it by its conversation where that is free, else by our id. Writes."""
    id = new_id()
    is_free = conversation and not find_items(project, kind="thread", external_ids=[conversation])
    columns = ("tenant_id", "project_id", "id", "kind", "external_id", "created_at")
    name = conversation if is_free else str(id)
    insert_all("project_item", columns, [(project.tenant_id, project.id, id, "thread", name, now)])
    return id


def _check_same(*, tenant_id: UUID, external_id: str, owner: UUID | None, words: Mapping[str, Any]) -> ProjectRef:
    project = find_project(tenant_id=tenant_id, external_id=external_id)
    if project is None or project.user_id != owner:
        raise Conflict("A project of this id exists already.", fields={"id": "is taken"})
    if read_project_version(project, version=_find_version(project)) != words:
        raise Conflict("A project of this id exists already. PATCH changes it.", fields={"id": "is taken"})
    return project


def _find_version(project: ProjectRef) -> int:
    return int(fetch_row("SELECT max(version) FROM project_version WHERE project_id = %s", [project.id])[0])


def _merge(before: Mapping[str, Any], content: ProjectInput) -> dict[str, Any]:
    given = {
        "name": content.name,
        "mission": content.mission,
        "goals": None if content.goals is None else list(content.goals),
        "constraints": None if content.constraints is None else list(content.constraints),
        "status": content.status,
    }
    return {**before, **{name: value for name, value in given.items() if value is not None}}


def _write_version(project: ProjectRef, words: Mapping[str, Any], *, version: int, now: datetime) -> None:
    own = ProjectWords(project)
    texts = {name: value for name, value in words.items() if name != "status"}
    terms = own.number_terms(words["name"], words["mission"], *words["goals"])
    columns = ("tenant_id", "project_id", "version", "status", "sealed", "terms", "known_from")
    row = (
        project.tenant_id, project.id, version, words["status"], own.seal(texts, purpose=PROJECT), terms, now
    )  # fmt: skip
    insert_all("project_version", columns, [row])
