"""Decisions with the state that holds, or held at a moment, and the history of states (SPEC J-1, D-53)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.projects.selectors.facts import find_terms, list_contradicted
from memory.projects.selectors.projects import name_items
from memory.projects.selectors.sources import Reader, list_authorities, read_sources
from memory.projects.types import NOW, DecisionView, ProjectRef, SourceView, StateView, When
from memory.projects.words import DECISION, STATE, ProjectWords

# The words as they were known; the state that had begun last, as far as it was known. What has not begun yet is shown
# with its first state, but not to somebody who asks for a moment before it.
_HELD: Final = """
SELECT d.id, i.external_id, d.version, d.sealed, d.decided_at, d.known_from, d.origin, d.source_id, d.is_source_erased,
  st.position, d.terms, st.state, d.project_id, st.at
FROM project_item i
JOIN LATERAL (
  SELECT * FROM project_decision d WHERE d.project_id = i.project_id AND d.id = i.id
    AND (CASE WHEN %(known_at)s::timestamptz IS NULL THEN d.known_to IS NULL
              ELSE d.known_from <= %(known_at)s::timestamptz END)
  ORDER BY d.version DESC LIMIT 1) d ON true
JOIN LATERAL (
  SELECT s.position, s.state, s.at FROM project_decision_state s
  WHERE s.project_id = i.project_id AND s.decision_id = i.id
    AND (s.at <= %(moment)s::timestamptz OR NOT %(is_past)s::boolean)
    AND (CASE WHEN %(known_at)s::timestamptz IS NULL THEN s.known_to IS NULL
              ELSE s.known_from <= %(known_at)s::timestamptz
               AND (s.known_to IS NULL OR s.known_to > %(known_at)s::timestamptz) END)
  ORDER BY s.at <= %(moment)s::timestamptz DESC,
    CASE WHEN s.at <= %(moment)s::timestamptz THEN s.at END DESC NULLS LAST, s.at,
    CASE WHEN s.at <= %(moment)s::timestamptz THEN -s.position ELSE s.position END
  LIMIT 1) st ON true
WHERE i.project_id = %(project_id)s AND i.kind = 'decision'
"""
IS_VISIBLE: Final = """
NOT EXISTS (SELECT FROM project_source s JOIN memory_message m ON m.user_id = s.user_id AND m.id = s.message_id
  WHERE s.project_id = h.project_id AND s.id = h.source_id AND m.forgotten_at IS NOT NULL)
"""
_STATES: Final = """
SELECT s.decision_id, s.position, s.state, s.at, s.known_from, s.known_to, s.superseded_by, s.sealed, s.source_id
FROM project_decision_state s
WHERE s.project_id = %s AND s.decision_id = ANY(%s) ORDER BY s.decision_id, s.at, s.position
"""
_SUPERSEDED: Final = """
SELECT l.from_id, l.to_id FROM project_link l
WHERE l.project_id = %s AND l.from_id = ANY(%s) AND l.is_supersession AND l.known_to IS NULL
"""


@dataclass(frozen=True, slots=True)
class _Beside:
    """What decisions have to do with others, by their id."""

    superseded: Mapping[UUID, Sequence[str]]
    contradicted: Mapping[UUID, Sequence[str]]


@dataclass(frozen=True, slots=True)
class DecisionFilter:
    """Which decisions."""

    entity: str | None = None
    state: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    authority: float | None = None


def list_decisions(
    project: ProjectRef,
    *,
    wanted: DecisionFilter,
    when: When = NOW,
    now: datetime,
    reader: Reader,
    after: UUID | None = None,
    limit: int,
) -> list[DecisionView]:
    """Decisions in the order in which they came, with the state that held; at most `limit` after the given one."""
    conditions, values = ["true"], make_values(project, when=when, now=now)
    for name, condition in (
        ("state", "h.state = %(state)s"),
        ("since", "h.decided_at >= %(since)s"),
        ("until", "h.decided_at < %(until)s"),
        (
            "authority",
            "EXISTS (SELECT FROM project_source s WHERE s.project_id = h.project_id AND s.id = h.source_id"
            " AND s.authority >= %(authority)s)",
        ),
    ):
        if getattr(wanted, name) is not None:
            conditions.append(condition)
            values[name] = getattr(wanted, name)
    if wanted.entity:
        conditions.append("h.terms @> %(terms)s::bigint[]")
        values["terms"] = find_terms(project, wanted.entity)
    if after is not None:
        conditions.append("h.id > %(after)s")
        values["after"] = after
    values["limit"] = limit
    statement = (
        f"SELECT * FROM ({_HELD}) h WHERE {IS_VISIBLE} AND {' AND '.join(conditions)} ORDER BY h.id LIMIT %(limit)s"
    )
    return open_decisions(project, fetch_rows(statement, values), when=when, reader=reader)


def get_decisions(
    project: ProjectRef, *, ids: Sequence[UUID], now: datetime, reader: Reader, when: When = NOW
) -> list[DecisionView]:
    """Some decisions, in the order asked for; those that are not visible are left out."""
    if not ids:
        return []
    values = make_values(project, when=when, now=now) | {"ids": list(ids)}
    statement = f"{_HELD} AND i.id = ANY(%(ids)s)"
    found = {view.id: view for view in open_decisions(project, fetch_rows(statement, values), when=when, reader=reader)}
    return [found[id] for id in ids if id in found]


def list_held(project: ProjectRef, *, when: When, now: datetime) -> list[tuple[UUID, datetime, list[int], str]]:
    """Of every decision at a moment: id, when it came to what it was, terms and state. Opens nothing."""
    rows = fetch_rows(f"{_HELD} AND d.sealed IS NOT NULL", make_values(project, when=when, now=now))
    return [(row[0], max(row[4], row[13]), row[10], row[11]) for row in rows]


# As with facts: each table is read once by its own key.
_VERSIONS: Final = """
WITH d AS MATERIALIZED (SELECT * FROM project_decision WHERE project_id = %(project_id)s AND id = ANY(%(ids)s)),
i AS MATERIALIZED (SELECT id, external_id FROM project_item WHERE project_id = %(project_id)s AND id = ANY(%(ids)s))
SELECT d.id, i.external_id, d.version, d.sealed, d.decided_at, d.known_from, d.origin, d.source_id, d.is_source_erased
FROM d JOIN i ON i.id = d.id ORDER BY d.id
"""


def open_decision_versions(project: ProjectRef, wanted: Sequence[tuple[UUID, int, int]]) -> list[DecisionView]:
    """Versions of decisions by id, number and the position of the state that they had (0: the first). No sources."""
    if not wanted:
        return []
    ids = list(dict.fromkeys(id for id, _, _ in wanted))
    positions = {(id, version): position for id, version, position in wanted}
    rows = [
        row for row in fetch_rows(_VERSIONS, {"project_id": project.id, "ids": ids}) if (row[0], row[2]) in positions
    ]
    visible = list_authorities(project, ids=[row[7] for row in rows if row[7]])
    rows = [row for row in rows if row[7] is None or row[7] in visible]
    stored = fetch_rows(_STATES, [project.id, [row[0] for row in rows]])
    names = name_items(project, ids=[state[6] for state in stored if state[6]])
    states = _open_states(project, stored, {}, names)
    words = iter(ProjectWords(project).open_all([row[3] for row in rows if row[3] is not None], purpose=DECISION))
    views = []
    for row in rows:
        own = [view for view, _ in states.get(row[0], ())]
        state = next((view for view in own if view.position == positions[row[0], row[2]]), own[0] if own else None)
        said = next(words) if row[3] is not None else {}
        if state is not None:
            views.append(
                DecisionView(
                    id=row[0], external_id=row[1], version=row[2], title=said.get("title"),
                    description=said.get("description"), owner=said.get("owner") or None, state=state,
                    decided_at=row[4], known_from=row[5], origin=row[6], is_source_erased=row[8],
                )
            )  # fmt: skip
    return views


def make_values(project: ProjectRef, *, when: When, now: datetime) -> dict[str, Any]:
    """The parameters of the statement above."""
    return {
        "project_id": project.id,
        "known_at": when.known_at,
        "moment": when.as_of or when.known_at or now,
        "is_past": when != NOW,
    }


def open_decisions(
    project: ProjectRef, rows: Sequence[tuple[Any, ...]], *, when: When, reader: Reader
) -> list[DecisionView]:
    """Rows of the statement above as values, less those whose source is hidden."""
    if not rows:
        return []
    ids = [row[0] for row in rows]
    states = fetch_rows(_STATES, [project.id, ids])
    wanted = [row[7] for row in rows if row[7]] + [state[8] for state in states if state[8]]
    sources = read_sources(project, ids=wanted, reader=reader)
    rows = [row for row in rows if row[7] is None or row[7] in sources]
    closed = fetch_rows(_SUPERSEDED, [project.id, ids])
    names = name_items(project, ids=[id for _, id in closed] + [state[6] for state in states if state[6]])
    histories = _open_states(project, states, sources, names)
    superseded: dict[UUID, list[str]] = {}
    for newer, name in sorted((newer, names[id][1]) for newer, id in closed):
        superseded.setdefault(newer, []).append(name)
    contradicted = list_contradicted(project, ids=ids)
    words = iter(ProjectWords(project).open_all([row[3] for row in rows if row[3] is not None], purpose=DECISION))
    return [
        _make_view(
            row,
            next(words) if row[3] is not None else {},
            histories[row[0]],
            sources,
            _Beside(superseded, contradicted),
            when,
        )
        for row in rows
    ]


def _open_states(
    project: ProjectRef,
    states: Sequence[tuple[Any, ...]],
    sources: Mapping[UUID, SourceView],
    names: Mapping[UUID, tuple[str, str]],
) -> dict[UUID, list[tuple[StateView, datetime | None]]]:
    words = iter(ProjectWords(project).open_all([state[7] for state in states if state[7] is not None], purpose=STATE))
    found: dict[UUID, list[tuple[StateView, datetime | None]]] = {}
    for decision_id, position, state, at, known_from, known_to, superseded_by, sealed, source_id in states:
        view = StateView(
            state=state,
            at=at,
            known_from=known_from,
            superseded_by=names[superseded_by][1] if superseded_by else None,
            source_status=next(words)["status"] if sealed is not None else None,
            source=sources.get(source_id),
            position=position,
        )
        found.setdefault(decision_id, []).append((view, known_to))
    return found


def _make_view(
    row: tuple[Any, ...],
    words: Mapping[str, Any],
    states: Sequence[tuple[StateView, datetime | None]],
    sources: Mapping[UUID, SourceView],
    beside: _Beside,
    when: When,
) -> DecisionView:
    known = [view for view, known_to in states if _was_known(view, known_to, when)]
    return DecisionView(
        id=row[0], external_id=row[1], version=row[2], title=words.get("title"), description=words.get("description"),
        owner=words.get("owner") or None, decided_at=row[4], known_from=row[5], origin=row[6],
        source=sources.get(row[7]), is_source_erased=row[8], history=tuple(known),
        state=next(view for view, _ in states if view.position == row[9]),
        supersedes=tuple(beside.superseded.get(row[0], ())), contradicts=tuple(beside.contradicted.get(row[0], ())),
    )  # fmt: skip


def _was_known(view: StateView, known_to: datetime | None, when: When) -> bool:
    if when.known_at is None:
        return known_to is None
    return view.known_from <= when.known_at and (known_to is None or known_to > when.known_at)
