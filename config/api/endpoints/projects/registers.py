"""The register of contradictions, open questions and the timeline."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.answers import make_actor
from config.api.endpoints.projects.answers import ConflictPage, QuestionPage, ResolvedConflict, TimelinePage
from config.api.endpoints.projects.base import PATH, TENANT, ProjectView
from config.api.endpoints.projects.bodies import ConflictsQuery, QuestionsQuery, ResolveConflictBody, TimelineQuery
from config.api.endpoints.projects.showing import show_conflict, show_decision, show_event, show_fact, show_question
from config.api.schema import describe
from memory.errors import NotFound
from memory.projects.questions import word_questions
from memory.projects.selectors.decisions import get_decisions
from memory.projects.selectors.facts import get_facts
from memory.projects.selectors.register import (
    ConflictView,
    EventView,
    TimelinePosition,
    list_conflicts,
    list_events,
    list_questions,
)
from memory.projects.services.resolving import resolve_conflict
from memory.projects.types import ProjectRef, When
from memory.tenants.types import Scope


class Conflicts(ProjectView):
    """`GET /v1/projects/{project}/conflicts`."""

    scopes = {"GET": Scope.PROJECTS_READ}

    @describe(
        summary="The register of contradictions",
        description="In the order in which they were found. Both sides stay until somebody resolves it.",
        operation="project_conflicts_list",
        tag="projects",
        query=ConflictsQuery,
        path=PATH,
        answers={200: ConflictPage},
        errors=(404,),
    )
    def get(self, request: Request, project: str) -> Response:
        query = self.read_query(ConflictsQuery)
        return self.list_pages(
            query,
            kind="project_conflicts",
            find=lambda after, limit: list_conflicts(
                self.get_fresh_project(project),
                status=query.state,
                when=When(query.as_of),
                after=after,
                limit=limit,
            ),
            render=show_conflict,
        )


class ResolveConflict(ProjectView):
    """`POST /v1/projects/{project}/conflicts/{conflict}/resolve`."""

    scopes = {"POST": Scope.PROJECTS_WRITE}

    @describe(
        summary="Resolve a contradiction",
        description=(
            "`keep` holds, the other fact is refuted (a decision: rejected). The link stays. The same again changes"
            " nothing; keeping the other side later is refused."
        ),
        tag="projects",
        body=ResolveConflictBody,
        path={**PATH, "conflict": "Our id of the contradiction."},
        answers={200: ResolvedConflict},
        errors=(404, 409),
    )
    def post(self, request: Request, project: str, conflict: str) -> Response:
        conflict_id = read_conflict_id(conflict)
        body, now = self.read_body(ResolveConflictBody), timezone.now()
        with self.in_tenant():
            found = self.get_project(project)
            resolve_conflict(
                found,
                conflict_id=conflict_id,
                keep=body.keep,
                reason=body.reason,
                actor=make_actor(self.caller),
                now=now,
            )
            answer = _show_resolved(found, list_conflicts(found, ids=[conflict_id], limit=1)[0], now)
        return Response(answer)


class Questions(ProjectView):
    """`GET /v1/projects/{project}/questions`."""

    scopes = {"GET": Scope.PROJECTS_READ}

    @describe(
        summary="Questions that are open, or were",
        description="Each contradiction asks one; others were asked in the threads and not answered.",
        operation="project_questions_list",
        tag="projects",
        query=QuestionsQuery,
        path=PATH,
        answers={200: QuestionPage},
        errors=(404,),
    )
    def get(self, request: Request, project: str) -> Response:
        query = self.read_query(QuestionsQuery)

        def find(after: UUID | None, limit: int) -> Any:
            found = self.get_fresh_project(project)
            questions = list_questions(
                found, status=query.state, when=When(query.as_of), reader=TENANT, after=after, limit=limit
            )
            texts = word_questions(found, questions, now=timezone.now(), reader=TENANT)
            return [(question, texts[question.id]) for question in questions]

        return self.list_pages(
            query,
            kind="project_questions",
            find=find,
            render=lambda row: show_question(row[0], text=row[1]),
            position_of=lambda row: row[0].id,
        )


class Timeline(ProjectView):
    """`GET /v1/projects/{project}/timeline`."""

    scopes = {"GET": Scope.PROJECTS_READ}

    @describe(
        summary="What happened in a project, oldest first",
        description="Facts, states of decisions, artifacts, threads, contradictions, by the time from which they hold.",
        operation="project_timeline_list",
        tag="projects",
        query=TimelineQuery,
        path=PATH,
        answers={200: TimelinePage},
        errors=(404,),
    )
    def get(self, request: Request, project: str) -> Response:
        query, kind = self.read_query(TimelineQuery), "project_timeline"
        after = self.read_after(query, kind, tuple[datetime, UUID, str, int])
        with self.in_tenant():
            events = list_events(
                self.get_fresh_project(project),
                as_of=query.as_of,
                since=query.from_,
                until=query.to,
                after=TimelinePosition(*after) if after else None,
                limit=query.limit + 1,
            )
        return self.answer_page(query, kind, events, render=show_event, position_of=_find_position)


def _find_position(event: EventView) -> tuple[datetime, UUID, str, int]:
    return (event.at, event.item_id, event.what, event.version)


def read_conflict_id(text: str) -> UUID:
    """The id of a contradiction. Raises NotFound for what is no id of ours."""
    try:
        return UUID(text)
    except ValueError:
        raise NotFound("This contradiction does not exist.") from None


def _show_resolved(project: ProjectRef, conflict: ConflictView, now: datetime) -> ResolvedConflict:
    sides = [conflict.left_id, conflict.right_id]
    ids = sides if conflict.kept == conflict.left else sides[::-1]
    is_fact = conflict.kind == "fact"
    facts = get_facts(project, ids=ids, reader=TENANT) if is_fact else []
    decisions = [] if is_fact else get_decisions(project, ids=ids, now=now, reader=TENANT)
    return ResolvedConflict(
        show_conflict(conflict),
        [show_fact(fact) for fact in facts],
        [show_decision(decision, project_id=project.external_id) for decision in decisions],
    )
