"""Intents: rows of a plan that say which words ask for which path (D-45). Pure; the rows are data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from memory.errors import InvalidRequest
from retrieval.knowledge.graph.paths import (
    EdgeKinds,
    Path,
    UnknownEdge,
    find_start_types,
    fits_together,
    read_path,
)

NAMED: Final = "named"
_ONLY: Final = re.compile(r"only\(\s*(?P<type>[^()]+?)\s*\)")
NOW: Final = "now"
MAX_INTENTS: Final = 5_000
MAX_TRIGGERS: Final = 5_000
MAX_TRIGGER_CHARACTERS: Final = 300
KNOWN_FIELDS: Final = frozenset({
    "name", "triggers", "unless", "start", "path", "where", "answer_type", "languages", "select", "as_of", "limit",
    "types", "note",
})  # fmt: skip


class InvalidPlan(InvalidRequest):
    """An intent is not what D-45 describes; `fields` names the intent and what is wrong with it."""

    code = "invalid_plan"
    default_message = "The plan is not valid."


@dataclass(frozen=True, slots=True)
class Intent:
    """One row of a plan.

    `only_type` names the type whose single entity is the start; None: the start is named in the question. `paths` are
    walked from the start and their ends put together; None: text search answers.
    """

    name: str
    triggers: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    only_type: str | None = None
    start_types: frozenset[str] | None = None
    paths: tuple[Path, ...] | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    answer_type: str = ""
    languages: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    """Fields of the entity that are the answer, instead of its name."""
    is_current: bool = False
    """Only edges that are valid now, unless the caller names another time."""
    limit: int | None = None
    types: tuple[str, ...] = ()
    """Types of entities whose texts a text search may return."""

    @property
    def is_graph(self) -> bool:
        """Whether a path answers it."""
        return self.paths is not None

    def may_start_at(self, entity_type: str) -> bool:
        """Whether an entity of the type may be the start."""
        if self.only_type is not None:
            return entity_type == self.only_type
        return self.start_types is None or entity_type in self.start_types


def read_intents(rows: Sequence[Mapping[str, Any]], kinds: EdgeKinds) -> tuple[Intent, ...]:
    """The intents of a plan. Raises InvalidPlan naming the first that is wrong, by its place and name."""
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise InvalidPlan(fields={"intents": "must be a list"})
    if len(rows) > MAX_INTENTS:
        raise InvalidPlan(fields={"intents": f"must not be more than {MAX_INTENTS}"})
    return tuple(_read_intent(row, f"intents[{place}]", kinds) for place, row in enumerate(rows))


def _read_intent(row: Mapping[str, Any], at: str, kinds: EdgeKinds) -> Intent:
    if not isinstance(row, Mapping):
        raise InvalidPlan(fields={at: "must be an object"})
    if unknown := row.keys() - KNOWN_FIELDS:
        raise InvalidPlan(fields={f"{at}.{min(map(str, unknown))}": "is not a field of an intent"})
    name = row.get("name")
    if not isinstance(name, str) or not name.strip() or len(name) > 80:
        raise InvalidPlan(fields={f"{at}.name": "must be text of 1 to 80 characters"})
    only_type, named_types = _read_start(row.get("start", NAMED), at)
    paths = _read_paths(row.get("path"), at, kinds)
    return Intent(
        name=name.strip(),
        triggers=_read_triggers(row.get("triggers"), f"{at}.triggers"),
        unless=_read_triggers(row.get("unless"), f"{at}.unless"),
        only_type=only_type,
        start_types=named_types or _find_starts(paths, kinds),
        paths=paths,
        where=_read_where(row.get("where"), at),
        answer_type=_read_text(row.get("answer_type"), f"{at}.answer_type"),
        languages=_read_names(row.get("languages"), f"{at}.languages"),
        select=_read_names(row.get("select"), f"{at}.select"),
        is_current=row.get("as_of") == NOW,
        limit=row.get("limit") if isinstance(row.get("limit"), int) else None,
        types=_read_names(row.get("types"), f"{at}.types"),
    )


def _read_start(value: Any, at: str) -> tuple[str | None, frozenset[str] | None]:
    """`named`, `named(Type, Other)` or `only(Type)`."""
    text = value.strip() if isinstance(value, str) else ""
    if text == NAMED:
        return None, None
    if match := _ONLY.fullmatch(text):
        return match["type"], None
    if text.startswith(f"{NAMED}(") and text.endswith(")"):
        types = [name.strip() for name in text[len(NAMED) + 1 : -1].split(",") if name.strip()]
        return None, frozenset(types)
    raise InvalidPlan(fields={f"{at}.start": "must be named, named(Type) or only(Type)"})


def _read_paths(value: Any, at: str, kinds: EdgeKinds) -> tuple[Path, ...] | None:
    """None, a list of steps, or a list of such lists."""
    if value is None:
        return None
    if not isinstance(value, list):
        raise InvalidPlan(fields={f"{at}.path": "must be a list of edge kinds"})
    lists = value if value and all(isinstance(part, list) for part in value) else [value]
    paths = []
    for steps in lists:
        if not all(isinstance(step, str) for step in steps):
            raise InvalidPlan(fields={f"{at}.path": "must be a list of edge kinds"})
        try:
            path = read_path(steps, kinds)
        except UnknownEdge as error:
            raise InvalidPlan(fields={f"{at}.{name}": text for name, text in error.fields.items()}) from None
        if not fits_together(path, kinds):
            raise InvalidPlan(fields={f"{at}.path": "has a step that cannot begin where the previous one ends"})
        paths.append(path)
    return tuple(paths)


def _find_starts(paths: tuple[Path, ...] | None, kinds: EdgeKinds) -> frozenset[str] | None:
    starts = [find_start_types(path, kinds) for path in paths or ()]
    if not starts or None in starts:
        return None
    return frozenset().union(*(each for each in starts if each))


def _read_triggers(value: Any, at: str) -> tuple[str, ...]:
    """A list, or lists by language."""
    if isinstance(value, Mapping):
        value = [one for part in value.values() for one in (part if isinstance(part, list) else [part])]
    triggers = _read_names(value, at)
    if len(triggers) > MAX_TRIGGERS or any(len(one) > MAX_TRIGGER_CHARACTERS for one in triggers):
        raise InvalidPlan(fields={at: "are too many, or one of them is too long"})
    return triggers


def _read_names(value: Any, at: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise InvalidPlan(fields={at: "must be a list of texts"})
    return tuple(one.strip() for one in value)


def _read_where(value: Any, at: str) -> Mapping[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise InvalidPlan(fields={f"{at}.where": "must be an object of fields and values"})
    return dict(value)


def _read_text(value: Any, at: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidPlan(fields={at: "must be text"})
    return value.strip()
