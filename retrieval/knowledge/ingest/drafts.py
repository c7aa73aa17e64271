"""Records looked at before anything is written: types, edges, references, periods. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from dateutil.relativedelta import relativedelta

from retrieval.knowledge.entities.patterns import list_alias_keys
from retrieval.knowledge.entities.words import fold_name
from retrieval.knowledge.errors import ItemRefused
from retrieval.knowledge.ingest.types import (
    MAX_ALIASES,
    MAX_EDGES,
    EdgeBody,
    EdgeDraft,
    RecordBody,
    RecordDraft,
    Reference,
)
from retrieval.knowledge.schemas.schema import find_problem, find_target_type

MAX_KEY: Final = 200
_HASH_LETTERS: Final = 12
_PERIOD: Final = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2}))?)?")
_MESSAGES: Final = {
    "unknown_edge": "The schema has no edge of this kind.",
    "edge_between_wrong_types": "The schema has no edge of this kind between these types.",
}


def make_key(name: str) -> str:
    """The key that a name gives: its folded words joined by dashes; equal names have equal keys."""
    key = (fold_name(name) or name.strip().casefold()).replace(" ", "-")
    if len(key) <= MAX_KEY:
        return key
    digest = hashlib.sha256(key.encode()).hexdigest()[:_HASH_LETTERS]
    return f"{key[: MAX_KEY - _HASH_LETTERS - 1]}-{digest}"


def fold_reference(name: str) -> str:
    """A name as references are compared by it."""
    return fold_name(name) or name.strip().casefold()


def draft_record(body: RecordBody, schema: Mapping[str, Any]) -> RecordDraft:
    """A record that may be written. Raises ItemRefused with a code, and the place of what is wrong."""
    if not body.name.strip():
        raise ItemRefused("invalid_request", "A record needs a name.", name="is blank")
    if schema["types"] and body.type not in schema["types"]:
        raise ItemRefused("unknown_type", "The schema does not have this type.", type="is not a type of the schema")
    if len(body.aliases or ()) > MAX_ALIASES:
        raise ItemRefused("too_many_aliases", f"A record has at most {MAX_ALIASES} aliases.", aliases="are too many")
    if len(body.edges or ()) > MAX_EDGES:
        raise ItemRefused("too_many_edges", f"A record has at most {MAX_EDGES} edges.", edges="are too many")
    edges = tuple(_draft_edge(body, edge, place, schema) for place, edge in enumerate(body.edges or ()))
    key = body.key.strip() if body.key else make_key(body.name)
    if not key:
        raise ItemRefused("invalid_request", "A key needs a letter.", key="is blank")
    return RecordDraft(body=body, key=key, edges=edges, warnings=tuple(_list_warnings(body, key, edges)))


def refer(*, type: str, key: str | None, name: str | None) -> Reference:
    """A reference by key where there is one, otherwise by name."""
    if key:
        return Reference(f"k:{type}:{key.strip()}", type, key.strip(), name or "", False)
    name = name or ""
    return Reference(f"n:{type}:{fold_reference(name)}", type, make_key(name), name.strip(), True)


def list_own_references(*, type: str, key: str, names: list[str]) -> set[str]:
    """Every reference that may mean a record of this key and these names."""
    by_name = {f"n:{type}:{fold_reference(name)}" for name in names}
    return {f"k:{type}:{key}", f"n:{type}:{key.replace('-', ' ')}", *by_name}


def list_names(body: Mapping[str, Any]) -> list[str]:
    """The names of a record that was stored."""
    return [body["name"], *(body.get("aliases") or ())]


def _draft_edge(body: RecordBody, edge: EdgeBody, place: int, schema: Mapping[str, Any]) -> EdgeDraft:
    where = f"edges[{place}]"
    target = edge.to.type or find_target_type(schema, kind=edge.kind, source=body.type)
    if not (edge.to.key or "").strip() and not (edge.to.name or "").strip():
        raise ItemRefused(
            "invalid_request", "An edge needs the key or the name of its other end.", **{f"{where}.to": "is required"}
        )
    if target is None:
        problem = find_problem(schema, kind=edge.kind, source=body.type, target="")
        code = "unknown_edge" if problem == "unknown_edge" else "invalid_request"
        message = _MESSAGES.get(code, "An edge needs the type of its other end.")
        raise ItemRefused(code, message, **{f"{where}.to.type": "is required"})
    problem = find_problem(schema, kind=edge.kind, source=body.type, target=target)
    if problem:
        raise ItemRefused(problem, _MESSAGES[problem], **{where: "is not in the schema"})
    since = _read_moment(edge.valid_from, f"{where}.valid_from", is_end=False)
    until = _read_moment(edge.valid_to, f"{where}.valid_to", is_end=True)
    if since and until and until <= since:
        raise ItemRefused(
            "invalid_request", "An edge must end after it begins.", **{f"{where}.valid_to": "is before valid_from"}
        )
    to = refer(type=target, key=(edge.to.key or "").strip() or None, name=edge.to.name)
    return EdgeDraft(edge.kind, to, place, since, until)


def _read_moment(text: str | None, where: str, *, is_end: bool) -> datetime | None:
    """The moment that a period begins, or from which on it no longer holds: a day, month or year holds to its end."""
    if not text:
        return None
    try:
        period = _PERIOD.fullmatch(text.strip())
        if not period:
            moment = datetime.fromisoformat(text.strip())
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        start = datetime(int(period["year"]), int(period["month"] or 1), int(period["day"] or 1), tzinfo=UTC)
        if not is_end:
            return start
        if period["day"]:
            return start + timedelta(days=1)
        return start + (relativedelta(months=1) if period["month"] else relativedelta(years=1))
    except (ValueError, OverflowError):
        raise ItemRefused(
            "invalid_request", "A date must be an ISO 8601 year, month, day or moment.", **{where: "is not a date"}
        ) from None


def _list_warnings(body: RecordBody, key: str, edges: tuple[EdgeDraft, ...]) -> list[Mapping[str, str]]:
    warnings: list[Mapping[str, str]] = []
    for place, alias in enumerate(body.aliases or ()):
        if not list_alias_keys(alias):
            warnings.append(warn("alias_is_a_stop_word", f"aliases[{place}]"))
    if not list_alias_keys(body.name):
        warnings.append(warn("name_is_a_stop_word", "name"))
    own = list_own_references(type=body.type, key=key, names=[body.name])
    warnings += [warn("edge_to_itself", f"edges[{edge.ordinal}]") for edge in edges if edge.to.text in own]
    return warnings


_WARNINGS: Final = {
    "alias_is_a_stop_word": "This alias is a stop word or has no letter: it is kept and names nothing in a text.",
    "name_is_a_stop_word": "This name is a stop word or has no letter: texts name the entity by its aliases alone.",
    "edge_to_itself": "This edge leads from the record to itself.",
    "bare_target": "No record describes the other end of this edge yet: a bare node stands for it.",
    "ambiguous_target": "Several records have this name: a bare node stands for the other end. Give its key.",
    "cycle": "Edges of this kind lead back to the record.",
    "empty_text": "This document has no text: it is found by its title alone.",
}


def warn(code: str, field: str) -> Mapping[str, str]:
    """A warning as callers see it."""
    return {"code": code, "field": field, "message": _WARNINGS[code]}
