"""The OpenAPI document, from the same structs that requests are decoded into (SPEC A-1).

A view is described with `describe(...)`; msgspec structs stand where drf-spectacular expects serializers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, get_type_hints

import msgspec
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from config.api.rendering import encode

_REFERENCE: Final = "#/components/schemas/{name}"


class ErrorAnswer(msgspec.Struct, frozen=True):
    """Every error has this form; `code` is stable, `fields` names what is wrong where it can be named."""

    code: str
    message: str
    fields: dict[str, str] = {}


_ERRORS: Final[Mapping[int, str]] = {
    400: "The request is not valid: `invalid_request`, `invalid_json`, `invalid_utf8`, `nul_byte`, `invalid_cursor`.",
    401: (
        "`missing_key`: there is no `Authorization` header. `missing_bearer`: it is not `Bearer <key>`."
        " `invalid_key`: the key is unknown, revoked or expired."
    ),
    403: "`missing_scope`: the key may not do this.",
    404: "`not_found`: no such object in this tenant.",
    409: "The request contradicts what is stored: `conflict`, `user_erased`.",
    410: "`receipt_pruned`: it was there and is no longer kept.",
    413: "`body_too_large`.",
    422: "The request is well-formed and asks for something that is not done; `code` says what.",
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
        _, components = msgspec.json.schema_components([self.target], ref_template=_REFERENCE)
        own = components.pop(self.get_name(auto_schema, direction))
        structs = {struct.__name__: struct for struct in list_structs(self.target)}
        for name, schema in components.items():
            auto_schema.registry.register_on_missing(
                ResolvedComponent(name=name, type=ResolvedComponent.SCHEMA, object=structs[name], schema=schema)
            )
        return own


class ApiKeyScheme(OpenApiAuthenticationExtension):
    """The `Authorization: Bearer` header."""

    target_class = "config.api.authentication.ApiKeyAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Bearer, with a key made by `create_key`."""
        return {"type": "http", "scheme": "bearer", "description": "An API key of the tenant."}


def describe(
    *,
    summary: str,
    tag: str,
    answers: Mapping[int, Any],
    body: type | None = None,
    query: type | None = None,
    path: Mapping[str, str] | None = None,
    errors: Sequence[int] = (),
    request_example: Any = None,
    answer_example: Any = None,
) -> Callable[..., Any]:
    """Describe one method of a view for /v1/schema.

    `answers` maps a status to a struct, or to None for an empty answer; the examples (structs or JSON) belong to the
    request and to the first answer. The errors every endpoint may give are added to `errors`.
    """
    responses: dict[int, Any] = {
        status: answer if answer is not None else OpenApiResponse(description="Nothing to say.")
        for status, answer in answers.items()
    }
    for status in sorted({400, 401, 403, 429, 503, *errors, *((413,) if body else ())}):
        responses[status] = OpenApiResponse(ErrorAnswer, description=_ERRORS[status])
    return extend_schema(
        summary=summary,
        tags=[tag],
        request={"application/json": body} if body else None,
        responses=responses,
        parameters=[*_list_query_parameters(query), *_list_path_parameters(path or {})],
        examples=_list_examples(request_example, answer_example, status=str(next(iter(answers)))),
    )


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
            description=field.get("description", ""),
            explode=name in lists or None,
        )
        for name, field in schema["properties"].items()
    ]


def _list_path_parameters(path: Mapping[str, str]) -> list[OpenApiParameter]:
    return [
        OpenApiParameter(name, type=str, location=OpenApiParameter.PATH, description=description)
        for name, description in path.items()
    ]


def _list_examples(request: Any, answer: Any, *, status: str) -> list[OpenApiExample]:
    examples = []
    if request is not None:
        examples.append(OpenApiExample("Request", value=_to_json(request), request_only=True))
    if answer is not None:
        examples.append(OpenApiExample("Answer", value=_to_json(answer), response_only=True, status_codes=[status]))
    return examples


def _to_json(value: Any) -> Any:
    return msgspec.json.decode(encode(value))
