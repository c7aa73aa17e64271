"""Filters over the values of kept items: equality, and operators that begin with a dollar sign. Pure."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from memory.errors import InvalidRequest

_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
OPERATORS: Final = ("$eq", "$ne", *_ORDERS)
_MISSING: Final = object()


def check_filter(wanted: Mapping[str, Any], *, path: str = "filter") -> None:
    """Raise InvalidRequest for an operator that is not known, and for an order of what has none."""
    for name, value in wanted.items():
        if not isinstance(value, Mapping):
            continue
        operators = [each for each in value if each.startswith("$")]
        for each in operators:
            if each not in OPERATORS:
                known = ", ".join(OPERATORS)
                raise InvalidRequest(fields={f"{path}.{name}": f"has an unknown operator; known are {known}"})
            if each in _ORDERS and not _has_order(value[each]):
                raise InvalidRequest(fields={f"{path}.{name}.{each}": "must be a number or text"})
        if operators and len(operators) < len(value):
            raise InvalidRequest(fields={f"{path}.{name}": "must not mix operators and fields"})
        if not operators:
            check_filter(value, path=f"{path}.{name}")


def passes(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether every field of the filter fits the document. Numbers are compared as numbers, text as text."""
    return all(_fits(value.get(name, _MISSING), want) for name, want in wanted.items())


def _fits(found: Any, want: Any) -> bool:
    if isinstance(want, Mapping) and any(each.startswith("$") for each in want):
        return all(_compare(found, each, value) for each, value in want.items())
    if isinstance(want, Mapping):
        return isinstance(found, Mapping) and passes(found, want)
    return _equals(found, want)


def _compare(found: Any, name: str, value: Any) -> bool:
    if name == "$eq":
        return _equals(found, value)
    if name == "$ne":
        return not _equals(found, value)
    is_comparable = (_is_number(found) and _is_number(value)) or (isinstance(found, str) and isinstance(value, str))
    return is_comparable and _ORDERS[name](found, value)


def _equals(found: Any, value: Any) -> bool:
    # JSON's true is not its 1.
    return isinstance(found, bool) == isinstance(value, bool) and bool(found == value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _has_order(value: Any) -> bool:
    return _is_number(value) or isinstance(value, str)
