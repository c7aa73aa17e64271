"""Artifacts of a project, and links between its items."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.projects.answers import ArtifactAnswer, ArtifactPage, LinkAnswer, LinkPage
from config.api.endpoints.projects.base import PATH, TENANT, ProjectView
from config.api.endpoints.projects.bodies import ArtifactBody, ArtifactsQuery, LinkBody, LinksQuery
from config.api.endpoints.projects.showing import show_artifact, show_link
from config.api.schema import describe
from memory.errors import InvalidRequest
from memory.projects.selectors.projects import get_item
from memory.projects.selectors.register import list_artifacts, list_links
from memory.projects.services.links import NewLink, find_ends, put_artifact, put_link
from memory.projects.types import When
from memory.tenants.types import Scope


class Artifacts(ProjectView):
    """`GET` and `POST /v1/projects/{project}/artifacts`."""

    scopes = {"GET": Scope.PROJECTS_READ, "POST": Scope.PROJECTS_WRITE}

    @describe(
        summary="Artifacts of a project",
        description="In the order in which they came.",
        operation="project_artifacts_list",
        tag="projects",
        query=ArtifactsQuery,
        path=PATH,
        answers={200: ArtifactPage},
        errors=(404,),
    )
    def get(self, request: Request, project: str) -> Response:
        query = self.read_query(ArtifactsQuery)
        when = When(query.as_of, query.known_at)
        return self.list_pages(
            query,
            kind="project_artifacts",
            find=lambda after, limit: list_artifacts(
                self.get_project(project), kind=query.kind, entity=query.entity, when=when, after=after, limit=limit
            ),
            render=show_artifact,
        )

    @describe(
        summary="Store an artifact",
        description="A document, note, file, data set or page. The same id again is a new version.",
        tag="projects",
        body=ArtifactBody,
        path=PATH,
        answers={201: ArtifactAnswer, 200: ArtifactAnswer},
        is_named_by_key=True,
        errors=(404, 409),
    )
    def post(self, request: Request, project: str) -> Response:
        body = self.read_new(ArtifactBody)
        words = {"ref": body.ref, "title": body.title, "summary": body.summary}
        with self.in_tenant():
            found = self.get_project(project)
            id, _, is_new = put_artifact(found, external_id=body.id, kind=body.kind, words=words, now=timezone.now())
            answer = next(show_artifact(each) for each in list_artifacts(found, limit=1, id=id))
        return Response(answer, status=201 if is_new else 200)


class Links(ProjectView):
    """`GET` and `POST /v1/projects/{project}/links`."""

    scopes = {"GET": Scope.PROJECTS_READ, "POST": Scope.PROJECTS_WRITE}

    @describe(
        summary="Links of a project, or of one item of it",
        description="In the order in which they came. Links that were closed are shown with `as_of` or `known_at`.",
        operation="project_links_list",
        tag="projects",
        query=LinksQuery,
        path=PATH,
        answers={200: LinkPage},
        errors=(404,),
    )
    def get(self, request: Request, project: str) -> Response:
        query = self.read_query(LinksQuery)
        if (query.type is None) != (query.id is None):
            raise InvalidRequest(fields={"id": "goes with type, and type with id"})
        when = When(query.as_of, query.known_at)

        def find(after: Any, limit: int) -> Any:
            found = self.get_project(project)
            item = get_item(found, kind=query.type, external_id=query.id).id if query.type and query.id else None
            return list_links(found, kind=query.kind, item=item, when=when, reader=TENANT, after=after, limit=limit)

        return self.list_pages(query, "project_links", find, render=show_link)

    @describe(
        summary="Store a link",
        description="Between facts, decisions, artifacts, threads and snapshots of the project.",
        tag="projects",
        body=LinkBody,
        path=PATH,
        answers={201: LinkAnswer, 200: LinkAnswer},
        errors=(404, 409, 422),
    )
    def post(self, request: Request, project: str) -> Response:
        body = self.read_body(LinkBody)
        with self.in_tenant():
            found = self.get_project(project)
            start, end = find_ends(
                found, [("from.id", body.from_.type, body.from_.id), ("to.id", body.to.type, body.to.id)]
            )
            link = NewLink(start.id, end.id, body.kind, body.weight, body.source, body.valid_from, body.valid_to)
            id, is_new = put_link(found, link=link, now=timezone.now())
            shown = list_links(found, item=start.id, reader=TENANT, id=id, limit=1)
        return Response(show_link(shown[0]), status=201 if is_new else 200)
