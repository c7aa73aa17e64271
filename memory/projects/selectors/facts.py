"""Facts, read: those that hold, held at a moment, or were thought to hold then (SPEC J-1)."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.projects.selectors.projects import name_items
from memory.projects.selectors.sources import Reader, list_evidence, read_sources
from memory.projects.types import NOW, FactView, ProjectRef, SourceView, When
from memory.projects.words import FACT, ProjectWords, list_lexemes

# Of the versions that were known, the newest that had begun is the one that held: a later version that begins later
# leaves what was so before it.
_HELD: Final = """
SELECT DISTINCT ON (f.id) f.* FROM project_fact f
WHERE f.project_id = %(project_id)s AND f.valid_from <= %(as_of)s::timestamptz
  AND (%(known_at)s::timestamptz IS NULL OR f.known_from <= %(known_at)s::timestamptz)
ORDER BY f.id, f.version DESC
"""
_CURRENT: Final = "SELECT f.* FROM project_fact f WHERE f.project_id = %(project_id)s AND f.known_to IS NULL"
COLUMNS: Final = (
    "f.id, i.external_id, f.version, f.level, f.status, f.is_exclusive, f.valid_from, f.valid_to, f.known_from,"
    " f.known_to, f.origin, f.source_id, f.sealed"
)
# Visible while one of its sources is; what never had one is a hypothesis and is visible.
IS_VISIBLE: Final = """
(f.source_id IS NULL AND NOT EXISTS (
  SELECT FROM project_evidence e WHERE e.project_id = f.project_id AND e.fact_id = f.id)
 OR EXISTS (
  SELECT FROM project_evidence e JOIN project_source s ON s.project_id = e.project_id AND s.id = e.source_id
  WHERE e.project_id = f.project_id AND e.fact_id = f.id AND (s.message_id IS NULL OR NOT EXISTS (
    SELECT FROM memory_message m WHERE m.user_id = s.user_id AND m.id = s.message_id AND m.forgotten_at IS NOT NULL))))
"""
_CONTRADICTED: Final = """
SELECT c.left_id, c.right_id FROM project_conflict c
WHERE c.project_id = %(project_id)s AND c.status = 'open' AND (c.left_id = ANY(%(ids)s) OR c.right_id = ANY(%(ids)s))
"""

Evidence = Mapping[UUID, Sequence[UUID]]
"""The sources of facts, as `list_evidence` gives them."""


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Which facts. `state`: active (those that hold), refuted, ended or all."""

    entity: str | None = None
    level: str | None = None
    state: str = "active"
    since: datetime | None = None
    until: datetime | None = None
    authority: float | None = None


def list_facts(
    project: ProjectRef,
    *,
    wanted: FactFilter,
    when: When = NOW,
    now: datetime,
    reader: Reader,
    after: UUID | None = None,
    limit: int,
) -> list[FactView]:
    """Facts in the order in which they came first; at most `limit` after the given one."""
    values: dict[str, Any] = {
        "project_id": project.id, "as_of": when.as_of or when.known_at, "known_at": when.known_at, "limit": limit,
        "moment": when.as_of or when.known_at or now,
    }  # fmt: skip
    base = _CURRENT if when == NOW else _HELD
    conditions = _list_conditions(project, wanted, values)
    if after is not None:
        conditions.append("f.id > %(after)s")
        values["after"] = after
    statement = (
        f"SELECT {COLUMNS} FROM ({base}) f JOIN project_item i ON i.project_id = f.project_id AND i.id = f.id"
        f" WHERE {IS_VISIBLE} AND {' AND '.join(conditions)} ORDER BY f.id LIMIT %(limit)s"
    )
    return open_facts(project, fetch_rows(statement, _pick(statement, values)), reader=reader)


def _list_conditions(project: ProjectRef, wanted: FactFilter, values: dict[str, Any]) -> list[str]:
    has_ended = "(f.valid_to IS NOT NULL AND f.valid_to <= %(moment)s::timestamptz)"
    conditions = {
        "active": [f"f.status = 'active' AND NOT {has_ended}"],
        "refuted": ["f.status = 'refuted'"],
        "ended": [has_ended],
        "all": ["true"],
    }[wanted.state]
    if wanted.level:
        conditions.append("f.level = %(level)s")
        values["level"] = wanted.level
    if wanted.entity:
        conditions.append("f.terms @> %(terms)s::bigint[]")
        values["terms"] = find_terms(project, wanted.entity)
    if wanted.since:
        conditions.append("f.valid_from >= %(since)s")
        values["since"] = wanted.since
    if wanted.until:
        conditions.append("f.valid_from < %(until)s")
        values["until"] = wanted.until
    if wanted.authority is not None:
        conditions.append(
            "EXISTS (SELECT FROM project_evidence e"
            " JOIN project_source s ON s.project_id = e.project_id AND s.id = e.source_id"
            " WHERE e.project_id = f.project_id AND e.fact_id = f.id AND s.authority >= %(authority)s)"
        )
        values["authority"] = wanted.authority
    return conditions


def find_terms(project: ProjectRef, text: str) -> list[int]:
    """Numbers of the words that a text names something by; one that nothing has where it has no word."""
    words = ProjectWords(project)
    lexemes = [lexeme for lexeme in list_lexemes(text) if ":" not in lexeme[:2]]
    return sorted(words.number_lexemes(lexemes)) or [0]


def open_facts(
    project: ProjectRef, rows: Sequence[tuple[Any, ...]], *, reader: Reader, evidence: Evidence | None = None
) -> list[FactView]:
    """Rows of `COLUMNS` as values, less those that are not visible. `evidence`: of all of them, if it is known."""
    if not rows:
        return []
    if evidence is None:
        evidence = list_evidence(project, fact_ids=[row[0] for row in rows])
    cited = [one for row in rows for one in evidence.get(row[0], ())]
    views = read_sources(project, ids=cited, reader=reader)
    rows = [row for row in rows if is_supported(evidence.get(row[0], ()), views, source_id=row[11])]
    contradicted = list_contradicted(project, ids=[row[0] for row in rows])
    words = ProjectWords(project).open_all([row[12] for row in rows], purpose=FACT)
    return [
        _make_view(row, content, _order_sources(row, evidence, views), contradicted.get(row[0], ()))
        for row, content in zip(rows, words, strict=True)
    ]


def is_supported(evidence: Sequence[UUID], visible: Container[UUID], *, source_id: UUID | None) -> bool:
    """As `IS_VISIBLE`: one of its sources is visible, or it never had one."""
    return any(one in visible for one in evidence) or (not evidence and source_id is None)


def _order_sources(
    row: tuple[Any, ...], evidence: Mapping[UUID, Sequence[UUID]], views: Mapping[UUID, SourceView]
) -> tuple[SourceView, ...]:
    """The visible sources, the one of the version first."""
    found = [views[one] for one in evidence.get(row[0], ()) if one in views]
    return tuple(sorted(found, key=lambda source: (source.id != row[11], source.dated, source.id)))


def _make_view(
    row: tuple[Any, ...], content: Mapping[str, Any], sources: tuple[SourceView, ...], contradicted: Sequence[str]
) -> FactView:
    return FactView(
        id=row[0], external_id=row[1], version=row[2], level=row[3], status=row[4], subject=content["subject"],
        value=content["value"], is_exclusive=row[5], valid_from=row[6], valid_to=row[7], known_from=row[8],
        known_to=row[9], origin=row[10], sources=sources, contradicts=tuple(contradicted),
    )  # fmt: skip


def list_contradicted(project: ProjectRef, *, ids: Sequence[UUID]) -> dict[UUID, list[str]]:
    """Of each item the caller's ids of those that contradict it, in unresolved contradictions."""
    found: dict[UUID, list[str]] = {}
    wanted = set(ids)
    if not wanted:
        return {}
    pairs = fetch_rows(_CONTRADICTED, {"project_id": project.id, "ids": list(ids)})
    names = name_items(project, ids=[id for pair in pairs for id in pair])
    for left, right in pairs:
        if left in wanted:
            found.setdefault(left, []).append(names[right][1])
        if right in wanted:
            found.setdefault(right, []).append(names[left][1])
    return {id: sorted(names) for id, names in found.items()}


def get_facts(project: ProjectRef, *, ids: Sequence[UUID], reader: Reader) -> list[FactView]:
    """The current versions of some facts, in the order asked for; those that are not visible are left out."""
    statement = (
        f"SELECT {COLUMNS} FROM project_fact f JOIN project_item i ON i.project_id = f.project_id AND i.id = f.id"
        f" WHERE f.project_id = %(project_id)s AND f.known_to IS NULL AND f.id = ANY(%(ids)s) AND {IS_VISIBLE}"
    )
    found = open_facts(project, fetch_rows(statement, {"project_id": project.id, "ids": list(ids)}), reader=reader)
    by_id = {fact.id: fact for fact in found}
    return [by_id[id] for id in ids if id in by_id]


# Each table is read once by its own key, whatever the planner knows of it: a join over tables without statistics, as
# after an import, compares every row with every row.
_VERSIONS: Final = f"""
WITH f AS MATERIALIZED (SELECT * FROM project_fact WHERE project_id = %(project_id)s AND id = ANY(%(ids)s)),
i AS MATERIALIZED (SELECT id, external_id FROM project_item WHERE project_id = %(project_id)s AND id = ANY(%(ids)s))
SELECT {COLUMNS} FROM f JOIN i ON i.id = f.id ORDER BY f.id
"""


def open_fact_versions(
    project: ProjectRef,
    wanted: Sequence[tuple[UUID, int]],
    *,
    reader: Reader,
    evidence: Evidence | None = None,
) -> list[FactView]:
    """Versions of facts by id and number, current or not, with the sources that they have now."""
    return open_facts(project, _read_versions(project, wanted), reader=reader, evidence=evidence)


def open_bare_versions(project: ProjectRef, wanted: Sequence[tuple[UUID, int]]) -> list[FactView]:
    """As `open_fact_versions`, visible or not, without sources and contradictions."""
    rows = _read_versions(project, wanted)
    words = ProjectWords(project).open_all([row[12] for row in rows], purpose=FACT)
    return [_make_view(row, content, (), ()) for row, content in zip(rows, words, strict=True)]


def _read_versions(project: ProjectRef, wanted: Sequence[tuple[UUID, int]]) -> list[tuple[Any, ...]]:
    if not wanted:
        return []
    keys = set(wanted)
    rows = fetch_rows(_VERSIONS, {"project_id": project.id, "ids": list(dict.fromkeys(id for id, _ in wanted))})
    return [row for row in rows if (row[0], row[2]) in keys]


def _pick(statement: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if f"%({name})s" in statement}
