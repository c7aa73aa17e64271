"""The published document as a judge: real requests, answers and errors are held against it, closed.

`Caller` of `tests/caller.py` sends every exchange through here, so each test over HTTP is a test of the contract too.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator, FormatChecker

CHECKER = FormatChecker(formats=())
METHODS = ("get", "post", "put", "patch", "delete")
UNDECLARED = frozenset({405, 500})  # belong to no operation: a method that is not there, a fault of ours


@CHECKER.checks("date-time", raises=ValueError)
def is_time(value: Any) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


@CHECKER.checks("uuid", raises=ValueError)
def is_uuid(value: Any) -> bool:
    return not isinstance(value, str) or bool(UUID(value))


@cache
def read_document() -> dict[str, Any]:
    """The document as the service publishes it."""
    document: dict[str, Any] = json.loads(json.dumps(SchemaGenerator().get_schema(request=None, public=True)))
    return document


@cache
def close_components() -> dict[str, Any]:
    """Its schemas, each refusing a field that it does not declare."""
    return {name: close(schema) for name, schema in read_document()["components"]["schemas"].items()}


def close(schema: Any) -> Any:
    """The schema with `additionalProperties: false` wherever fields are declared."""
    if isinstance(schema, list):
        return [close(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: close(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        closed["additionalProperties"] = False
    return closed


@cache
def list_templates() -> list[tuple[str, int, re.Pattern[str]]]:
    """Each path with its slashes and what fits it; an id may hold slashes, so the longest path comes first."""
    found = []
    for template in sorted(read_document()["paths"], key=lambda each: -each.count("/")):
        pattern = re.sub(r"\\\{\w+\\\}", "(?s:.{1,400})", re.escape(template))
        found.append((template, template.count("/"), re.compile(pattern)))
    return found


def find_operation(method: str, path: str) -> tuple[str, dict[str, Any]] | None:
    """`POST /v1/messages` and its description; None for what the document does not have."""
    slashes = path.count("/")
    for template, least, pattern in list_templates():
        methods = read_document()["paths"][template]
        if slashes >= least and method.lower() in methods and pattern.fullmatch(path):
            return f"{method.upper()} {template}", methods[method.lower()]
    return None


def list_operations() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every operation by name."""
    for path, methods in read_document()["paths"].items():
        for method in METHODS:
            if method in methods:
                yield f"{method.upper()} {path}", methods[method]


def list_faults(part: dict[str, Any], value: Any) -> list[str]:
    """What does not fit the JSON schema of a request body or of an answer, as sentences with a path."""
    schema = part["content"]["application/json"]["schema"]
    whole = {**close(schema), "components": {"schemas": close_components()}}
    validator = Draft202012Validator(whole, format_checker=CHECKER)
    return [f"{'/'.join(map(str, fault.absolute_path))}: {fault.message}" for fault in validator.iter_errors(value)]


def check_exchange(method: str, path: str, body: Any, response: Any) -> Any:
    """The response, after the document has agreed to it and to the request that it accepted."""
    found = find_operation(method, path)
    if found is None or response.status_code in UNDECLARED:
        return response
    name, operation = found
    part = operation["responses"].get(str(response.status_code))
    assert part is not None, f"{name} answers {response.status_code}, which the document does not say"
    content = part.get("content", {})
    if "application/json" in content:
        assert response["Content-Type"] in content, name
    if content and response["Content-Type"] == "application/json":
        assert list_faults(part, response.json()) == [], f"{name} {response.status_code}"
    if not content:
        assert response.content == b"", name
    if response.status_code < 300 and body is not None and "application/json" in _list_media(operation):
        assert list_faults(operation["requestBody"], json.loads(json.dumps(body, default=str))) == [], name
    return response


def _list_media(operation: dict[str, Any]) -> list[str]:
    return list(operation.get("requestBody", {}).get("content", {}))


def walk_schemas(visit: Callable[[str, str, dict[str, Any]], None]) -> None:
    """Call `visit(schema, field, its schema)` for every field of every component."""
    for name, schema in read_document()["components"]["schemas"].items():
        for field, part in schema.get("properties", {}).items():
            visit(name, field, part)
