"""`POST /v1/users/{user_id}/import`: a user's memory from a file, at once or by a worker (SPEC M-7, A-3)."""

from __future__ import annotations

import hashlib
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

import msgspec
from django.conf import settings
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import MEBIBYTE, RequestBody, read_bytes
from config.api.describing import about
from config.api.endpoints.answers import make_actor, make_done, make_tenant_ref
from config.api.endpoints.operations.structs import ImportAnswer, OperationAnswer, show_outcome
from config.api.endpoints.operations.views import show_import
from config.api.schema import JSON_LINES, describe
from config.api.views import ApiView
from memory.fence.user_lock import enter_user
from memory.imports.requests import accept_import, import_memory, wake_worker
from memory.imports.types import FORMATS
from memory.services.answered_requests import Done
from memory.tenants.types import Scope
from memory.types import TenantRef, UserRef

IMPORT_BODY_LIMIT = 32 * MEBIBYTE  # some 50,000 messages; the command takes more

Format = Literal["unde", "jsonl", "mem0", "zep", "hindsight"]
assert set(Format.__args__) == set(FORMATS)  # type: ignore[attr-defined]  # one list, said twice for the document


class ImportQuery(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the body comes from: our own export, a message a line, or the export of another system."""

    format: Annotated[Format, about("What the body is: our own export, plain messages, or another system's.")] = "unde"


class Import(ApiView):
    """`POST /v1/users/{user_id}/import`."""

    scopes = {"POST": Scope.WRITE}

    @describe(
        summary="Import a user's memory: JSON Lines of our export, plain messages, or another system's export",
        description=(
            "The body is the file, at most 32 MiB. Up to 1 MiB is imported before the answer 200. A larger file, and "
            "any file with the header `Prefer: respond-async`, is answered 202 with an operation: a worker takes the "
            "file, and `GET /v1/operations/{operation_id}` says how far it is. An import may be repeated: what is "
            "there already is counted as `repeated`. A refused line does not lose the others. See "
            "docs/export-import.md for the formats."
        ),
        tag="users",
        body=JSON_LINES,
        query=ImportQuery,
        path={"user_id": "Your id of the user; made when it is new."},
        answers={200: ImportAnswer, 202: OperationAnswer},
        errors=(409,),
        is_done_once=True,
        may_be_later=True,
    )
    def post(self, request: Request, user_id: str) -> Response:
        query = self.read_query(ImportQuery)
        data = read_bytes(self.request, limit=IMPORT_BODY_LIMIT)
        wants_operation = prefers_operation(request)
        asked = Asked(
            tenant=make_tenant_ref(self.caller),
            user_external_id=user_id,
            data=data,
            file_format=query.format,
            actor=make_actor(self.caller),
            now=timezone.now(),
        )
        is_large = len(data) > settings.UNDE_TUNING.IMPORT_ANSWERED_AT_ONCE
        perform = partial(_accept if wants_operation or is_large else _import_now, asked)
        identity = [query.format, hashlib.sha256(data).hexdigest(), wants_operation]
        response = self.once(identity, perform, find_user=partial(_find_user, asked))
        if response.status_code == 202:
            response["Location"] = f"/v1/operations/{msgspec.json.decode(response.data)['id']}"
            if wants_operation:
                response["Preference-Applied"] = "respond-async"
            wake_worker()
        return response


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One import on its way in."""

    tenant: TenantRef
    user_external_id: str
    data: bytes
    file_format: str
    actor: str
    now: datetime


def _accept(asked: Asked) -> Done:
    return make_done(show_import(accept_import(**msgspec.structs.asdict(asked))), status=202)


def _import_now(asked: Asked) -> Done:
    return make_done(show_outcome(import_memory(**msgspec.structs.asdict(asked))))


def _find_user(asked: Asked) -> UserRef:
    """Made where the file held nothing to make it of: the answer is kept under it."""
    return enter_user(tenant_id=asked.tenant.id, external_id=asked.user_external_id, now=asked.now)


def prefers_operation(request: Request) -> bool:
    """Whether `Prefer` names `respond-async` (RFC 7240): several stand between commas, each may have parameters."""
    named = request.headers.get("Prefer", "").split(",")
    return "respond-async" in (each.partition(";")[0].strip().lower() for each in named)
