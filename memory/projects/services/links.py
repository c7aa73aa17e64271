"""Links between items, and artifacts (SPEC J-1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from memory.database.statements import execute, fetch_row, fetch_rows, insert_all
from memory.errors import InvalidRequest
from memory.ids import new_id
from memory.projects.selectors.projects import find_items
from memory.projects.services.locking import check_room, lock_project, note_change
from memory.projects.services.sources import SourceAt, check_moment, find_message_users, store_sources
from memory.projects.types import ItemRef, ProjectRef, SourceBody
from memory.projects.words import ARTIFACT, ProjectWords

_LINK_COLUMNS: Final = (
    "tenant_id", "project_id", "id", "from_id", "to_id", "kind", "weight", "source_id", "is_supersession", "valid_from",
    "valid_to", "known_from", "origin",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link to be stored."""

    from_id: UUID
    to_id: UUID
    kind: str
    weight: float = 1.0
    source: SourceBody | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    origin: str = "caller"


def find_ends(project: ProjectRef, ends: Sequence[tuple[str, str, str]]) -> list[ItemRef]:
    """Items by (field of the request, kind, caller's id). Raises InvalidRequest naming the field."""
    found = []
    for path, kind, external_id in ends:
        ids = find_items(project, kind=kind, external_ids=[external_id])
        if external_id not in ids:
            raise InvalidRequest(fields={path: f"is no {kind} of this project"})
        found.append(ItemRef(kind, external_id, ids[external_id]))
    return found


def put_link(project: ProjectRef, *, link: NewLink, now: datetime) -> tuple[UUID, bool]:
    """Store a link; whether it is new. The same two and kind again close the former link when something differs.

    Writes. Raises InvalidRequest, UnknownSource, ProjectFull.
    """
    _check(link)
    locked = lock_project(project, users=find_message_users(project, [link.source]))
    wanted = [SourceAt("source", link.source)] if link.source else []
    source_id = store_sources(locked, wanted=wanted, now=now)[0].id if wanted else None
    known = fetch_rows(
        "SELECT id, weight, source_id, valid_to, is_supersession FROM project_link"
        " WHERE project_id = %s AND from_id = %s AND to_id = %s AND kind = %s AND known_to IS NULL",
        [project.id, link.from_id, link.to_id, link.kind],
    )
    if known:
        id, weight, old_source, valid_to, is_supersession = known[0]
        is_same = abs(weight - link.weight) < 1e-6 and source_id in (None, old_source) and valid_to == link.valid_to
        if is_same or is_supersession:
            return id, False
        execute("UPDATE project_link SET known_to = %s WHERE project_id = %s AND id = %s", [now, project.id, id])
    limit = settings.UNDE_TUNING.PROJECT_MAX_LINKS
    check_room(locked, table="project_link", more=1, limit=limit, name="links")
    id = new_id()
    row = (
        project.tenant_id, project.id, id, link.from_id, link.to_id, link.kind, link.weight, source_id, False,
        link.valid_from or now, link.valid_to, now, link.origin,
    )  # fmt: skip
    insert_all("project_link", _LINK_COLUMNS, [row])
    note_change(locked, now=now)
    return id, True


def _check(link: NewLink) -> None:
    if link.from_id == link.to_id:
        raise InvalidRequest(fields={"to": "a link leads to another item"})
    check_moment(link.valid_from, path="valid_from")
    check_moment(link.valid_to, path="valid_to")
    if link.valid_from and link.valid_to and link.valid_to < link.valid_from:
        raise InvalidRequest(fields={"valid_to": "lies before valid_from"})


def put_artifact(
    project: ProjectRef, *, external_id: str | None, kind: str, words: Mapping[str, str], now: datetime
) -> tuple[UUID, str, bool]:
    """Store an artifact (`ref`, `title`, `summary`), or the next version of the one with its id.

    Writes. Raises ProjectFull. Our id, the caller's, and whether it is new.
    """
    locked = lock_project(project)
    own = ProjectWords(locked)
    known = find_items(locked, kind="artifact", external_ids=[external_id]) if external_id else {}
    if external_id and external_id in known:
        id, name, version = (
            known[external_id],
            external_id,
            _close_artifact(locked, own, known[external_id], kind, words, now),
        )
        if version is None:
            return id, name, False
    else:
        limit = settings.UNDE_TUNING.PROJECT_MAX_ARTIFACTS
        check_room(locked, table="project_artifact", more=1, limit=limit, name="artifacts")
        id, version = new_id(), 1
        name = external_id or str(id)
        columns = ("tenant_id", "project_id", "id", "kind", "external_id", "created_at")
        insert_all("project_item", columns, [(project.tenant_id, project.id, id, "artifact", name, now)])
    terms = own.number_terms(words["title"], words["summary"])
    stored = ("tenant_id", "project_id", "id", "version", "kind", "sealed", "terms", "known_from")
    row = (project.tenant_id, project.id, id, version, kind, own.seal(dict(words), purpose=ARTIFACT), terms, now)
    insert_all("project_artifact", stored, [row])
    note_change(locked, now=now)
    return id, name, version == 1


def _close_artifact(
    project: ProjectRef, own: ProjectWords, id: UUID, kind: str, words: Mapping[str, str], now: datetime
) -> int | None:
    """The number of the next version; None when nothing differs."""
    statement = (
        "SELECT version, kind, sealed FROM project_artifact WHERE project_id = %s AND id = %s AND known_to IS NULL"
    )
    version, old_kind, sealed = fetch_row(statement, [project.id, id])
    if old_kind == kind and own.open(sealed, purpose=ARTIFACT) == dict(words):
        return None
    execute(
        "UPDATE project_artifact SET known_to = %s WHERE project_id = %s AND id = %s AND known_to IS NULL",
        [now, project.id, id],
    )
    return int(version) + 1
