"""`POST /v1/users/{user_id}/import`: a user's memory from a file (SPEC M-7)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import MEBIBYTE, RequestBody, read_bytes
from config.api.describing import about
from config.api.endpoints.answers import make_actor, make_tenant_ref
from config.api.schema import JSON_LINES, describe
from config.api.views import ApiView
from memory.imports.running import import_memory
from memory.imports.types import FORMATS
from memory.tenants.types import Scope

IMPORT_BODY_LIMIT = 32 * MEBIBYTE  # some 50,000 messages; the command takes more

Format = Literal["unde", "jsonl", "mem0", "zep", "hindsight"]
assert set(Format.__args__) == set(FORMATS)  # type: ignore[attr-defined]  # one list, said twice for the document


class ImportQuery(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the body comes from: our own export, a message a line, or the export of another system."""

    format: Annotated[Format, about("What the body is: our own export, plain messages, or another system's.")] = "unde"


class RefusedLine(msgspec.Struct, frozen=True):
    """The reason why a line was refused."""

    line: Annotated[int, about("Its number, from 1.")]
    code: Annotated[str, about("The code, as in errors.")]
    fields: Annotated[dict[str, str], about("What is wrong, by field.")]


class ImportAnswer(msgspec.Struct, frozen=True):
    """What an import stored."""

    messages: Annotated[int, about("New messages.")]
    repeated: Annotated[int, about("Messages and actions that were there already.")]
    actions: Annotated[int, about("New actions.")]
    accounts: Annotated[int, about("New receipts and corrections.")]
    facts: Annotated[int, about("Facts that the user has now, closed ones included.")]
    differing_facts: Annotated[int, about("Facts of the export that its own logs do not give here: other rules.")]
    ignored: Annotated[int, about("Lines with nothing to take over.")]
    failed: Annotated[int, about("Lines that were refused.")]
    errors: Annotated[list[RefusedLine], about("The refused lines, at most 100 of them.")]


class Import(ApiView):
    """`POST /v1/users/{user_id}/import`."""

    scopes = {"POST": Scope.WRITE}

    @describe(
        summary="Import a user's memory: JSON Lines of our export, plain messages, or another system's export",
        description=(
            "The body is the file, at most 32 MiB. An import may be repeated: what is there already is "
            "counted as `repeated`. A refused line does not lose the others. See docs/export-import.md for "
            "the formats."
        ),
        tag="users",
        body=JSON_LINES,
        query=ImportQuery,
        path={"user_id": "Your id of the user; made when it is new."},
        answers={200: ImportAnswer},
        errors=(409,),
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
