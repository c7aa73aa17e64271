"""The OpenAPI document, from the same structs that requests are decoded into (SPEC A-1).

A view is described with `describe(...)`; msgspec structs stand where drf-spectacular expects serializers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast, get_type_hints

import msgspec
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from config.api.describing import ErrorAnswer
from config.api.repeats import HEADER

if TYPE_CHECKING:
    from config.api.views import ApiView

EXAMPLES: Final = Path(__file__).parent / "endpoints" / "examples.json"
_LINES: Final = "One JSON object a line."
_EVENTS: Final = "Server-sent events."
_ANSWERS: Final[Mapping[int, str]] = {
    200: "Done.",
    201: "Stored.",
    202: "Accepted: it is carried out in the background.",
    204: "Done. The answer has no body.",
}
_REFERENCE: Final = "#/components/schemas/{name}"


_ERRORS: Final[Mapping[int, str]] = {
    400: "The request is not valid: `invalid_request`, `invalid_json`, `invalid_utf8`, `nul_byte`, `invalid_cursor`.",
    401: (
        "`missing_key`: there is no `Authorization` header. `missing_bearer`: it is not `Bearer <key>`."
        " `invalid_key`: the key is unknown, revoked or expired. `session_over`: of a memory page."
    ),
    403: (
        "`missing_scope`: the key may not do this. Of a memory page `missing_permission`, `bad_form_token`,"
        " `consent_fixed`."
    ),
    404: "`not_found`: no such object in this tenant.",
    409: (
        "The request contradicts what is stored: `conflict`, `user_erased`, `memory_paused`,"
        " `consent_missing`, `answer_forgotten`, `import_goes_on`."
        " Of projects also `invalid_transition`, `conflict_resolved`, `ambiguous_id`, `project_full`."
    ),
    410: "It was there and is no longer kept: `receipt_pruned`, `events_expired`, `link_over`.",
    413: "`body_too_large`.",
    422: (
        "The request is well-formed and cannot be carried out: `unknown_receipt`, `idempotency_key_reused`. Of projects"
        " also `unknown_source`, `quote_not_found`, `source_required`, `budget_too_small`."
    ),
    429: "`rate_limited`; `Retry-After` says when to try again.",
    503: "`user_busy`, `timeout`, `database_unavailable`: nothing was stored; `Retry-After` says when to try again.",
}


class StructExtension(OpenApiSerializerExtension):
    """Lets drf-spectacular take a msgspec struct for a serializer."""

    target_class = "msgspec.Struct"
    match_subclasses = True

    def get_name(self, auto_schema: Any, direction: Any) -> str:
        """The struct's own name."""
        return str(self.target.__name__)

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """The struct's JSON schema; structs inside it become components of the document."""
        wanted = [self.target, *getattr(self.target, "named_in_schema", ())]
        _, components = msgspec.json.schema_components(wanted, ref_template=_REFERENCE)
        own = components.pop(self.get_name(auto_schema, direction))
        structs = {struct.__name__: struct for one in wanted for struct in list_structs(one)}
        for name, schema in components.items():
            auto_schema.registry.register_on_missing(
                ResolvedComponent(name=name, type=ResolvedComponent.SCHEMA, object=structs[name], schema=schema)
            )
        return dict(own)


class ApiKeyScheme(OpenApiAuthenticationExtension):
    """The `Authorization: Bearer` header."""

    target_class = "config.api.authentication.ApiKeyAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Bearer, with a key made by `create_key`."""
        return {"type": "http", "scheme": "bearer", "description": "An API key of the tenant."}


class VisitScheme(OpenApiAuthenticationExtension):
    """The session of a memory page."""

    target_class = "config.me.shell.VisitAuthentication"
    name = "visit"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Bearer, with the token of `POST /v1/me/session`; a browser that opened the link sends a cookie instead."""
        return {"type": "http", "scheme": "bearer", "description": "A session of the memory page, of one user."}


JSON_LINES: Final = "application/jsonl"
EVENT_STREAM: Final = "text/event-stream"
"""In place of a struct: a body or an answer of one JSON object a line."""


_ONCE: Final = OpenApiParameter(
    HEADER,
    type=str,
    location=OpenApiParameter.HEADER,
    description=(
        "A string of your own, new for each request: 1 to 255 printable ASCII characters. The same request with the"
        " same key within a day is not carried out again and gets the same answer. Another request with the same key"
        " is refused as `idempotency_key_reused`."
    ),
)
_ASYNC: Final = OpenApiParameter(
    "Prefer",
    type=str,
    location=OpenApiParameter.HEADER,
    description="`respond-async` (RFC 7240): answer 202 with an operation, however small the work is.",
)
_NAMED_BY_KEY: Final = OpenApiParameter(
    HEADER,
    type=str,
    location=OpenApiParameter.HEADER,
    description=(
        "Stands for an id where the body has none: the same request with the same key finds what it made before."
        " 1 to 255 printable ASCII characters."
    ),
)


class ApiSchema(AutoSchema):
    """Says of each operation which scope its key needs, and whether its body may be left out."""

    def _get_request_body(self, direction: Any = "request") -> Any:
        """Of a DELETE too, where it has one: the generator expects bodies of POST, PUT and PATCH alone."""
        if self.method != "DELETE" or not getattr(self.view.delete, "has_body", False):  # type: ignore[attr-defined]
            return super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        self.method = "POST"
        try:
            return super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        finally:
            self.method = "DELETE"

    def get_operation(self, *arguments: Any, **more: Any) -> dict[str, Any] | None:
        """The operation, with the scope; its body is marked as required where an empty one is refused."""
        operation: dict[str, Any] | None = super().get_operation(*arguments, **more)
        if operation is None:
            return None
        operation["description"] = f"{operation['description']}\n\n{cast('ApiView', self.view).name_need(self.method)}"
        handler = getattr(self.view, self.method.lower())
        if getattr(handler, "is_nullable", False):
            for media in operation["responses"]["200"]["content"].values():
                media["schema"] = {"anyOf": [media["schema"], {"type": "null"}]}
        if "requestBody" in operation:
            operation["requestBody"]["required"] = not getattr(handler, "is_body_optional", False)
        return operation


def describe(
    *,
    summary: str,
    description: str,
    tag: str,
    answers: Mapping[int, Any],
    body: Any = None,
    is_body_optional: bool = False,
    query: type | None = None,
    path: Mapping[str, str] | None = None,
    errors: Sequence[int] = (),
    operation: str | None = None,
    is_done_once: bool = False,
    is_named_by_key: bool = False,
    may_be_later: bool = False,
    streamed: str = "",
    is_nullable: bool = False,
    failure: type = ErrorAnswer,
) -> Callable[..., Any]:
    """Describe one method of a view for /v1/schema.

    `answers` maps a status to a struct, to JSON_LINES, or to None for an empty answer; `body` is a struct or
    JSON_LINES. The errors that every endpoint may give are added to `errors`. Examples are in `examples.json`.
    `operation` names the operation where its path would give a name that another has.
    `is_done_once`: the method takes an Idempotency-Key (`ApiView.once`). `is_named_by_key`: the key stands for an id.
    `may_be_later`: the caller may ask for an operation by the header `Prefer`.
    `streamed` is an example of the events that a caller may ask for instead of JSON.
    `is_nullable`: its answer may be null. `failure`: the form of its errors, where it has one of its own.
    """
    responses: dict[Any, Any] = {}
    for status, answer in answers.items():
        if answer == JSON_LINES:
            responses[status, JSON_LINES] = OpenApiResponse(OpenApiTypes.STR, description=_LINES)
        else:
            responses[status] = OpenApiResponse(answer, description=_ANSWERS[status])
    if streamed:
        example = OpenApiExample("events", value=streamed, media_type=EVENT_STREAM)
        responses[200, EVENT_STREAM] = OpenApiResponse(OpenApiTypes.STR, description=_EVENTS, examples=[example])
    more = {*errors, *((413,) if body else ()), *((409, 422) if is_done_once else ())}
    for status in sorted({400, 401, 403, 429, 503, *more}):
        responses[status] = OpenApiResponse(failure, description=_ERRORS[status])
    media = JSON_LINES if body == JSON_LINES else "application/json"
    extend = extend_schema(
        operation_id=operation,
        summary=summary,
        description=description,
        tags=[tag],
        request={media: OpenApiTypes.STR if body == JSON_LINES else body} if body else None,
        responses=responses,
        parameters=[
            *_list_query_parameters(query),
            *_list_path_parameters(path or {}),
            *([_ONCE] if is_done_once else ()),
            *([_NAMED_BY_KEY] if is_named_by_key else ()),
            *([_ASYNC] if may_be_later else ()),
        ],
    )

    def mark(handler: Any) -> Any:
        handler.is_body_optional = is_body_optional
        handler.has_body = body is not None
        handler.has_query = query is not None
        handler.is_nullable = is_nullable
        return extend(handler)

    return mark


def add_examples(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """A hook of drf-spectacular: requests and answers as they were really sent, by operation and status.

    They are recorded by `tests/api/test_contract.py`, which also holds them against the service.
    """
    recorded = _read_examples()
    for path, methods in result["paths"].items():
        for method, operation in methods.items():
            own = recorded["operations"].get(f"{method.upper()} {path}", {})
            _put_example(operation.get("requestBody", {}), own.get("request"))
            for status, response in operation["responses"].items():
                is_own = status == own.get("status")
                if is_own or _has_usual_form(response):
                    _put_example(response, own["answer"] if is_own else recorded["errors"].get(status))
    return result


@cache
def _read_examples() -> dict[str, Any]:
    examples: dict[str, Any] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return examples


def _has_usual_form(response: Any) -> bool:
    """Whether it is an error in the form that all have, and not in that of another product."""
    schema = response.get("content", {}).get("application/json", {}).get("schema", {})
    return str(schema.get("$ref", "")).endswith(f"/{ErrorAnswer.__name__}")


def _put_example(part: dict[str, Any], example: Any) -> None:
    if example is not None:
        for media in part.get("content", {}).values():
            media["examples"] = {"Example": {"value": example}}


def list_structs(struct: type) -> set[type]:
    """The struct and every struct that its fields are made of."""
    found: set[type] = set()
    waiting: list[Any] = [msgspec.inspect.type_info(struct)]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, msgspec.inspect.StructType):
            if kind.cls in found:
                continue
            found.add(kind.cls)
            waiting.extend(field.type for field in kind.fields)
        for name in ("type", "item_type", "key_type", "value_type"):
            waiting.extend([getattr(kind, name)] if hasattr(kind, name) else [])
        for name in ("types", "item_types"):
            waiting.extend(getattr(kind, name, ()))
    return found


def _list_query_parameters(query: type | None) -> list[OpenApiParameter]:
    if query is None:
        return []
    (reference,), components = msgspec.json.schema_components([query], ref_template=_REFERENCE)
    schema = components[reference["$ref"].rpartition("/")[2]]
    lists = {name for name, hint in get_type_hints(query).items() if "list" in str(hint)}
    return [
        OpenApiParameter(
            name,
            type={key: value for key, value in field.items() if key != "description"},
            location=OpenApiParameter.QUERY,
            required=name in schema.get("required", ()),
            description=_find_description(field),
            explode=name in lists or None,
        )
        for name, field in schema["properties"].items()
    ]


def _find_description(field: Mapping[str, Any]) -> str:
    """Of the field, or of that of its alternatives which has one."""
    found = (one["description"] for one in (field, *field.get("anyOf", ())) if "description" in one)
    return str(next(found, ""))


def _list_path_parameters(path: Mapping[str, str]) -> list[OpenApiParameter]:
    return [
        OpenApiParameter(name, type=str, location=OpenApiParameter.PATH, description=description)
        for name, description in path.items()
    ]
