"""The words of a document that a search reads: of all of its fields, or of those at given paths. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from memory.errors import InvalidRequest

WHOLE: Final = "$"
MAX_PATHS: Final = 32
_STEP: Final = re.compile(r"([^.\[\]]+)|\[(\*|-?\d{1,6})\]")
_PATH: Final = re.compile(r"(?:[^.\[\]]+|\[(?:\*|-?\d{1,6})\])(?:\.[^.\[\]]+|\[(?:\*|-?\d{1,6})\])*")


def check_paths(paths: Sequence[str]) -> None:
    """Raise InvalidRequest for what is no path: `a.b`, `a[0].b`, `a[*].b`, or `$` for the whole document."""
    if len(paths) > MAX_PATHS:
        raise InvalidRequest(fields={"index": f"must have at most {MAX_PATHS} paths"})
    for place, path in enumerate(paths):
        if path != WHOLE and not _PATH.fullmatch(path):
            raise InvalidRequest(fields={f"index[{place}]": "must be a path such as title or parts[*].text"})


def write_text(value: Mapping[str, Any], *, paths: Sequence[str] | None) -> str:
    """The words at the paths, a line each; of the whole document with the names of its fields. Empty for none."""
    wanted = (WHOLE,) if paths is None else paths
    lines: list[str] = []
    for path in wanted:
        found = [value] if path == WHOLE else list(_find(value, _read_path(path)))
        lines += [line for each in found for line in _list_lines(each)]
    return "\n".join(lines)


def _read_path(path: str) -> list[str | int]:
    steps: list[str | int] = []
    for name, place in _STEP.findall(path):
        steps.append(name or (place if place == "*" else int(place)))
    return steps


def _find(value: Any, steps: Sequence[str | int]) -> Iterator[Any]:
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if step == "*":
        parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
        for part in parts:
            yield from _find(part, rest)
    elif isinstance(step, int):
        if isinstance(value, list) and -len(value) <= step < len(value):
            yield from _find(value[step], rest)
    elif isinstance(value, Mapping) and step in value:
        yield from _find(value[step], rest)


def _list_lines(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            for line in _list_lines(part):
                yield f"{name.replace('_', ' ')}: {line}"
    elif isinstance(value, list):
        for part in value:
            yield from _list_lines(part)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
