"""Requests understood, snapshots, contexts, answers written back, figures."""

from __future__ import annotations

import time
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.belonging import TenantKeyNeeded
from config.api.endpoints.answers import make_actor
from config.api.endpoints.projects.base import PATH, TENANT, ProjectView
from config.api.endpoints.projects.context_answers import (
    BundleAnswer,
    DiffAnswer,
    MonitorAnswer,
    NormalisedAnswer,
    SnapshotAnswer,
    WritebackAnswer,
    show_bundle,
    show_change,
    show_figures,
    show_normalised,
    show_snapshot,
)
from config.api.endpoints.projects.context_bodies import (
    CitedSource,
    NormaliseBody,
    ProjectContextBody,
    SnapshotBody,
    WritebackBody,
)
from config.api.endpoints.projects.showing import show_decision, show_link, show_outcome
from config.api.schema import describe
from memory.errors import InvalidRequest
from memory.fence.user_lock import enter_user
from memory.projects.selectors.decisions import get_decisions
from memory.projects.selectors.projects import find_bare_item, get_item, get_project
from memory.projects.selectors.register import list_links
from memory.projects.selectors.sources import Reader
from memory.projects.services.history import update_history
from memory.projects.services.writeback import write_back
from memory.projects.types import ProjectRef, When
from memory.selectors.users import find_user
from memory.tenants.types import Scope
from retrieval.projects.bundle import LANGUAGES, compose_context
from retrieval.projects.candidates import Wanted
from retrieval.projects.diffs import compare_snapshots
from retrieval.projects.monitoring import read_figures
from retrieval.projects.normalising import add_model, normalise_request
from retrieval.projects.reading import read_row, read_snapshot
from retrieval.projects.snapshots import build_snapshot, note_snapshot, refresh
from retrieval.search.questions import detect_language

SNAPSHOT_PATH = {"snapshot_id": "Our id of the snapshot."}


class ReadingView(ProjectView):
    """A view that reads a project in the name of a user."""

    def enter(self, external_id: str, user: str, *, now: datetime) -> tuple[ProjectRef, UUID]:
        """The project as the user may see it, and the user. Raises ProjectNotFound, UserErased."""
        owner = enter_user(tenant_id=self.caller.tenant_id, external_id=user, now=now)
        return get_project(tenant_id=self.caller.tenant_id, external_id=external_id, user_id=owner.id), owner.id


class Normalise(ProjectView):
    """`POST /v1/projects/{project}/normalise`, and without a project `POST /v1/projects/normalise`."""

    scopes = {"POST": Scope.PROJECTS_READ}

    @describe(
        summary="Understand a request about a project",
        description="What it wants, what it names, what bounds it, and whether it belongs to the project. By rules.",
        tag="projects",
        body=NormaliseBody,
        path=PATH,
        answers={200: NormalisedAnswer},
        errors=(404,),
    )
    def post(self, request: Request, project: str) -> Response:
        return _normalise(self, project)


class NormaliseAny(ProjectView):
    """`POST /v1/projects/normalise`."""

    scopes = {"POST": Scope.PROJECTS_READ}

    @describe(
        summary="Understand a request, and find the project that it is about",
        description=(
            "By the thread that it was asked in, by the name of a project, or by what its records name. Several that"
            " fit alike are none."
        ),
        operation="projects_normalise_any",
        tag="projects",
        body=NormaliseBody,
        answers={200: NormalisedAnswer},
        errors=(404,),
    )
    def post(self, request: Request) -> Response:
        if self.caller.user is not None:  # it looks through all projects of the tenant
            raise TenantKeyNeeded
        return _normalise(self, None)


class Snapshots(ReadingView):
    """`POST /v1/projects/{project}/snapshots`."""

    scopes = {"POST": Scope.PROJECTS_READ}

    @describe(
        summary="Build a snapshot of a project",
        description=(
            "Mission, goals and constraints are always in it; the rest by its worth for the question, until the budget"
            " is used up. While nothing has changed, the one that was just built is used again. Ids and versions are"
            " stored, and the text is joined when it is read."
        ),
        tag="projects",
        body=SnapshotBody,
        path=PATH,
        answers={200: SnapshotAnswer},
        errors=(404, 409, 422),
    )
    def post(self, request: Request, project: str) -> Response:
        body, now, started = self.read_body(SnapshotBody), timezone.now(), time.perf_counter()
        budget = body.budget_tokens or settings.UNDE_TUNING.PROJECT_SNAPSHOT_TOKENS
        with self.in_tenant():
            found, user_id = self.enter(project, body.user_id, now=now)
            update_history(found, now=now)
            wanted = Wanted(
                refresh(found), user_id, now, body.query, When(body.as_of, body.known_at), _choose(body.query)
            )
            snapshot = build_snapshot(wanted, budget_tokens=budget)
            note_snapshot(snapshot, milliseconds=round((time.perf_counter() - started) * 1000, 3), now=now)
        return Response(show_snapshot(snapshot))


class SnapshotDetail(ProjectView):
    """`GET /v1/snapshots/{snapshot_id}`."""

    scopes = {"GET": Scope.PROJECTS_READ}

    @describe(
        summary="A snapshot as it was built",
        description="The same bytes, less what was forgotten or erased since; `missing` names that.",
        tag="projects",
        path=SNAPSHOT_PATH,
        answers={200: SnapshotAnswer},
        errors=(404,),
    )
    def get(self, request: Request, snapshot_id: UUID) -> Response:
        with self.in_tenant():
            project, item = find_bare_item(
                tenant_id=self.caller.tenant_id,
                kind="snapshot",
                external_id=str(snapshot_id),
                user_id=self.caller.user_id,
            )
            snapshot = read_snapshot(project, read_row(project, item.id))
        return Response(show_snapshot(snapshot))


class SnapshotDiff(ProjectView):
    """`GET /v1/snapshots/{snapshot_id}/diff/{other_id}`."""

    scopes = {"GET": Scope.PROJECTS_READ}

    @describe(
        summary="What is otherwise in another snapshot",
        description="As data and in words. Both are of one project.",
        tag="projects",
        path={**SNAPSHOT_PATH, "other_id": "Our id of the other snapshot."},
        answers={200: DiffAnswer},
        errors=(404,),
    )
    def get(self, request: Request, snapshot_id: UUID, other_id: UUID) -> Response:
        with self.in_tenant():
            project, item = find_bare_item(
                tenant_id=self.caller.tenant_id,
                kind="snapshot",
                external_id=str(snapshot_id),
                user_id=self.caller.user_id,
            )
            other = get_item(project, kind="snapshot", external_id=str(other_id))
            one, two = (read_snapshot(project, read_row(project, id)) for id in (item.id, other.id))
            changes = compare_snapshots(one, two)
        text = "\n".join(change.text for change in changes)
        return Response(DiffAnswer(snapshot_id, other_id, [show_change(change) for change in changes], text))


class Context(ReadingView):
    """`POST /v1/projects/{project}/context`."""

    scopes = {"POST": Scope.PROJECTS_READ}

    @describe(
        summary="The context for one reply about a project",
        description=(
            "Snapshot, passages of conversations and excerpts of corpora under one budget, with instructions, marks of"
            " sources and at most two questions to ask. What is new in the threads is read first."
        ),
        tag="projects",
        body=ProjectContextBody,
        path=PATH,
        answers={200: BundleAnswer},
        errors=(404, 409, 422),
    )
    def post(self, request: Request, project: str) -> Response:
        body, now = self.read_body(ProjectContextBody), timezone.now()
        budget = body.budget_tokens or settings.UNDE_TUNING.PROJECT_CONTEXT_TOKENS
        with self.in_tenant():
            found, user_id = self.enter(project, body.user_id, now=now)
            wanted = Wanted(
                found,
                user_id,
                now,
                body.query,
                When(body.as_of, body.known_at),
                _choose(body.query, body.language),
            )
            bundle = compose_context(wanted, budget_tokens=budget, corpora=body.corpora)
        return Response(show_bundle(bundle))


class Writeback(ReadingView):
    """`POST /v1/projects/{project}/writeback`."""

    scopes = {"POST": Scope.PROJECTS_WRITE}

    @describe(
        summary="Write an answer back into its project",
        description=(
            "A statement that repeats a cited fact is that fact. One that says more about a cited source is an"
            " interpretation. One without a citation is a hypothesis. Nothing is stored twice."
        ),
        tag="projects",
        body=WritebackBody,
        path=PATH,
        answers={200: WritebackAnswer},
        errors=(404, 409),
    )
    def post(self, request: Request, project: str) -> Response:
        body, now = self.read_body(WritebackBody), timezone.now()
        with self.in_tenant():
            found, user_id = self.enter(project, body.user_id, now=now)
            row = None
            if body.snapshot_id is not None:
                row = read_row(found, get_item(found, kind="snapshot", external_id=body.snapshot_id).id)
            written = write_back(
                found,
                answer=body.answer,
                citations=[_name(each) for each in body.citations],
                entries=row.entries if row else [],
                reader=Reader(user_id),
                actor=make_actor(self.caller),
                now=now,
            )
            decisions = get_decisions(found, ids=list(written.decisions), now=now, reader=TENANT)
            links = [list_links(found, id=id, reader=TENANT, limit=1)[0] for id in written.links]
        return Response(
            WritebackAnswer(
                [show_outcome(outcome) for outcome in written.facts],
                [show_decision(decision, project_id=project) for decision in decisions],
                [show_link(link) for link in links],
                list(written.questions),
                list(written.unknown_citations),
            )
        )


class Monitor(ProjectView):
    """`GET /v1/projects/{project}/monitor`."""

    scopes = {"GET": Scope.PROJECTS_READ}

    @describe(
        summary="How the processes of a project do",
        description="Figures of the last 30 days, from counts alone.",
        tag="projects",
        path=PATH,
        answers={200: MonitorAnswer},
        errors=(404,),
    )
    def get(self, request: Request, project: str) -> Response:
        with self.in_tenant():
            figures = read_figures(self.get_project(project), now=timezone.now())
        return Response(show_figures(figures))


def _normalise(view: ProjectView, project: str | None) -> Response:
    body = view.read_body(NormaliseBody)
    if body.conversation_id is not None and body.user_id is None:
        raise InvalidRequest(fields={"user_id": "is required with conversation_id"})
    tenant_id = view.caller.tenant_id
    with view.in_tenant():
        user = find_user(tenant_id=tenant_id, external_id=body.user_id) if body.user_id else None
        given = view.get_project(project) if project is not None else None
        found = normalise_request(
            tenant_id=tenant_id,
            query=body.query,
            project=given,
            user_id=user.id if user else None,
            conversation=body.conversation_id,
            corpora=body.corpora,
        )
    return Response(show_normalised(add_model(found, query=body.query, tenant_id=tenant_id)))


def _name(citation: str | CitedSource) -> str:
    """What a citation names."""
    if isinstance(citation, str):
        return citation
    return citation.mark or citation.source_id or citation.fact_id or citation.id or ""


def _choose(query: str, language: str | None = None) -> str:
    """The language of instructions and questions: as asked for, else that of the question."""
    found = language or detect_language(query)
    return found if found in LANGUAGES else "ar" if found == "arabizi" else LANGUAGES[0]
