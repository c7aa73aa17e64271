"""Filters over the metadata of messages: AND, OR, NOT and conditions, read from JSON and written as SQL (SPEC A-3).

    {"AND": [{"store": "mall"}, {"NOT": {"price": {"gt": 500}}}, {"OR": [{"tag": "a"}, {"lot": {"exists": true}}]}]}

Pure. Keys and values travel as parameters, never in the statement.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

JOINS = ("AND", "OR")
NOT = "NOT"
RANGES: Mapping[str, str] = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
OPERATORS = ("eq", "ne", "in", "contains", "exists", *RANGES)
MAX_DEPTH = 5
MAX_CONDITIONS = 50
MAX_IN = 100
MAX_KEY_CHARACTERS = 128
MAX_VALUE_CHARACTERS = 500
Scalar = str | int | float | bool | None


class BadFilter(Exception):
    """The expression is none; `path` names the place, e.g. `AND[1].price`, `reason` says what is wrong there."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Condition:
    """One key of the metadata compared with a value, or asked for."""

    key: str
    operator: str
    value: Any


@dataclass(frozen=True, slots=True)
class Group:
    """Parts of which all (AND), any (OR) or not all (NOT) must hold."""

    join: str
    parts: tuple[Group | Condition, ...]


Expression = Group | Condition


def parse_filter(data: object) -> Expression:
    """The expression in a decoded JSON value. Raises BadFilter naming the place; sizes and depth are bounded."""
    expression = _parse(data, path="", depth=1)
    if _count(expression) > MAX_CONDITIONS:
        raise BadFilter("", f"has more than {MAX_CONDITIONS} conditions")
    return expression


def write_condition(expression: Expression) -> tuple[str, dict[str, object]]:
    """The expression as a condition on `m.metadata`, with its parameters. A key that is not there fits nothing but
    `exists: false` and `ne`, and what is false is true under NOT."""
    parameters: dict[str, object] = {}
    return _write(expression, parameters), parameters


def _parse(data: object, *, path: str, depth: int) -> Expression:
    if depth > MAX_DEPTH:
        raise BadFilter(path, f"is more than {MAX_DEPTH} levels deep")
    if not isinstance(data, Mapping) or not data:
        raise BadFilter(path, "must be an object with at least one key")
    parts = [_parse_entry(str(name), value, path=_join(path, str(name)), depth=depth) for name, value in data.items()]
    return parts[0] if len(parts) == 1 else Group("AND", tuple(parts))


def _parse_entry(name: str, value: object, *, path: str, depth: int) -> Expression:
    if name in JOINS:
        if not isinstance(value, Sequence) or isinstance(value, str) or not value:
            raise BadFilter(path, "must be a list of expressions")
        parts = (_parse(part, path=f"{path}[{place}]", depth=depth + 1) for place, part in enumerate(value))
        return Group(name, tuple(parts))
    if name == NOT:
        return Group(NOT, (_parse(value, path=path, depth=depth + 1),))
    if not name or len(name) > MAX_KEY_CHARACTERS:
        raise BadFilter(path[:200], f"a key has 1 to {MAX_KEY_CHARACTERS} characters")
    if not isinstance(value, Mapping):
        return Condition(name, "eq", _check_scalar(value, path=path))
    if not value:
        raise BadFilter(path, f"must name one of {', '.join(OPERATORS)}")
    conditions = tuple(_parse_condition(name, str(operator), each, path=path) for operator, each in value.items())
    return conditions[0] if len(conditions) == 1 else Group("AND", conditions)


def _parse_condition(key: str, operator: str, value: object, *, path: str) -> Condition:
    place = _join(path, operator)
    if operator not in OPERATORS:
        raise BadFilter(place, f"is not an operator: {', '.join(OPERATORS)}")
    if operator == "exists":
        if not isinstance(value, bool):
            raise BadFilter(place, "must be true or false")
        return Condition(key, operator, value)
    if operator == "in":
        if not isinstance(value, Sequence) or isinstance(value, str) or not 0 < len(value) <= MAX_IN:
            raise BadFilter(place, f"must be a list of 1 to {MAX_IN} values")
        return Condition(key, operator, tuple(_check_scalar(each, path=place) for each in value))
    if operator in RANGES and (isinstance(value, bool) or not isinstance(value, int | float | str)):
        raise BadFilter(place, "must be a number or a text")
    return Condition(key, operator, _check_scalar(value, path=place))


def _check_scalar(value: object, *, path: str) -> Scalar:
    if isinstance(value, str) and len(value) > MAX_VALUE_CHARACTERS:
        raise BadFilter(path, f"is longer than {MAX_VALUE_CHARACTERS} characters")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadFilter(path, "is too large a number")
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise BadFilter(path, "must be a text, a number, true, false or null")


def _count(expression: Expression) -> int:
    return 1 if isinstance(expression, Condition) else sum(_count(part) for part in expression.parts)


def _write(expression: Expression, parameters: dict[str, object]) -> str:
    if isinstance(expression, Condition):
        return f"coalesce({_write_comparison(expression, parameters)}, false)"
    parts = [_write(part, parameters) for part in expression.parts]
    if expression.join == NOT:
        return f"NOT {parts[0]}"
    return f"({f' {expression.join} '.join(parts)})"


def _write_comparison(condition: Condition, parameters: dict[str, object]) -> str:
    key, value = f"metadata_key_{len(parameters)}", f"metadata_value_{len(parameters)}"
    parameters[key] = condition.key
    found = f"m.metadata -> %({key})s::text"
    if condition.operator == "exists":
        is_there = f"({found}) IS NOT NULL"
        return is_there if condition.value else f"NOT {is_there}"
    if condition.operator == "in":
        parameters[value] = [json.dumps(each, ensure_ascii=False) for each in condition.value]
        return f"{found} = ANY(%({value})s::text[]::jsonb[])"
    parameters[value] = json.dumps(condition.value, ensure_ascii=False)
    if condition.operator == "ne":
        return f"({found}) IS DISTINCT FROM %({value})s::text::jsonb"
    if condition.operator == "contains":
        return f"(jsonb_typeof({found}) = 'array' AND {found} @> %({value})s::text::jsonb)"
    if condition.operator == "eq":
        return f"{found} = %({value})s::text::jsonb"
    # Values of different types have an order in jsonb, which no caller means.
    is_same_type = f"jsonb_typeof({found}) = jsonb_typeof(%({value})s::text::jsonb)"
    return f"({is_same_type} AND {found} {RANGES[condition.operator]} %({value})s::text::jsonb)"


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
