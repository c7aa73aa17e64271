"""Contradictions: both sides stay, linked, with a question, until one is closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from memory.database.statements import execute, fetch_rows, insert_all
from memory.ids import new_id
from memory.projects.metrics import PROJECT_CONTRADICTIONS
from memory.projects.types import ProjectRef
from memory.projects.words import CONFLICT, ProjectWords


@dataclass(frozen=True, slots=True)
class Opening:
    """A contradiction just found: `newer_id` came to `older_id`."""

    rule: str
    kind: str
    newer_id: UUID
    older_id: UUID
    source_id: UUID | None = None

    @property
    def pair(self) -> tuple[UUID, UUID]:
        """The two in the order of the register."""
        return (min(self.newer_id, self.older_id), max(self.newer_id, self.older_id))


class Dated(Protocol):
    """A source as far as it matters here."""

    @property
    def id(self) -> UUID: ...
    @property
    def dated(self) -> datetime: ...


_OPEN_PAIRS: Final = """
SELECT left_id, right_id FROM project_conflict WHERE project_id = %s AND status = 'open' AND left_id = ANY(%s)
"""
_LINK: Final = """
INSERT INTO project_link
  (tenant_id, project_id, id, from_id, to_id, kind, weight, source_id, valid_from, known_from, origin)
VALUES (%s, %s, %s, %s, %s, 'contradicts', 1, %s, %s, %s, 'rule')
ON CONFLICT (project_id, from_id, to_id, kind) WHERE known_to IS NULL DO NOTHING
"""


def open_conflicts(project: ProjectRef, *, openings: Sequence[Opening], now: datetime) -> None:
    """Enter contradictions in the register, each with a link and a question. Call under the project's lock. Writes."""
    fresh = {opening.pair: opening for opening in openings}
    open_pairs = set(fetch_rows(_OPEN_PAIRS, [project.id, [left for left, _ in fresh]])) if fresh else set()
    words = ProjectWords(project)
    for pair, opening in fresh.items():
        if pair in open_pairs:
            continue
        conflict_id = new_id()
        PROJECT_CONTRADICTIONS.labels(opening.rule).inc()
        columns = ("tenant_id", "project_id", "id", "rule", "left_id", "right_id", "status", "opened_at")
        insert_all(
            "project_conflict",
            columns,
            [(project.tenant_id, project.id, conflict_id, opening.rule, *pair, "open", now)],
        )
        execute(
            _LINK,
            [project.tenant_id, project.id, new_id(), opening.newer_id, opening.older_id, opening.source_id, now, now],
        )
        insert_all(
            "project_question",
            ("tenant_id", "project_id", "id", "conflict_id", "key", "status", "opened_at"),
            [(project.tenant_id, project.id, new_id(), conflict_id, words.make_key("conflict", str(conflict_id)),
              "open", now)],
        )  # fmt: skip


def close_outdated(project: ProjectRef, *, changed: Set[UUID], still: Iterable[Opening], now: datetime) -> None:
    """Close contradictions of a version that is no longer current. Writes."""
    if not changed:
        return
    kept = {opening.pair for opening in still}
    statement = (
        "SELECT id, left_id, right_id FROM project_conflict"
        " WHERE project_id = %s AND status = 'open' AND (left_id = ANY(%s) OR right_id = ANY(%s))"
    )
    for id, left, right in fetch_rows(statement, [project.id, list(changed), list(changed)]):
        if (left, right) not in kept:
            close_conflict(project, id, kept_id=None, resolution="changed", actor="system", now=now)


def close_superseded(project: ProjectRef, *, newer: UUID, older: UUID, actor: str, now: datetime) -> None:
    """Two decisions of which one has taken the place of the other contradict each other no more. Writes."""
    pair = (min(newer, older), max(newer, older))
    statement = (
        "SELECT id FROM project_conflict WHERE project_id = %s AND status = 'open' AND left_id = %s AND right_id = %s"
    )
    for (id,) in fetch_rows(statement, [project.id, *pair]):
        close_conflict(project, id, kept_id=newer, resolution="superseded", actor=actor, now=now)


_OTHERS_EVIDENCE: Final = """
SELECT c.id, CASE WHEN c.left_id = %(fact_id)s THEN c.right_id ELSE c.left_id END AS other,
  (SELECT max(s.dated) FROM project_evidence e
    JOIN project_source s ON s.project_id = e.project_id AND s.id = e.source_id
    WHERE e.project_id = c.project_id AND e.fact_id IN (c.left_id, c.right_id) AND e.source_id <> %(source_id)s)
FROM project_conflict c
WHERE c.project_id = %(project_id)s AND c.status = 'open' AND %(fact_id)s IN (c.left_id, c.right_id)
"""


def close_by_later_fact(
    project: ProjectRef, *, supported: Sequence[tuple[UUID, Dated]], actor: str, now: datetime
) -> list[UUID]:
    """A source that is later than all that both sides had decides for the side that it supports. Writes.

    Returns the facts of the other sides: the caller refutes them.
    """
    lost = []
    for fact_id, source in supported:
        values = {"project_id": project.id, "fact_id": fact_id, "source_id": source.id}
        for conflict_id, other, latest in fetch_rows(_OTHERS_EVIDENCE, values):
            if latest is None or source.dated > latest:
                close_conflict(project, conflict_id, kept_id=fact_id, resolution="later_fact", actor=actor, now=now)
                lost.append(other)
    return lost


def close_conflict(
    project: ProjectRef,
    conflict_id: UUID,
    *,
    kept_id: UUID | None,
    resolution: str,
    actor: str,
    now: datetime,
    reason: str = "",
) -> None:
    """Close a contradiction and its question; `kept_id` is the side that stays. The link stays. Writes."""
    sealed = ProjectWords(project).seal({"reason": reason}, purpose=CONFLICT) if reason else None
    execute(
        "UPDATE project_conflict SET status = 'resolved', resolved_at = %s, kept_id = %s, resolution = %s, actor = %s,"
        " sealed = %s WHERE project_id = %s AND id = %s AND status = 'open'",
        [now, kept_id, resolution, actor, sealed, project.id, conflict_id],
    )
    execute(
        "UPDATE project_question SET status = 'answered', closed_at = %s"
        " WHERE project_id = %s AND conflict_id = %s AND status = 'open'",
        [now, project.id, conflict_id],
    )
