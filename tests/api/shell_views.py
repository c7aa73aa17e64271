"""Endpoints made for the tests of the shell: one that takes and gives everything, one that fails in every way."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from django.db import connection
from django.urls import include, path
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import BATCH_BODY_LIMIT, ExternalId, Instant, PageQuery, RequestBody, decode_json
from config.api.pagination import decode_cursor, make_page
from config.api.schema import describe
from config.api.views import ApiView
from memory.errors import CodedError, UserBusy
from memory.tenants.scope import current_tenant_id
from memory.tenants.types import Scope


class Part(RequestBody, frozen=True, kw_only=True):
    name: str
    count: Annotated[int, Meta(ge=0)] = 0


class Note(RequestBody, frozen=True, kw_only=True):
    user_id: ExternalId
    role: Literal["user", "assistant"]
    said_at: Instant | None = None
    parts: list[Part] = []
    metadata: dict[str, Any] = {}


class NoteAnswer(msgspec.Struct, frozen=True):
    id: UUID
    user_id: str
    metadata: dict[str, Any]


class NoteQuery(PageQuery, frozen=True, kw_only=True):
    since: Instant | None = None
    is_active: bool | None = None
    role: list[str] = []


NOTE_ID = UUID("0190a11c-0000-7000-8000-000000000009")


class Notes(ApiView):
    scopes = {"POST": Scope.WRITE, "GET": Scope.READ}

    @describe(
        summary="Keep a note",
        description="Keeps nothing.",
        tag="notes",
        body=Note,
        answers={201: NoteAnswer},
        errors=[404],
    )
    def post(self, request: Request) -> Response:
        """Keeps nothing."""
        note = self.read_body(Note)
        with self.in_tenant():
            assert current_tenant_id() == self.caller.tenant_id
        return Response(NoteAnswer(id=NOTE_ID, user_id=note.user_id, metadata=note.metadata), status=201)

    @describe(summary="List notes", description="All of them.", tag="notes", query=NoteQuery, answers={200: NoteAnswer})
    def get(self, request: Request) -> Response:
        """Numbers from 0 to 9, page by page."""
        query = self.read_query(NoteQuery)
        tenant_id = self.caller.tenant_id
        start = decode_cursor(query.after, int, kind="notes", tenant_id=tenant_id) + 1 if query.after else 0
        rows = list(range(10))[start : start + query.limit + 1]
        page = make_page(
            rows, limit=query.limit, position_of=int, kind="notes", tenant_id=tenant_id, render=lambda row: row
        )
        return Response({**page, "since": query.since, "is_active": query.is_active, "role": query.role})


class Batch(RequestBody, frozen=True, kw_only=True):
    notes: list[msgspec.Raw]


class NoteBatch(ApiView):
    scopes = {"POST": Scope.WRITE}
    body_limit = BATCH_BODY_LIMIT

    def post(self, request: Request) -> Response:
        return Response({"results": [self.keep(raw) for raw in self.read_body(Batch).notes]})

    def keep(self, raw: msgspec.Raw) -> dict[str, Any]:
        try:
            return {"user_id": decode_json(memoryview(raw), Note).user_id}
        except CodedError as error:
            return {"error": error.to_dict()}


class UserNotes(ApiView):
    scopes = {"GET": Scope.READ, "DELETE": Scope.ERASE}

    def get(self, request: Request, user_id: str) -> Response:
        return Response({"user_id": user_id})

    def delete(self, request: Request, user_id: str) -> Response:
        return Response(status=204)


class Failing(ApiView):
    scopes = {"POST": Scope.WRITE}

    def post(self, request: Request, how: str) -> Response:
        text = request.read().decode()
        if how == "unforeseen":
            raise ValueError(text)
        if how == "busy":
            raise UserBusy
        with self.in_tenant(), connection.cursor() as cursor:
            if how == "cast":
                cursor.execute("SELECT %s::text::int", [text])
            if how == "constraint":
                cursor.execute(
                    "INSERT INTO tenant (id, slug, name, timezone, settings) VALUES (%s, %s, '', 'UTC', '{}')",
                    [NOTE_ID, text],
                )
            if how == "slow":
                cursor.execute("SET LOCAL statement_timeout = 20")
                cursor.execute("SELECT pg_sleep(5), %s::text", [text])
        return Response(status=204)


urlpatterns = [
    path("", include("config.api.urls")),
    path("v1/notes", Notes.as_view()),
    path("v1/notes/batch", NoteBatch.as_view()),
    path("v1/users/<external:user_id>/notes", UserNotes.as_view()),
    path("v1/failing/<str:how>", Failing.as_view()),
]

handler400 = "config.api.errors.answer_bad_request"
handler404 = "config.api.errors.answer_not_found"
handler500 = "config.api.errors.answer_server_error"
