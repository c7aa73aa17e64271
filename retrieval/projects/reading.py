"""A snapshot, read: the words of its ids and versions as they are now, and what is missing by name (D-52)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.database.statements import fetch_row, fetch_rows
from memory.projects.questions import word_versions
from memory.projects.selectors.decisions import open_decision_versions
from memory.projects.selectors.facts import open_bare_versions
from memory.projects.selectors.projects import name_items, read_project_version
from memory.projects.selectors.sources import Reader, read_sources
from memory.projects.types import DecisionView, FactView, ProjectRef, ProjectView, SourceView
from memory.projects.words import QUESTION, ProjectWords


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """What is stored of a snapshot."""

    id: UUID
    version: int
    user_id: UUID
    built_at: datetime
    as_of: datetime | None
    known_at: datetime | None
    project_version: int
    budget_tokens: int
    used_tokens: int
    entries: Sequence[Mapping[str, Any]]
    hash: str
    change: int = 0


@dataclass(frozen=True, slots=True)
class Missing:
    """What was in a snapshot and is not there any more. `reason`: forgotten or erased."""

    type: str
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """An open question of a snapshot."""

    id: UUID
    text: str


@dataclass(frozen=True, slots=True)
class EventLine:
    """A line of the short history: a decision came to a state."""

    at: str
    event: str
    id: str
    title: str

    @property
    def state(self) -> str:
        """The state, which the event names after what it befell."""
        return self.event.removeprefix("decision_")


Shown = FactView | DecisionView | EventLine | QuestionLine
"""A part of a snapshot, with its words."""


@dataclass(frozen=True, slots=True)
class Mission:
    """What a version of a project says of itself."""

    status: str = ""
    name: str = ""
    mission: str = ""
    goals: Sequence[str] = ()
    constraints: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot with its words."""

    row: SnapshotRow
    project: ProjectRef
    status: str
    name: str
    mission: str
    goals: tuple[str, ...]
    constraints: tuple[str, ...]
    facts: tuple[FactView, ...]
    decisions: tuple[DecisionView, ...]
    timeline: tuple[EventLine, ...]
    open_questions: tuple[QuestionLine, ...]
    citations: tuple[SourceView, ...]
    missing: tuple[Missing, ...]


def hash_entries(
    *, project_version: int, budget_tokens: int, times: Sequence[str | None], entries: Sequence[Any]
) -> str:
    """The hash of a snapshot: over ids and versions, so that it confirms no word (D-52)."""
    told = json.dumps(
        [project_version, budget_tokens, list(times), list(entries)], sort_keys=True, separators=(",", ":")
    )
    return hashlib.sha256(told.encode()).hexdigest()


_READ = """
SELECT id, version, user_id, built_at, as_of, known_at, project_version, budget_tokens, used_tokens, entries, hash,
  change
FROM project_snapshot WHERE project_id = %s AND id = %s
"""


def read_row(project: ProjectRef, id: UUID) -> SnapshotRow:
    """What is stored of a snapshot that is there."""
    row = fetch_row(_READ, [project.id, id])
    entries = json.loads(row[9]) if isinstance(row[9], str) else row[9]
    return SnapshotRow(*[*row[:9], entries, bytes(row[10]).hex(), row[11]])


def read_snapshot(project: ProjectRef, row: SnapshotRow) -> Snapshot:
    """The words of a snapshot: the same as when it was built, less what was forgotten or erased since. Reads only."""
    said = Mission(**(read_project_version(project, version=row.project_version) or {}))
    reader = Reader(row.user_id)
    sources = _read_sources(project, row.entries, reader)
    gone = _Gone(project, sources, _list_stored_sources(project, row.entries))
    facts = _read_facts(project, row.entries, sources, gone)
    decisions = _read_decisions(project, row.entries, sources, gone)
    titles = {(view.id, view.version): view.title for view in decisions.values()}
    timeline = _read_events(project, row.entries, titles, gone)
    questions = _read_questions(project, row.entries, gone)
    return _put_together(project, row, said, [*facts, *decisions.values(), *timeline, *questions], gone.list())


def show_snapshot(project: ProjectRef, row: SnapshotRow, view: ProjectView, shown: Sequence[Shown]) -> Snapshot:
    """What `read_snapshot` would give of a snapshot that was stored in this transaction, without reading it again.

    `view` is the project that it was built of, `shown` its parts in order.
    """
    said = Mission(view.status, view.name, view.mission, view.goals, view.constraints)
    return _put_together(project, row, said, shown, ())


def _put_together(
    project: ProjectRef, row: SnapshotRow, said: Mission, shown: Sequence[Shown], missing: tuple[Missing, ...]
) -> Snapshot:
    facts = tuple(each for each in shown if isinstance(each, FactView))
    decisions = tuple(each for each in shown if isinstance(each, DecisionView))
    cited = [source for fact in facts for source in fact.sources] + [each.source for each in decisions if each.source]
    return Snapshot(
        row=row, project=project, status=said.status, name=said.name, mission=said.mission, goals=tuple(said.goals),
        constraints=tuple(said.constraints), facts=facts, decisions=decisions,
        timeline=tuple(each for each in shown if isinstance(each, EventLine)),
        open_questions=tuple(each for each in shown if isinstance(each, QuestionLine)),
        citations=tuple({source.id: source for source in cited}.values()), missing=missing,
    )  # fmt: skip


class _Gone:
    """What is missing, gathered while a snapshot is read."""

    def __init__(self, project: ProjectRef, visible: Mapping[UUID, SourceView], stored: set[UUID]) -> None:
        self._project, self._visible, self._stored = project, visible, stored
        self._found: dict[tuple[str, UUID], str] = {}

    def has_support(self, entry: Mapping[str, Any]) -> bool:
        """Whether something without sources, or one of its sources, may be shown."""
        ids = [UUID(one) for one in entry.get("o", ())]
        return not ids or any(id in self._visible for id in ids)

    def note(self, kind: str, entry: Mapping[str, Any]) -> None:
        """An item that is not shown, and why."""
        ids = [UUID(one) for one in entry.get("o", ())]
        self._found[kind, UUID(entry["i"])] = "forgotten" if any(id in self._stored for id in ids) else "erased"

    def note_sources(self, entry: Mapping[str, Any]) -> None:
        """Sources of something that is shown all the same."""
        for id in (UUID(one) for one in entry.get("o", ())):
            if id not in self._visible:
                self._found["source", id] = "forgotten" if id in self._stored else "erased"

    def list(self) -> tuple[Missing, ...]:
        """All of it by the caller's ids where those are still known, in order."""
        names = name_items(self._project, ids=[id for _, id in self._found])
        return tuple(
            Missing(kind, names[id][1] if id in names else str(id), reason)
            for (kind, id), reason in sorted(self._found.items(), key=lambda item: (item[0][0], item[0][1].hex))
        )


def _list_source_ids(entries: Iterable[Mapping[str, Any]]) -> list[UUID]:
    return list(dict.fromkeys(UUID(one) for entry in entries for one in entry.get("o", ())))


def _list_stored_sources(project: ProjectRef, entries: Iterable[Mapping[str, Any]]) -> set[UUID]:
    statement = "SELECT id FROM project_source WHERE project_id = %s AND id = ANY(%s)"
    return {row[0] for row in fetch_rows(statement, [project.id, _list_source_ids(entries)])}


def _read_sources(project: ProjectRef, entries: Sequence[Mapping[str, Any]], reader: Reader) -> dict[UUID, SourceView]:
    quoted = {UUID(one) for entry in entries for one in entry.get("q", ())}
    found = read_sources(project, ids=_list_source_ids(entries), reader=reader)
    return {id: view if id in quoted else replace(view, quote=None) for id, view in found.items()}


def _read_facts(
    project: ProjectRef,
    entries: Sequence[Mapping[str, Any]],
    sources: Mapping[UUID, SourceView],
    gone: _Gone,
) -> list[FactView]:
    wanted = [entry for entry in entries if entry["k"] == "fact"]
    keys = [(UUID(each["i"]), each["v"]) for each in wanted]
    views = {view.id: view for view in open_bare_versions(project, keys)}
    found = []
    for entry in wanted:
        view = views.get(UUID(entry["i"]))
        if view is None or not gone.has_support(entry):
            gone.note("fact", entry)
            continue
        gone.note_sources(entry)
        own = tuple(sources[id] for id in map(UUID, entry["o"]) if id in sources)
        found.append(replace(view, sources=own, contradicts=tuple(entry.get("c", ()))))
    return found


def _read_decisions(
    project: ProjectRef,
    entries: Sequence[Mapping[str, Any]],
    sources: Mapping[UUID, SourceView],
    gone: _Gone,
) -> dict[UUID, DecisionView]:
    wanted = [entry for entry in entries if entry["k"] == "decision"]
    keys = [(UUID(each["i"]), each["v"], each["p"]) for each in wanted]
    views = {view.id: view for view in open_decision_versions(project, keys)}
    found = {}
    for entry in wanted:
        id = UUID(entry["i"])
        view = views.get(id)
        if view is None or view.title is None or not gone.has_support(entry):
            gone.note("decision", entry)
            continue
        own = next((sources[each] for each in map(UUID, entry["o"]) if each in sources), None)
        found[id] = replace(
            view, source=own, contradicts=tuple(entry.get("c", ())), supersedes=tuple(entry.get("u", ()))
        )
    return found


def _read_events(
    project: ProjectRef,
    entries: Sequence[Mapping[str, Any]],
    titles: Mapping[tuple[UUID, int], str | None],
    gone: _Gone,
) -> list[EventLine]:
    wanted = [entry for entry in entries if entry["k"] == "event"]
    if not wanted:
        return []
    rest = [(UUID(each["i"]), each["v"], 0) for each in wanted if (UUID(each["i"]), each["v"]) not in titles]
    known = {**titles, **{(v.id, v.version): v.title for v in open_decision_versions(project, rest)}}
    names = name_items(project, ids=[UUID(entry["i"]) for entry in wanted])
    lines = []
    for entry in wanted:
        id = UUID(entry["i"])
        title = known.get((id, entry["v"]))
        if title is None or not gone.has_support(entry):
            gone.note("decision", entry)
            continue
        lines.append(EventLine(entry["a"], entry["e"], names[id][1], title))
    return lines


def _read_questions(project: ProjectRef, entries: Sequence[Mapping[str, Any]], gone: _Gone) -> list[QuestionLine]:
    wanted = [entry for entry in entries if entry["k"] == "question"]
    if not wanted:
        return []
    stored = dict(
        fetch_rows(
            "SELECT id, sealed FROM project_question WHERE project_id = %s AND id = ANY(%s) AND sealed IS NOT NULL",
            [project.id, [UUID(entry["i"]) for entry in wanted]],
        )
    )
    words = ProjectWords(project)
    lines = []
    for entry in wanted:
        id = UUID(entry["i"])
        text: str | None = None
        if "w" in entry:
            text = word_versions(project, entry["w"], language=entry["n"])
        elif id in stored and gone.has_support(entry):
            text = words.open(stored[id], purpose=QUESTION)["text"]
        if text is None:
            gone.note("question", entry)
        else:
            lines.append(QuestionLine(id, text))
    return lines
