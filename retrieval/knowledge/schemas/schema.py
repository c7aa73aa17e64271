"""Schemas of corpora: which types and edges there are. They are data: shipped files, or what a tenant sends. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from retrieval.knowledge.errors import InvalidSchema
from retrieval.knowledge.graph.paths import read_edge_kinds
from retrieval.knowledge.planning.intents import InvalidPlan, read_intents

SHIPPED: Final = ("documents", "portfolio")
OWN: Final = "own"
MAX_TYPES: Final = 200
MAX_EDGES: Final = 1_000
MAX_INTENTS: Final = 2_000

TypeName = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[^\s:<][^:\x00-\x1f]*$")]
EdgeKind = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[^\s<][^\x00-\x1f]*$")]


class EdgeRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of edge with the types at its ends, and the name of its way back."""

    kind: Annotated[EdgeKind, Meta(description="Its name in paths.")]
    from_types: Annotated[TypeName | list[TypeName], Meta(description="The types it starts at.")] = msgspec.field(
        name="from"
    )
    to_types: Annotated[TypeName | list[TypeName], Meta(description="The types it ends at.")] = msgspec.field(name="to")
    inverse: Annotated[EdgeKind | None, Meta(description="The name of its way back.")] = None


class SchemaBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A schema as it is sent."""

    types: Annotated[list[TypeName], Meta(max_length=MAX_TYPES, description="Types of records.")] = []
    edges: Annotated[list[EdgeRule], Meta(max_length=MAX_EDGES, description="Which edges there may be.")] = []
    intents: Annotated[
        list[dict[str, Any]], Meta(max_length=MAX_INTENTS, description="Kinds of questions, and the paths that answer.")
    ] = []


def build_schema(sent: str | SchemaBody) -> tuple[str, dict[str, Any]]:
    """(name, the schema with every list written out). Raises InvalidSchema."""
    if isinstance(sent, str):
        if sent not in SHIPPED:
            raise InvalidSchema(fields={"schema": f"must be one of {', '.join(SHIPPED)}, or an object"})
        return sent, _write_out(_read_shipped(sent))
    _check(sent)
    written = _write_out(sent)
    try:
        read_intents(written["intents"], read_edge_kinds(written))
    except InvalidPlan as error:
        raise InvalidSchema(fields={f"schema.{name}": text for name, text in error.fields.items()}) from None
    return OWN, written


def find_problem(schema: Mapping[str, Any], *, kind: str, source: str, target: str) -> str | None:
    """Why an edge is not in a schema, as a code, or None. A schema without types takes every edge."""
    if not schema["types"]:
        return None
    rules = [rule for rule in schema["edges"] if rule["kind"] == kind]
    if not rules:
        return "unknown_edge"
    fits = any(source in rule["from"] and target in rule["to"] for rule in rules)
    return None if fits else "edge_between_wrong_types"


def find_target_type(schema: Mapping[str, Any], *, kind: str, source: str) -> str | None:
    """The type at the other end of an edge, where the schema leaves only one."""
    types = {to for rule in schema["edges"] if rule["kind"] == kind and source in rule["from"] for to in rule["to"]}
    return types.pop() if len(types) == 1 else None


@cache
def _read_shipped(name: str) -> SchemaBody:
    return msgspec.json.decode((Path(__file__).parent / f"{name}.json").read_bytes(), type=SchemaBody)


def _write_out(schema: SchemaBody) -> dict[str, Any]:
    edges = [
        {"kind": rule.kind, "from": _list(rule.from_types), "to": _list(rule.to_types), "inverse": rule.inverse}
        for rule in schema.edges
    ]
    return {"types": list(dict.fromkeys(schema.types)), "edges": edges, "intents": list(schema.intents)}


def _check(schema: SchemaBody) -> None:
    types, kinds = set(schema.types), {rule.kind for rule in schema.edges}
    inverses: dict[str, str | None] = {}
    for place, rule in enumerate(schema.edges):
        for name, ends in (("from", rule.from_types), ("to", rule.to_types)):
            unknown = [end for end in _list(ends) if end not in types]
            if unknown or not _list(ends):
                raise InvalidSchema(fields={f"schema.edges[{place}].{name}": "names a type that is not in types"})
        if rule.inverse in kinds:
            raise InvalidSchema(fields={f"schema.edges[{place}].inverse": "is the kind of another edge"})
        if inverses.setdefault(rule.kind, rule.inverse) != rule.inverse:
            raise InvalidSchema(fields={f"schema.edges[{place}].inverse": "differs from another rule of this kind"})


def _list(ends: str | list[str]) -> list[str]:
    return [ends] if isinstance(ends, str) else list(dict.fromkeys(ends))
