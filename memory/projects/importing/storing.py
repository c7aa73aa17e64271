"""A folded history stored in a project: what is new of it alone, so that it may be imported again and again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from memory.database.statements import execute, fetch_row, fetch_rows, insert_all
from memory.ids import new_id
from memory.projects.importing.folding import Fold, Folded, FoldedLink, FoldedState
from memory.projects.selectors.projects import find_items
from memory.projects.services.locking import check_room, lock_project, note_change
from memory.projects.services.sources import SourceAt, store_sources
from memory.projects.types import ProjectRef, SourceBody
from memory.projects.words import DECISION, STATE, ProjectWords
from patterns.text.decisions import begin_day

KINDS: Final = {"supersedes": "refines", "depends": "depends", "mentions": "analogy"}
"""How links of a history are kept (D-53). A mention in prose says that the two have to do with each other, no more."""
MENTION_WEIGHT: Final = 0.5
ACTOR: Final = "import"
_KNOWN_LINKS: Final = """
SELECT to_id, kind, id, origin, valid_from, valid_to FROM project_link
WHERE project_id = %s AND from_id = %s AND known_to IS NULL
"""
_LINK_COLUMNS: Final = (
    "tenant_id", "project_id", "id", "from_id", "to_id", "kind", "weight", "source_id", "is_supersession",
    "valid_from", "valid_to", "known_from", "origin",
)  # fmt: skip


@dataclass(slots=True)
class ImportCounts:
    """What an import did."""

    decisions: int = 0
    states: int = 0
    links: int = 0
    unchanged: int = 0
    withdrawn: int = 0
    """States and links of an earlier import that the history, written anew, has no more."""
    dangling: int = 0
    """Links to records that are not in the directory."""


@dataclass(frozen=True, slots=True)
class _Import:
    project: ProjectRef
    words: ProjectWords
    word: str
    ids: Mapping[str, UUID]
    sources: Mapping[str, UUID]
    now: datetime
    counts: ImportCounts


def store_fold(project: ProjectRef, fold: Fold, *, word: str, now: datetime) -> ImportCounts:
    """Store decisions, states and links of a history. Ids are `<word>-<number>`. Writes, under the project's lock.

    Raises ProjectFull.
    """
    locked = lock_project(project)
    counts = ImportCounts()
    names = {id: name_decision(word, id) for id in fold.decisions}
    known = find_items(locked, kind="decision", external_ids=names.values())
    fresh = {id: new_id() for id, name in names.items() if name not in known}
    limit = settings.UNDE_TUNING.PROJECT_MAX_DECISIONS
    check_room(locked, table="project_decision", more=len(fresh), limit=limit, name="decisions")
    item_columns = ("tenant_id", "project_id", "id", "kind", "external_id", "created_at")
    insert_all(
        "project_item",
        item_columns,
        [(project.tenant_id, project.id, uuid, "decision", names[id], now) for id, uuid in fresh.items()],
    )
    ids = {id: fresh.get(id) or known[name] for id, name in names.items()}
    work = _Import(locked, ProjectWords(locked), word, ids, _store_sources(locked, fold, now), now, counts)
    for folded in fold.decisions.values():
        _store_words(work, folded, is_new=folded.id in fresh)
        _store_states(work, folded)
        _store_links(work, folded)
    check_room(locked, table="project_link", more=0, limit=settings.UNDE_TUNING.PROJECT_MAX_LINKS, name="links")
    counts.decisions = len(fresh)
    if counts.decisions or counts.states or counts.links or counts.withdrawn:
        note_change(locked, now=now)
    return counts


def name_decision(word: str, id: str) -> str:
    """The caller's id of an imported decision: `pep-484`."""
    return f"{word}-{id}"


def _store_sources(project: ProjectRef, fold: Fold, now: datetime) -> dict[str, UUID]:
    wanted = {
        id: SourceAt(
            "import",
            SourceBody(type="document", ref=folded.path, author=folded.record.owner or None,
                       date=folded.first_at.isoformat()),
        )
        for id, folded in fold.decisions.items()
    }  # fmt: skip
    stored = store_sources(project, wanted=list(wanted.values()), now=now)
    return {id: source.id for id, source in zip(wanted, stored, strict=True)}


def _store_words(work: _Import, folded: Folded, *, is_new: bool) -> None:
    record, project = folded.record, work.project
    words = {"title": record.title, "description": record.summary, "owner": record.owner}
    version = 1
    if not is_new:
        number, sealed = fetch_row(
            "SELECT version, sealed FROM project_decision WHERE project_id = %s AND id = %s AND known_to IS NULL",
            [project.id, work.ids[folded.id]],
        )
        if sealed is None or work.words.open(sealed, purpose=DECISION) == words:
            work.counts.unchanged += 1
            return
        execute(
            "UPDATE project_decision SET known_to = %s WHERE project_id = %s AND id = %s AND known_to IS NULL",
            [work.now, project.id, work.ids[folded.id]],
        )
        version = number + 1
    columns = (
        "tenant_id", "project_id", "id", "version", "title_key", "terms", "sealed", "decided_at", "source_id",
        "known_from", "origin", "actor",
    )  # fmt: skip
    known_from = folded.first_at if version == 1 else work.now
    row = (
        project.tenant_id, project.id, work.ids[folded.id], version, work.words.key_title(record.title),
        work.words.number_terms(record.title, record.summary, record.owner),
        work.words.seal(words, purpose=DECISION), _find_decided(folded), work.sources[folded.id], known_from, "import",
        ACTOR,
    )  # fmt: skip
    insert_all("project_decision", columns, [row])


def _find_decided(folded: Folded) -> datetime:
    if folded.record.decided:
        return begin_day(folded.record.decided)
    standing = next((s.at for s in folded.states if s.state in ("accepted", "implemented", "verified")), None)
    return standing or folded.first_at


def _store_states(work: _Import, folded: Folded) -> None:
    """The states that are new; those that an earlier import found and the history has no more are closed."""
    project, id = work.project, work.ids[folded.id]
    known = fetch_rows(
        "SELECT position, known_to IS NULL AND is_recorded AND actor = %s, state, at, superseded_by"
        " FROM project_decision_state WHERE project_id = %s AND decision_id = %s",
        [ACTOR, project.id, id],
    )
    position = max((row[0] for row in known), default=0)
    left: dict[tuple[Any, ...], list[int]] = {}  # a rebased history may have a state twice in one second
    for row in known:
        if row[1]:
            left.setdefault(row[2:], []).append(row[0])
    rows = []
    for state in folded.states:
        by = _find_successor(work, folded, state)
        if same := left.get((state.state, state.at, by)):
            same.pop()
        else:
            position += 1
            rows.append(_make_state(work, folded, state, by, position))
    gone = [each for positions in left.values() for each in positions]
    if gone:
        execute(
            "UPDATE project_decision_state SET known_to = greatest(%s, known_from)"
            " WHERE project_id = %s AND decision_id = %s AND position = ANY(%s)",
            [work.now, project.id, id, gone],
        )
        work.counts.withdrawn += len(gone)
    columns = (
        "tenant_id", "project_id", "decision_id", "position", "state", "at", "known_from", "source_id",
        "superseded_by", "is_recorded", "sealed", "actor",
    )  # fmt: skip
    insert_all("project_decision_state", columns, rows)
    work.counts.states += len(rows)


def _find_successor(work: _Import, folded: Folded, state: FoldedState) -> UUID | None:
    by = work.ids.get(state.superseded_by) if state.superseded_by and state.state == "superseded" else None
    return by if by != work.ids[folded.id] else None


def _make_state(
    work: _Import, folded: Folded, state: FoldedState, by: UUID | None, position: int
) -> tuple[object, ...]:
    project, id = work.project, work.ids[folded.id]
    sealed = work.words.seal({"status": state.status}, purpose=STATE)
    # Recorded as it was: a history may go where decisions made here may not.
    return (
        project.tenant_id, project.id, id, position, state.state, state.at, state.at, work.sources[folded.id],
        by, True, sealed, ACTOR,
    )  # fmt: skip


def _store_links(work: _Import, folded: Folded) -> None:
    """The links that are new or end at another time; those that the history has no more are closed."""
    project, own = work.project, work.ids[folded.id]
    left = {row[:2]: row[2:] for row in fetch_rows(_KNOWN_LINKS, [project.id, own])}
    rows, seen, gone = [], set(), []
    for link in _choose_links(folded):
        to, kind = work.ids.get(link.to), KINDS[link.kind]
        if to is None:
            work.counts.dangling += 1
            continue
        if to == own or (to, kind) in seen:
            continue
        seen.add((to, kind))
        id, origin, *times = left.pop((to, kind), (None, "import", None, None))
        if id and (origin != "import" or times == [link.since, link.until]):
            continue
        gone += [id] if id else []
        weight = MENTION_WEIGHT if link.kind == "mentions" else 1.0
        rows.append((
            project.tenant_id, project.id, new_id(), own, to, kind, weight, work.sources[folded.id],
            link.is_supersession, link.since, link.until, link.since, "import",
        ))  # fmt: skip
    unsaid = [id for id, origin, *_ in left.values() if origin == "import"]
    _close_links(work, [*gone, *unsaid])
    insert_all("project_link", _LINK_COLUMNS, rows)
    work.counts.links += len(rows)
    work.counts.withdrawn += len(unsaid)


def _close_links(work: _Import, ids: list[UUID]) -> None:
    if ids:
        execute(
            "UPDATE project_link SET known_to = greatest(%s, known_from) WHERE project_id = %s AND id = ANY(%s)",
            [work.now, work.project.id, ids],
        )


def _choose_links(folded: Folded) -> list[FoldedLink]:
    """Links that hold now first: of one that came, went and came again the last one is kept."""
    return sorted(folded.links, key=lambda link: (link.until is not None, link.since))
