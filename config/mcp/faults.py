"""What is wrong with the arguments of a tool, in the words of the API: field and sentence, never a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from jsonschema import ValidationError

from config.api.decoding import NO_FIELD

_KINDS: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
_SENTENCES: Final = {
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
}


def explain_fault(fault: ValidationError) -> dict[str, str]:
    """The fields that a fault is about, each with a sentence. The validator's own sentence repeats the value."""
    where = ".".join(map(str, fault.absolute_path))
    given = fault.instance
    if fault.validator == "required" and isinstance(given, Mapping):
        return {_join(where, name): "is required" for name in _list(fault.validator_value) if name not in given}
    if fault.validator == "additionalProperties" and isinstance(given, Mapping):
        known = fault.schema.get("properties", {}) if isinstance(fault.schema, Mapping) else {}
        return {_join(where, str(name)): NO_FIELD for name in given if name not in known}
    return {where or "arguments": _describe(str(fault.validator), fault.validator_value)}


def _describe(rule: str, bound: Any) -> str:
    if rule == "type":
        return "must be " + " or ".join(_KINDS.get(str(kind), str(kind)) for kind in _list(bound))
    if rule == "enum":
        return "must be one of: " + ", ".join(sorted(map(str, bound)))
    return _SENTENCES[rule].format(bound) if rule in _SENTENCES else f"does not fit: {rule}"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
