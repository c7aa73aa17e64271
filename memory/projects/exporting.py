"""A user's projects as lines of an export (SPEC M-7): own ones whole, of shared ones what rests on the user's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.utils import timezone

from memory.database.statements import fetch_row, fetch_rows
from memory.projects.selectors.decisions import DecisionFilter, list_decisions
from memory.projects.selectors.facts import FactFilter, list_facts
from memory.projects.selectors.projects import list_projects, list_threads
from memory.projects.selectors.register import list_artifacts, list_conflicts, list_links, list_questions
from memory.projects.selectors.sources import Reader
from memory.projects.types import ProjectRef
from memory.tenants.scope import tenant_scope
from memory.types import UserRef

_PAGE = 200
_RESTING = "SELECT count(*) FROM project_source WHERE project_id = %s AND user_id = %s"


def export_projects(user: UserRef) -> Iterator[dict[str, Any]]:
    """Projects with their records. Each page is read in a transaction of its own."""
    with tenant_scope(user.tenant_id):
        views = [
            view
            for view in list_projects(tenant_id=user.tenant_id, user_id=user.id, limit=10_000)
            if view.ref.user_id == user.id or _has_part(view.ref, user)
        ]
    for view in views:
        is_own = view.ref.user_id == user.id
        words = {"mission": view.mission, "goals": view.goals, "constraints": view.constraints} if is_own else {}
        yield {
            "kind": "project", "id": view.ref.external_id, "name": view.name, "status": view.status, "is_own": is_own,
            "created_at": view.created_at, **words,
        }  # fmt: skip
        yield from _export_records(view.ref, user, is_own=is_own)


def _has_part(project: ProjectRef, user: UserRef) -> bool:
    has_thread = any(thread["user_id"] == user.id for thread in list_threads(project))
    return has_thread or fetch_row(_RESTING, [project.id, user.id])[0] > 0


def _export_records(project: ProjectRef, user: UserRef, *, is_own: bool) -> Iterator[dict[str, Any]]:
    reader, now = Reader(user.id), timezone.now()
    with tenant_scope(user.tenant_id):
        threads = [thread for thread in list_threads(project) if thread["user_id"] == user.id]
        rows = fetch_rows("SELECT id FROM project_source WHERE project_id = %s AND user_id = %s", [project.id, user.id])
        own = {row[0] for row in rows}  # fmt: skip
    for thread in threads:
        yield {"kind": "project_thread", "project": project.external_id, "conversation": thread["conversation"],
               "scope": thread["scope"], "shared": thread["is_shared"]}  # fmt: skip
    wanted: list[tuple[str, Callable[[UUID | None], list[Any]]]] = [
        ("project_fact", lambda after: list_facts(
            project, wanted=FactFilter(state="all"), now=now, reader=reader, after=after, limit=_PAGE)),
        ("project_decision", lambda after: list_decisions(
            project, wanted=DecisionFilter(), now=now, reader=reader, after=after, limit=_PAGE)),
    ]  # fmt: skip
    if is_own:
        wanted += [
            ("project_artifact", lambda after: list_artifacts(project, after=after, limit=_PAGE)),
            ("project_link", lambda after: list_links(project, reader=reader, after=after, limit=_PAGE)),
            ("project_conflict", lambda after: list_conflicts(project, after=after, limit=_PAGE)),
            ("project_question", lambda after: list_questions(project, reader=reader, after=after, limit=_PAGE)),
        ]
    for kind, read in wanted:
        for view in _read_all(user, read):
            if is_own or _rests_on(view, own):
                yield {"kind": kind, "project": project.external_id, **_describe(view)}


def _describe(view: Any) -> dict[str, Any]:
    """The fields of a record. What a record calls its kind is its `type`: `kind` says what a line is."""
    fields = asdict(view)
    return {"type" if name == "kind" else name: value for name, value in fields.items()}


def _read_all(user: UserRef, read: Callable[[UUID | None], list[Any]]) -> Iterator[Any]:
    after: UUID | None = None
    while True:
        with tenant_scope(user.tenant_id):
            page = read(after)
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].id


def _rests_on(view: Any, sources: set[UUID]) -> bool:
    named = view.sources if hasattr(view, "sources") else (view.source,) if view.source else ()
    return any(source.id in sources for source in named)
