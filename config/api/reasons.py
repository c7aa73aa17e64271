"""What is wrong with a value, as a sentence that follows the name of its field: "must be at most 200".

The decoder names its own types ("Expected `int` <= 200"). A caller thinks in JSON, and reads this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

BAD_TIME: Final = "Invalid RFC3339 encoded datetime"
_JSON_NAMES: Final = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
    "datetime": "a time",
    "uuid": "a UUID",
}
_LIKE: Final = "such as 2026-01-31T18:30:00+04:00"
_SIGNS: Final = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than", "==": "exactly"}
_INDEX: Final = re.compile(r"\[\d*\.*\]")


def explain(reason: str, *, body_type: Any, path: str) -> str:
    """The decoder's words about the value at `path` of a body, said plainly. Words that nobody foresaw stay."""
    if reason.startswith("Invalid enum value"):
        allowed = list_allowed(body_type, path)
        return f"must be one of: {', '.join(allowed)}" if allowed else "is not one of the allowed values"
    for pattern, say in _SENTENCES:
        if found := pattern.match(reason):
            return say(found)
    return reason.replace("`", "'")


def list_allowed(body_type: Any, path: str) -> list[str]:
    """The values that the field at `path` may have, in their order; empty where that is no list of values."""
    kinds = [msgspec.inspect.type_info(body_type)]
    for name in _INDEX.sub("", path).split("."):
        kinds = [field.type for kind in kinds for part in _open(kind) for field in _list_fields(part, name)]
    return [str(value) for kind in kinds for part in _open(kind) for value in getattr(part, "values", ())]


def _open(kind: Any) -> Iterator[Any]:
    """The kind without what wraps it: metadata, lists, alternatives."""
    if isinstance(kind, msgspec.inspect.Metadata):
        yield from _open(kind.type)
    elif isinstance(kind, msgspec.inspect.UnionType):
        for one in kind.types:
            yield from _open(one)
    elif isinstance(kind, msgspec.inspect.CollectionType):
        yield from _open(kind.item_type)
    else:
        yield kind


def _list_fields(kind: Any, name: str) -> list[Any]:
    fields = kind.fields if isinstance(kind, msgspec.inspect.StructType) else ()
    return [field for field in fields if field.encode_name == name]


def _say_length(found: re.Match[str]) -> str:
    is_text = "`str`" in found[0]
    limit = int(found["limit"])
    if found["how"] == ">=" and limit == 1:
        return "must not be empty"
    unit = "character" if is_text else "item"
    return f"must have {_SIGNS[found['how']]} {limit} {unit}{'' if limit == 1 else 's'}"


def _say_bound(found: re.Match[str]) -> str:
    return f"must be {_SIGNS[found['how']]} {found['limit']}"


def _say_type(found: re.Match[str]) -> str:
    wanted = [_JSON_NAMES.get(name, name) for name in found["types"].split(" | ") if name != "null"]
    got = "a decimal number" if found["got"] == "float" else _JSON_NAMES.get(found["got"], found["got"])
    return f"must be {' or '.join(wanted)}, not {got}"


_SENTENCES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r"Expected `(?:str|array|object)` of length (?P<how>[<>=]+) (?P<limit>\d+)"), _say_length),
    (re.compile(r"Expected `(?P<type>int|float)` (?P<how>[<>=]+) (?P<limit>[-\d.e+]+)"), _say_bound),
    (re.compile(r"Expected `datetime` with a timezone component"), lambda m: f"must name its offset from UTC, {_LIKE}"),
    (re.compile(BAD_TIME), lambda m: f"must be a time in ISO 8601 with an offset, {_LIKE}"),
    (re.compile(r"Invalid UUID"), lambda m: "must be a UUID"),
    (re.compile(r"Expected `str` matching regex (?P<pattern>.*)"), lambda m: f"must match the pattern {m['pattern']}"),
    (re.compile(r"Expected `(?P<types>[^`]+)`, got `(?P<got>[^`]+)`"), _say_type),
    (re.compile(r"(?:Integer|Number) (?:value )?out of range"), lambda m: "is a number out of range"),
)
