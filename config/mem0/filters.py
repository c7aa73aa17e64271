"""mem0's filters: AND, OR, NOT, `*` for anything, and operators, over the fields of a memory. Pure.

An operator or a field that is not known is refused: a filter that is not understood must not find everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from config.mem0.errors import BadRequest

ANY: Final = "*"
ENTITIES: Final = ("user_id", "agent_id", "app_id", "run_id")
FIELDS: Final = frozenset(
    {*ENTITIES, "id", "memory_ids", "created_at", "updated_at", "timestamp", "categories", "keywords", "metadata"}
)
_NAMING: Final = frozenset({*ENTITIES, "id", "memory_ids"})
_CAMEL: Final = re.compile(r"(?<!^)(?=[A-Z])")
Filter = Mapping[str, Any]


def _has_text(found: Any, value: Any, *, fold: bool) -> bool:
    parts = found if isinstance(found, list) else [found]
    wanted = str(value).casefold() if fold else str(value)
    return any(wanted in (str(part).casefold() if fold else str(part)) for part in parts if part is not None)


def _compare(found: Any, value: Any, test: Callable[[Any, Any], bool]) -> bool:
    if isinstance(found, bool) or isinstance(value, bool) or found is None:
        return False
    if isinstance(found, int | float) and isinstance(value, int | float):
        return test(found, value)
    return isinstance(found, str) and isinstance(value, str) and test(found, value)


OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda found, value: bool(found == value),
    "ne": lambda found, value: bool(found != value),
    "in": lambda found, value: found in value if isinstance(value, list) else False,
    "nin": lambda found, value: found not in value if isinstance(value, list) else False,
    "gt": lambda found, value: _compare(found, value, lambda a, b: a > b),
    "gte": lambda found, value: _compare(found, value, lambda a, b: a >= b),
    "lt": lambda found, value: _compare(found, value, lambda a, b: a < b),
    "lte": lambda found, value: _compare(found, value, lambda a, b: a <= b),
    "contains": lambda found, value: _has_text(found, value, fold=False),
    "icontains": lambda found, value: _has_text(found, value, fold=True),
}


def normalise(wanted: Any) -> dict[str, Any]:
    """The filter with names as they are known here (`userId` is `user_id`). Raises BadRequest."""
    if wanted is None:
        return {}
    if not isinstance(wanted, Mapping):
        raise BadRequest("filters must be an object")
    known: dict[str, Any] = {}
    for name, value in wanted.items():
        if name in ("AND", "OR", "NOT"):
            parts = _read_parts(name, value)
            known |= {name: parts} if parts else {}
            continue
        snake = _CAMEL.sub("_", name).lower()
        if snake not in FIELDS:
            raise BadRequest(f"Unknown field in filters: {name}")
        if snake == "metadata" and value == {}:
            continue
        _check_conditions(snake, value)
        known[snake] = value
    return known


def _check_conditions(name: str, value: Any) -> None:
    """Raise BadRequest for an operator that is not known, and for an object without any: it would fit everything."""
    if name == "metadata":
        is_empty = isinstance(value, Mapping) and {} in value.values()
        unknown: list[str] = []
    else:
        is_empty = value == {}
        unknown = [one for one in value if one not in OPERATORS] if isinstance(value, Mapping) else []
    if is_empty:
        raise BadRequest(f"{name} in filters needs a condition")
    if unknown:
        raise BadRequest(f"Unknown operator in filters: {unknown[0]}")


def _read_parts(name: str, value: Any) -> list[dict[str, Any]]:
    """The conditions of one of them. Empty ones say nothing beside others; anywhere else they would fit everything."""
    parts = [normalise(part) for part in (value if isinstance(value, list) else [value])]
    if name != "AND" and not (parts and all(parts)):
        raise BadRequest(f"{name} in filters needs conditions")
    return [part for part in parts if part]


def fits(memory: Mapping[str, Any], wanted: Filter) -> bool:
    """Whether a memory passes. Fields beside each other must all fit."""
    for name, value in wanted.items():
        if name == "AND":
            if not all(fits(memory, part) for part in value):
                return False
        elif name == "OR":
            if not any(fits(memory, part) for part in value):
                return False
        elif name == "NOT":
            if any(fits(memory, part) for part in value):
                return False
        elif not _fits_field(memory, name, value):
            return False
    return True


def _fits_field(memory: Mapping[str, Any], name: str, value: Any) -> bool:
    if name == "metadata":
        own = memory.get("metadata") or {}
        return isinstance(value, Mapping) and all(_fits_value(own.get(key), part) for key, part in value.items())
    if name == "memory_ids":
        return memory["id"] in (value if isinstance(value, list) else [value])
    found = memory.get("created_at" if name == "timestamp" else name)
    if name in ("categories", "keywords"):
        return _fits_value(memory["memory"] if name == "keywords" else found or [], value)
    return _fits_value(found, value)


def _fits_value(found: Any, value: Any) -> bool:
    if value == ANY:
        return found is not None
    if isinstance(value, Mapping):
        return all(OPERATORS[name](found, part) if name in OPERATORS else False for name, part in value.items())
    return bool(found == value)


def is_named(wanted: Filter) -> bool:
    """Whether a filter says whose memories are meant, if only by `*`, or which; what NOT leaves over names nobody."""
    return any(_is_naming(name, value) for name, value in wanted.items())


def _is_naming(name: str, value: Any) -> bool:
    """Not by null or nothing, as a variable sends that is not set, nor by what `ne`, `nin` or a range leaves over."""
    if name in ("AND", "OR"):
        return (any if name == "AND" else all)(map(is_named, value))
    if name not in _NAMING:
        return False
    if not isinstance(value, Mapping):
        return bool(value) or value == []
    listed = value.get("in")
    is_listed = isinstance(listed, list) and None not in listed
    return is_listed or any(value.get(one) for one in ("eq", "contains", "icontains"))


def find_users(wanted: Filter) -> frozenset[str] | None:
    """The users that a filter can be about: names, or None where it does not say."""
    found: frozenset[str] | None = None
    for name, value in wanted.items():
        part = _find_of(name, value)
        if part is not None:
            found = part if found is None else found & part
    return found


def _find_of(name: str, value: Any) -> frozenset[str] | None:
    if name == "AND":
        return find_users_of_all(value)
    if name == "OR":
        parts = [find_users(part) for part in value]
        return None if any(part is None for part in parts) or not parts else frozenset().union(*(p for p in parts if p))
    if name != "user_id" or value == ANY:
        return None
    if isinstance(value, str):
        return frozenset([value])
    if isinstance(value, Mapping):
        if isinstance(value.get("eq"), str):
            return frozenset([value["eq"]])
        if isinstance(value.get("in"), list):
            return frozenset(map(str, value["in"]))
    return None


def find_users_of_all(parts: Sequence[Filter]) -> frozenset[str] | None:
    """Of conditions that hold together."""
    found: frozenset[str] | None = None
    for part in parts:
        named = find_users(part)
        if named is not None:
            found = named if found is None else found & named
    return found
