"""`POST /v1/users/{user_id}/import`: a user's memory from a file (SPEC M-7)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import MEBIBYTE, RequestBody, read_bytes
from config.api.endpoints.answers import make_actor, make_tenant_ref
from config.api.schema import describe
from config.api.views import ApiView
from memory.imports.running import import_memory
from memory.imports.types import FORMATS
from memory.tenants.types import Scope

IMPORT_BODY_LIMIT = 32 * MEBIBYTE  # some 50,000 messages; the command takes more

Format = Literal["unde", "jsonl", "mem0", "zep", "hindsight"]
assert set(Format.__args__) == set(FORMATS)  # type: ignore[attr-defined]  # one list, said twice for the document


class ImportQuery(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the body comes from: our own export, a message a line, or the export of another system."""

    format: Format = "unde"


class RefusedLine(msgspec.Struct, frozen=True):
    """Why a line was not taken; `line` counts from 1."""

    line: int
    code: str
    fields: dict[str, str]


class ImportAnswer(msgspec.Struct, frozen=True):
    """What an import stored; `accounts` are receipts and corrections. `repeated` was there already; at most 100 of the
    `failed` lines are named.
    """

    messages: int
    repeated: int
    actions: int
    accounts: int
    facts: int
    differing_facts: int
    ignored: int
    failed: int
    errors: list[RefusedLine]


class Import(ApiView):
    """`POST /v1/users/{user_id}/import`."""

    scopes = {"POST": Scope.WRITE}

    @describe(
        summary="Import a user's memory: JSON Lines of our export, plain messages, or another system's export",
        tag="users",
        query=ImportQuery,
        path={"user_id": "Your id of the user; made when it is new."},
        answers={200: ImportAnswer},
        errors=(409, 413),
    )
    def post(self, request: Request, user_id: str) -> Response:
        query = self.read_query(ImportQuery)
        data = read_bytes(self.request, limit=IMPORT_BODY_LIMIT)
        outcome = import_memory(
            tenant=make_tenant_ref(self.caller),
            user_external_id=user_id,
            data=data,
            file_format=query.format,
            actor=make_actor(self.caller),
            now=timezone.now(),
        )
        return Response(_answer(outcome))


def _answer(outcome: Any) -> ImportAnswer:
    return ImportAnswer(
        messages=outcome.messages,
        repeated=outcome.repeated,
        actions=outcome.actions,
        accounts=outcome.accounts,
        facts=outcome.facts,
        differing_facts=outcome.differing_facts,
        ignored=outcome.ignored,
        failed=outcome.failed,
        errors=[RefusedLine(each.line, each.code, dict(each.fields)) for each in outcome.errors],
    )
