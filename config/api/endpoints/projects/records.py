"""Projects, threads, facts and decisions: written and listed."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.belonging import check_body
from config.api.decoding import BATCH_BODY_LIMIT
from config.api.endpoints.answers import make_actor
from config.api.endpoints.projects.answers import (
    DecisionAnswer,
    DecisionPage,
    FactsAnswer,
    ProjectAnswer,
    ProjectFactPage,
    ProjectPage,
    ThreadAnswer,
)
from config.api.endpoints.projects.base import PATH, TENANT, ProjectView
from config.api.endpoints.projects.bodies import (
    DecisionsQuery,
    FactsListQuery,
    ProjectBody,
    ProjectChange,
    ProjectFactsBody,
    ProjectQuery,
    ProjectsQuery,
    StateBody,
    ThreadBody,
)
from config.api.endpoints.projects.showing import (
    show_decision,
    show_fact,
    show_outcome,
    show_project,
)
from config.api.schema import describe
from memory.projects.selectors.decisions import DecisionFilter, get_decisions, list_decisions
from memory.projects.selectors.facts import FactFilter, list_facts
from memory.projects.selectors.projects import (
    describe_project,
    find_bare_item,
    list_projects,
)
from memory.projects.services.decisions import put_decision, set_state
from memory.projects.services.facts import put_facts
from memory.projects.services.projects import ProjectInput, bind_thread, change_project, make_project
from memory.projects.types import DecisionBody, ProjectRef, When
from memory.selectors.users import find_user
from memory.tenants.types import Scope


class Projects(ProjectView):
    """`GET` and `POST /v1/projects`. Under a key for one user: that user's own."""

    checks_user = True

    scopes = {"GET": Scope.PROJECTS_READ, "POST": Scope.PROJECTS_WRITE}

    @describe(
        summary="Projects of the tenant",
        description=(
            "In the order in which they were made. With `user_id`: that user's and the shared ones. A key for one user"
            " gets that user's own alone."
        ),
        operation="projects_list",
        tag="projects",
        query=ProjectsQuery,
        answers={200: ProjectPage},
    )
    def get(self, request: Request) -> Response:
        query, tenant_id = self.read_query(ProjectsQuery), self.caller.tenant_id
        check_body(self.caller, query, is_named=True)

        def find(after: Any, limit: int) -> Any:
            user = find_user(tenant_id=tenant_id, external_id=query.user_id) if query.user_id else None
            if (query.user_id and user is None) or (self.caller.user and self.caller.user_id is None):
                return []
            return list_projects(
                tenant_id=tenant_id,
                user_id=user.id if user else None,
                owner_id=self.caller.user_id,
                status=query.status,
                after=after,
                limit=limit,
            )

        return self.list_pages(query, "projects", find, render=show_project, position_of=lambda view: view.ref.id)

    @describe(
        summary="Make a project",
        description=(
            "Of one user, or shared in the tenant. The same request again answers the project that is there. Another"
            " one with its id is refused: `PATCH` changes a project."
        ),
        tag="projects",
        body=ProjectBody,
        answers={201: ProjectAnswer, 200: ProjectAnswer},
        is_named_by_key=True,
        errors=(409,),
    )
    def post(self, request: Request) -> Response:
        body, tenant_id, now = self.read_new(ProjectBody), self.caller.tenant_id, timezone.now()
        check_body(self.caller, body, is_named=False)
        content = ProjectInput(body.name, body.mission, body.goals, body.constraints, body.status)
        with self.in_tenant():
            project, is_new = make_project(
                tenant_id=tenant_id, external_id=body.id, user=body.user_id, content=content, now=now
            )
            answer = show_project(describe_project(project))
        return Response(answer, status=201 if is_new else 200)


class ProjectDetail(ProjectView):
    """`GET` and `PATCH /v1/projects/{project}`."""

    scopes = {"GET": Scope.PROJECTS_READ, "PATCH": Scope.PROJECTS_WRITE}

    @describe(
        summary="A project with its counts",
        description="With `known_at`: its description as it was then; the counts are those of now.",
        tag="projects",
        query=ProjectQuery,
        path=PATH,
        answers={200: ProjectAnswer},
        errors=(404,),
    )
    def get(self, request: Request, project: str) -> Response:
        query = self.read_query(ProjectQuery)
        with self.in_tenant():
            answer = show_project(describe_project(self.get_project(project), when=When(None, query.known_at)))
        return Response(answer)

    @describe(
        summary="Change a project",
        description="What is left out stays as it is. Old snapshots keep the description that they were built from.",
        tag="projects",
        body=ProjectChange,
        path=PATH,
        answers={200: ProjectAnswer},
        errors=(404,),
    )
    def patch(self, request: Request, project: str) -> Response:
        body = self.read_body(ProjectChange)
        content = ProjectInput(body.name, body.mission, body.goals, body.constraints, body.status)
        with self.in_tenant():
            found = self.get_project(project)
            change_project(found, content=content, now=timezone.now())
            answer = show_project(describe_project(found))
        return Response(answer)


class Thread(ProjectView):
    """`PUT /v1/projects/{project}/threads/{conversation}`."""

    scopes = {"PUT": Scope.PROJECTS_WRITE}

    @describe(
        summary="Bind a conversation to a project, or set its scope",
        description=(
            "Decisions and open questions are read from what the user says in it (scope `in`), and passages of it come"
            " into contexts. The conversation need not have begun."
        ),
        tag="projects",
        body=ThreadBody,
        path={**PATH, "conversation": "Your id of the conversation."},
        answers={200: ThreadAnswer},
        errors=(404, 409),
    )
    def put(self, request: Request, project: str, conversation: str) -> Response:
        body = self.read_body(ThreadBody)
        with self.in_tenant():
            found = self.get_project(project)
            bind_thread(
                found,
                user=body.user_id,
                conversation=conversation,
                scope=body.scope,
                is_shared=body.shared,
                now=timezone.now(),
            )
        return Response(ThreadAnswer(project, conversation, body.user_id, body.scope, body.shared))


class Facts(ProjectView):
    """`GET` and `POST /v1/projects/{project}/facts`."""

    scopes = {"GET": Scope.PROJECTS_READ, "POST": Scope.PROJECTS_WRITE}
    body_limit = BATCH_BODY_LIMIT

    @describe(
        summary="Facts, hypotheses and interpretations",
        description=(
            "Those that hold now. `as_of` asks what was so at a moment, `known_at` what was known at one. A fact whose"
            " sources are all forgotten is not shown."
        ),
        operation="project_facts_list",
        tag="projects",
        query=FactsListQuery,
        path=PATH,
        answers={200: ProjectFactPage},
        errors=(404,),
    )
    def get(self, request: Request, project: str) -> Response:
        query = self.read_query(FactsListQuery)
        wanted = FactFilter(query.entity, query.level, query.state, query.from_, query.to, query.authority)
        when = When(query.as_of, query.known_at)
        return self.list_pages(
            query,
            "project_facts",
            lambda after, limit: list_facts(
                self.get_project(project),
                wanted=wanted,
                when=when,
                now=timezone.now(),
                reader=TENANT,
                after=after,
                limit=limit,
            ),
            render=show_fact,
        )

    @describe(
        summary="Store statements",
        description=(
            "Without a source a statement is a hypothesis. The same again is renewed. Another value of an exclusive"
            " subject, or the opposite, contradicts: both stay, with a link, a question and an entry of the register."
        ),
        tag="projects",
        body=ProjectFactsBody,
        path=PATH,
        answers={200: FactsAnswer},
        errors=(404, 409, 422),
    )
    def post(self, request: Request, project: str) -> Response:
        body = self.read_body(ProjectFactsBody)
        with self.in_tenant():
            outcomes = put_facts(
                self.get_project(project),
                facts=body.facts,
                origin="caller",
                actor=make_actor(self.caller),
                now=timezone.now(),
            )
        return Response(FactsAnswer([show_outcome(outcome) for outcome in outcomes]))


class Decisions(ProjectView):
    """`GET` and `POST /v1/projects/{project}/decisions`."""

    scopes = {"GET": Scope.PROJECTS_READ, "POST": Scope.PROJECTS_WRITE}

    @describe(
        summary="Decisions with their states",
        description="`as_of` gives each the state that it had at a moment, `known_at` what was known of it then.",
        operation="project_decisions_list",
        tag="projects",
        query=DecisionsQuery,
        path=PATH,
        answers={200: DecisionPage},
        errors=(404,),
    )
    def get(self, request: Request, project: str) -> Response:
        query = self.read_query(DecisionsQuery)
        wanted = DecisionFilter(query.entity, query.state, query.from_, query.to, query.authority)
        when = When(query.as_of, query.known_at)
        return self.list_pages(
            query,
            "project_decisions",
            lambda after, limit: list_decisions(
                self.get_fresh_project(project),
                wanted=wanted,
                when=when,
                now=timezone.now(),
                reader=TENANT,
                after=after,
                limit=limit,
            ),
            render=lambda decision: show_decision(decision, project_id=project),
        )

    @describe(
        summary="Store a decision",
        description=(
            "What it supersedes has the state `superseded` from its date on, once it is accepted. Without a source it"
            " is a proposal. The same id again is a new version."
        ),
        tag="projects",
        body=DecisionBody,
        path=PATH,
        answers={201: DecisionAnswer, 200: DecisionAnswer},
        is_named_by_key=True,
        errors=(404, 409, 422),
    )
    def post(self, request: Request, project: str) -> Response:
        body, now = self.read_new(DecisionBody), timezone.now()
        with self.in_tenant():
            found = self.get_project(project)
            id, is_new = put_decision(found, body=body, origin="caller", actor=make_actor(self.caller), now=now)
            answer = show_one_decision(found, id, now=now)
        return Response(answer, status=201 if is_new else 200)


class DecisionState(ProjectView):
    """`POST /v1/decisions/{decision}/state`."""

    scopes = {"POST": Scope.PROJECTS_WRITE}

    @describe(
        summary="Give a decision a state",
        description=(
            "From `at` on. Proposed may become accepted, implemented, verified or rejected; accepted, implemented and"
            " verified follow each other; what is superseded stays so. The state that it has changes nothing."
        ),
        tag="projects",
        body=StateBody,
        path={"decision": "The id of the decision."},
        answers={200: DecisionAnswer},
        errors=(404, 409, 422),
    )
    def post(self, request: Request, decision: str) -> Response:
        body, now = self.read_body(StateBody), timezone.now()
        with self.in_tenant():
            project, item = find_bare_item(
                tenant_id=self.caller.tenant_id,
                kind="decision",
                external_id=decision,
                project=body.project_id,
                user_id=self.caller.user_id,
            )
            set_state(
                project,
                decision_id=item.id,
                state=body.state,
                at=body.at,
                source=body.source,
                actor=make_actor(self.caller),
                now=now,
            )
            answer = show_one_decision(project, item.id, now=now)
        return Response(answer)


def show_one_decision(project: ProjectRef, id: Any, *, now: Any) -> DecisionAnswer:
    """A decision as it stands."""
    view = get_decisions(project, ids=[id], now=now, reader=TENANT)[0]
    return show_decision(view, project_id=project.external_id)
