"""Links, artifacts, contradictions, questions and the timeline, read page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.projects.selectors.facts import find_terms
from memory.projects.selectors.sources import Reader, read_sources
from memory.projects.types import NOW, ProjectRef, SourceView, When
from memory.projects.words import ARTIFACT, CONFLICT, QUESTION, ProjectWords

_LINKS: Final = """
SELECT l.id, f.kind, f.external_id, t.kind, t.external_id, l.kind, l.weight, l.source_id, l.valid_from, l.valid_to,
  l.known_from, l.origin, l.is_supersession
FROM project_link l
JOIN project_item f ON f.project_id = l.project_id AND f.id = l.from_id
JOIN project_item t ON t.project_id = l.project_id AND t.id = l.to_id
WHERE l.project_id = %(project_id)s
  AND (CASE WHEN %(known_at)s::timestamptz IS NULL THEN l.known_to IS NULL
            ELSE l.known_from <= %(known_at)s::timestamptz
             AND (l.known_to IS NULL OR l.known_to > %(known_at)s::timestamptz) END)
  AND (%(as_of)s::timestamptz IS NULL
       OR l.valid_from <= %(as_of)s::timestamptz AND (l.valid_to IS NULL OR l.valid_to > %(as_of)s::timestamptz))
  AND (%(kind)s::text IS NULL OR l.kind = %(kind)s::text)
  AND (%(item)s::uuid IS NULL OR %(item)s::uuid IN (l.from_id, l.to_id))
  AND (%(after)s::uuid IS NULL OR l.id > %(after)s::uuid) AND (%(id)s::uuid IS NULL OR l.id = %(id)s::uuid)
ORDER BY l.id LIMIT %(limit)s
"""
_ARTIFACTS: Final = """
SELECT a.id, i.external_id, a.version, a.kind, a.sealed, a.known_from, i.created_at
FROM project_item i
JOIN LATERAL (
  SELECT * FROM project_artifact a WHERE a.project_id = i.project_id AND a.id = i.id
    AND (%(known_at)s::timestamptz IS NULL OR a.known_from <= %(known_at)s::timestamptz)
  ORDER BY a.version DESC LIMIT 1) a ON true
WHERE i.project_id = %(project_id)s AND i.kind = 'artifact' AND (%(after)s::uuid IS NULL OR i.id > %(after)s::uuid)
  AND (%(kind)s::text IS NULL OR a.kind = %(kind)s::text)
  AND (%(terms)s::bigint[] IS NULL OR a.terms @> %(terms)s::bigint[])
  AND (%(id)s::uuid IS NULL OR i.id = %(id)s::uuid)
ORDER BY i.id LIMIT %(limit)s
"""
_CONFLICTS: Final = """
SELECT c.id, c.rule, c.status, l.kind, l.id, l.external_id, r.id, r.external_id, c.opened_at, c.resolved_at,
  k.external_id, c.resolution, c.actor, c.sealed
FROM project_conflict c
JOIN project_item l ON l.project_id = c.project_id AND l.id = c.left_id
JOIN project_item r ON r.project_id = c.project_id AND r.id = c.right_id
LEFT JOIN project_item k ON k.project_id = c.project_id AND k.id = c.kept_id
WHERE c.project_id = %(project_id)s AND (%(status)s::text IS NULL OR c.status = %(status)s::text)
  AND (%(after)s::uuid IS NULL OR c.id > %(after)s::uuid)
  AND (%(as_of)s::timestamptz IS NULL OR c.opened_at <= %(as_of)s::timestamptz)
  AND (%(ids)s::uuid[] IS NULL OR c.id = ANY(%(ids)s::uuid[]))
ORDER BY c.id LIMIT %(limit)s
"""
_QUESTIONS: Final = """
SELECT q.id, q.status, q.conflict_id, q.source_id, q.sealed, q.opened_at, q.closed_at
FROM project_question q
WHERE q.project_id = %(project_id)s AND (%(status)s::text IS NULL OR q.status = %(status)s::text)
  AND (%(after)s::uuid IS NULL OR q.id > %(after)s::uuid)
  AND (%(as_of)s::timestamptz IS NULL OR q.opened_at <= %(as_of)s::timestamptz)
  AND (%(id)s::uuid IS NULL OR q.id = %(id)s::uuid)
  AND NOT EXISTS (SELECT FROM project_source s JOIN memory_message m ON m.user_id = s.user_id AND m.id = s.message_id
    WHERE s.project_id = q.project_id AND s.id = q.source_id AND m.forgotten_at IS NOT NULL)
ORDER BY q.id LIMIT %(limit)s
"""
_TIMELINE: Final = """
SELECT * FROM (
  SELECT f.valid_from AS at, 'fact_' || CASE WHEN f.status = 'refuted' THEN 'refuted' WHEN f.version = 1 THEN 'added'
      ELSE 'changed' END AS what, 'fact' AS kind, f.id AS item_id, f.version AS version, '' AS detail,
      CASE WHEN f.version = 1 THEN f.valid_from ELSE f.known_from END AS shown_at
    FROM project_fact f WHERE f.project_id = %(project_id)s
  UNION ALL
  SELECT s.at, 'decision_' || s.state, 'decision', s.decision_id, s.position, s.state, s.at
    FROM project_decision_state s WHERE s.project_id = %(project_id)s AND s.known_to IS NULL
  UNION ALL
  SELECT a.known_from, CASE WHEN a.version = 1 THEN 'artifact_added' ELSE 'artifact_changed' END, 'artifact', a.id,
      a.version, a.kind, a.known_from
    FROM project_artifact a WHERE a.project_id = %(project_id)s
  UNION ALL
  SELECT t.bound_at, 'thread_bound', 'thread', t.id, 1, t.scope, t.bound_at
    FROM project_thread t WHERE t.project_id = %(project_id)s
  UNION ALL
  SELECT c.opened_at, 'conflict_opened', 'conflict', c.id, 1, c.rule, c.opened_at
    FROM project_conflict c WHERE c.project_id = %(project_id)s
  UNION ALL
  SELECT c.resolved_at, 'conflict_resolved', 'conflict', c.id, 2, c.resolution, c.resolved_at
    FROM project_conflict c WHERE c.project_id = %(project_id)s AND c.status = 'resolved'
  UNION ALL
  SELECT v.known_from, 'project_' || v.status, 'project', v.project_id, v.version, v.status, v.known_from
    FROM project_version v WHERE v.project_id = %(project_id)s) e
WHERE (%(as_of)s::timestamptz IS NULL OR e.shown_at <= %(as_of)s::timestamptz)
  AND (%(kind)s::text IS NULL OR e.kind = %(kind)s::text)
  AND (%(since)s::timestamptz IS NULL OR e.shown_at >= %(since)s::timestamptz)
  AND (%(until)s::timestamptz IS NULL OR e.shown_at < %(until)s::timestamptz)
  AND (%(after_at)s::timestamptz IS NULL
       OR (e.shown_at, e.item_id, e.what, e.version)
          > (%(after_at)s::timestamptz, %(after_id)s::uuid, %(after_what)s::text, %(after_version)s::int))
ORDER BY {order} LIMIT %(limit)s
"""
_OLDEST: Final = "e.shown_at, e.item_id, e.what, e.version"
_LATEST: Final = "e.shown_at DESC, e.item_id, e.what, e.version"


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link with the caller's ids of its ends."""

    id: UUID
    from_kind: str
    from_name: str
    to_kind: str
    to_name: str
    kind: str
    weight: float
    source: SourceView | None
    valid_from: datetime
    valid_to: datetime | None
    known_from: datetime
    origin: str
    is_supersession: bool


@dataclass(frozen=True, slots=True)
class ArtifactView:
    """An artifact, opened."""

    id: UUID
    external_id: str
    version: int
    kind: str
    ref: str
    title: str
    summary: str
    known_from: datetime
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ConflictView:
    """An entry of the register of contradictions."""

    id: UUID
    rule: str
    status: str
    kind: str
    left_id: UUID
    left: str
    right_id: UUID
    right: str
    opened_at: datetime
    resolved_at: datetime | None
    kept: str | None
    resolution: str | None
    actor: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question. `text` None: its words are made of its contradiction when it is asked."""

    id: UUID
    status: str
    conflict_id: UUID | None
    source: SourceView | None
    text: str | None
    opened_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class TimelinePosition:
    """Where a page of the timeline ended."""

    at: datetime
    item_id: UUID
    what: str
    version: int


@dataclass(frozen=True, slots=True)
class EventView:
    """Something that happened to an item of a project."""

    at: datetime
    what: str
    kind: str
    item_id: UUID
    name: str
    version: int
    detail: str
    title: str | None = None

    @property
    def position(self) -> TimelinePosition:
        """For the next page."""
        return TimelinePosition(self.at, self.item_id, self.what, self.version)


def list_links(
    project: ProjectRef,
    *,
    kind: str | None = None,
    item: UUID | None = None,
    id: UUID | None = None,
    when: When = NOW,
    reader: Reader,
    after: UUID | None = None,
    limit: int,
) -> list[LinkView]:
    """Links in the order in which they came."""
    values = _make_values(project, when, after, limit) | {"kind": kind, "item": item, "id": id}
    rows = fetch_rows(_LINKS, values)
    sources = read_sources(project, ids=[row[7] for row in rows if row[7]], reader=reader)
    return [LinkView(*[*row[:6], round(row[6], 6), sources.get(row[7]), *row[8:]]) for row in rows]


def list_artifacts(
    project: ProjectRef,
    *,
    kind: str | None = None,
    entity: str | None = None,
    id: UUID | None = None,
    when: When = NOW,
    after: UUID | None = None,
    limit: int,
) -> list[ArtifactView]:
    """Artifacts in the order in which they came."""
    terms = find_terms(project, entity) if entity else None
    values = _make_values(project, when, after, limit) | {"kind": kind, "terms": terms, "id": id}
    values["known_at"] = when.known_at or when.as_of
    del values["as_of"]
    rows = fetch_rows(_ARTIFACTS, values)
    words = ProjectWords(project).open_all([row[4] for row in rows], purpose=ARTIFACT)
    return [
        ArtifactView(row[0], row[1], row[2], row[3], each["ref"], each["title"], each["summary"], row[5], row[6])
        for row, each in zip(rows, words, strict=True)
    ]


def list_conflicts(
    project: ProjectRef,
    *,
    status: str | None = None,
    ids: Sequence[UUID] | None = None,
    when: When = NOW,
    after: UUID | None = None,
    limit: int,
) -> list[ConflictView]:
    """The register of contradictions in the order in which they were found."""
    wanted = None if ids is None else list(ids)
    values = _make_values(project, when, after, limit) | {"status": status, "ids": wanted}
    values["as_of"] = when.as_of or when.known_at
    del values["known_at"]
    rows = fetch_rows(_CONFLICTS, values)
    sealed = [row[13] for row in rows if row[13] is not None]
    words = iter(ProjectWords(project).open_all(sealed, purpose=CONFLICT))
    return [ConflictView(*[*row[:13], next(words)["reason"] if row[13] is not None else None]) for row in rows]


def list_questions(
    project: ProjectRef,
    *,
    status: str | None = None,
    id: UUID | None = None,
    when: When = NOW,
    reader: Reader,
    after: UUID | None = None,
    limit: int,
) -> list[QuestionView]:
    """Questions in the order in which they came up."""
    values = _make_values(project, when, after, limit) | {"status": status, "id": id}
    values["as_of"] = when.as_of or when.known_at
    del values["known_at"]
    rows = fetch_rows(_QUESTIONS, values)
    sealed = [row[4] for row in rows if row[4] is not None]
    words = iter(ProjectWords(project).open_all(sealed, purpose=QUESTION))
    sources = read_sources(project, ids=[row[3] for row in rows if row[3]], reader=reader)
    return [
        QuestionView(
            row[0], row[1], row[2], sources.get(row[3]), next(words)["text"] if row[4] is not None else None, *row[5:]
        )
        for row in rows
    ]


def list_events(
    project: ProjectRef,
    *,
    as_of: datetime | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    after: TimelinePosition | None = None,
    kind: str | None = None,
    newest_first: bool = False,
    has_names: bool = True,
    limit: int,
) -> list[EventView]:
    """The timeline, oldest first: from when each thing held. With `kind`: events of that kind of item alone.

    Without `has_names` items have our ids for names: for those who open the items anyway.
    """
    values = {
        "project_id": project.id, "as_of": as_of, "since": since, "until": until, "limit": limit, "kind": kind,
        "after_at": after.at if after else None, "after_id": after.item_id if after else None,
        "after_what": after.what if after else None, "after_version": after.version if after else None,
    }  # fmt: skip
    rows = fetch_rows(_TIMELINE.format(order=_LATEST if newest_first else _OLDEST), values)
    names = _name_all(project, rows) if has_names else {}
    return [EventView(row[6], row[1], row[2], row[3], names.get(row[3], str(row[3])), row[4], row[5]) for row in rows]


def _name_all(project: ProjectRef, rows: Sequence[tuple[Any, ...]]) -> Mapping[UUID, str]:
    ids = list({row[3] for row in rows})
    found = fetch_rows(
        "SELECT id, external_id FROM project_item WHERE project_id = %s AND id = ANY(%s)", [project.id, ids]
    )
    return {**dict(found), project.id: project.external_id}


def _make_values(project: ProjectRef, when: When, after: UUID | None, limit: int) -> dict[str, Any]:
    return {
        "project_id": project.id, "as_of": when.as_of, "known_at": when.known_at, "after": after, "limit": limit
    }  # fmt: skip
