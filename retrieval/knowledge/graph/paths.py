"""Path templates: steps over typed edges, each of them forwards or backwards. Pure (SPEC N-4, D-48)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory.errors import InvalidRequest

BACKWARDS: Final = "<"
MAX_STEPS: Final = 6


class UnknownEdge(InvalidRequest):
    """A path names an edge that the schema of the corpus does not have, or a step that does not fit the one before."""

    code = "unknown_edge"
    default_message = "The path names an edge that this corpus does not have."


@dataclass(frozen=True, slots=True)
class EdgeKind:
    """An edge of a schema: from which types to which. No types: any."""

    kind: str
    sources: frozenset[str]
    targets: frozenset[str]
    inverse: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: over edges of a kind, or back over them."""

    kind: str
    is_backwards: bool = False

    def __str__(self) -> str:
        return f"{BACKWARDS if self.is_backwards else ''}{self.kind}"


Path = tuple[Step, ...]


class EdgeKinds(dict[str, EdgeKind]):
    """The edges of a schema by kind. `is_open`: a schema without types, which takes edges of any kind."""

    is_open: bool = False


def read_edge_kinds(schema: Mapping[str, Any]) -> EdgeKinds:
    """The edges of a corpus's schema by kind."""
    kinds = EdgeKinds()
    kinds.is_open = not schema.get("types")
    for edge in schema.get("edges", ()):
        kinds[edge["kind"]] = EdgeKind(
            kind=edge["kind"],
            sources=frozenset(_list_names(edge.get("from"))),
            targets=frozenset(_list_names(edge.get("to"))),
            inverse=edge.get("inverse") or "",
        )
    return kinds


def read_path(names: Sequence[str], kinds: EdgeKinds) -> Path:
    """The steps of a path as it is written: a kind, "<" before it or the name of its inverse for the way back.

    Raises UnknownEdge with the place of the step that is not in the schema.
    """
    if len(names) > MAX_STEPS:
        raise InvalidRequest(fields={"path": f"has more than {MAX_STEPS} steps"})
    inverses = {edge.inverse: edge.kind for edge in kinds.values() if edge.inverse}
    return tuple(_read_step(name.strip(), kinds, inverses, place) for place, name in enumerate(names))


def find_start_types(path: Path, kinds: EdgeKinds) -> frozenset[str] | None:
    """The types at which a path may begin; None where any may."""
    return _find_end(path[0], kinds, is_start=True) if path else None


def find_end_types(path: Path, kinds: EdgeKinds) -> frozenset[str] | None:
    """The types at which a path may end; None where any may."""
    return _find_end(path[-1], kinds, is_start=False) if path else None


def fits_together(path: Path, kinds: EdgeKinds) -> bool:
    """Whether each step may begin where the one before ends."""
    for before, after in itertools.pairwise(path):
        ends, starts = _find_end(before, kinds, is_start=False), _find_end(after, kinds, is_start=True)
        if ends and starts and not ends & starts:
            return False
    return True


def _find_end(step: Step, kinds: EdgeKinds, *, is_start: bool) -> frozenset[str] | None:
    edge = kinds.get(step.kind)
    if edge is None:
        return None
    return (edge.sources if is_start is not step.is_backwards else edge.targets) or None


def _read_step(name: str, kinds: EdgeKinds, inverses: Mapping[str, str], place: int) -> Step:
    is_backwards = name.startswith(BACKWARDS)
    kind = name.removeprefix(BACKWARDS).strip()
    if kind in kinds:
        return Step(kind, is_backwards)
    if kind in inverses:
        return Step(inverses[kind], not is_backwards)
    if kinds.is_open and kind:
        return Step(kind, is_backwards)
    raise UnknownEdge(fields={f"path[{place}]": "is not an edge of the schema of this corpus"})


def _list_names(names: str | Iterable[str] | None) -> list[str]:
    if not names:
        return []
    return [names] if isinstance(names, str) else list(names)
