"""Decisions, their states with history, and what takes the place of what (SPEC J-1, D-53)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from memory.database.statements import execute, fetch_row, fetch_rows, insert_all
from memory.errors import InvalidRequest
from memory.ids import new_id
from memory.projects.errors import InvalidTransition, SourceRequired
from memory.projects.selectors.projects import find_items
from memory.projects.services.conflicts import Opening, close_superseded, open_conflicts
from memory.projects.services.locking import check_room, lock_project, note_change
from memory.projects.services.sources import SourceAt, StoredSource, check_moment, find_message_users, store_sources
from memory.projects.types import STANDING, DecisionBody, ProjectRef, SourceBody
from memory.projects.words import DECISION, STATE, ProjectWords
from memory.tenants.database_errors import get_constraint_name

_COLUMNS: Final = (
    "tenant_id", "project_id", "id", "version", "title_key", "terms", "sealed", "decided_at", "source_id", "known_from",
    "origin", "actor",
)  # fmt: skip
_STATE_COLUMNS: Final = (
    "tenant_id", "project_id", "decision_id", "position", "state", "at", "known_from", "source_id", "superseded_by",
    "is_recorded", "is_source_erased", "sealed", "actor",
)  # fmt: skip
_GUARDS: Final = ("a_state_follows_the_one_before_it", "a_superseded_decision_has_no_later_state")
_CURRENT: Final = """
SELECT d.version, d.title_key, d.sealed, d.source_id, d.is_source_erased, d.decided_at
FROM project_decision d WHERE d.project_id = %s AND d.id = %s AND d.known_to IS NULL
"""


@dataclass(frozen=True, slots=True)
class Writing:
    """Who writes what into which project, and when."""

    project: ProjectRef
    words: ProjectWords
    origin: str
    actor: str
    now: datetime


@dataclass(frozen=True, slots=True)
class NewState:
    """A state to be given. `is_recorded`: taken from a history, with its own word for it."""

    state: str
    at: datetime
    source_id: UUID | None = None
    superseded_by: UUID | None = None
    is_recorded: bool = False
    source_status: str | None = None


def put_decision(
    project: ProjectRef, *, body: DecisionBody, origin: str, actor: str, now: datetime
) -> tuple[UUID, bool]:
    """Store a decision, or the next version of the one with its id; whether it is new.

    What it supersedes is superseded from its date on, once it is accepted. Raises UnknownSource, QuoteNotFound,
    SourceRequired, InvalidTransition, InvalidRequest, ProjectFull. Writes.
    """
    check_moment(body.decided_at, path="decided_at")
    locked = lock_project(project, users=find_message_users(project, [body.source]))
    limit = settings.UNDE_TUNING.PROJECT_MAX_DECISIONS
    check_room(locked, table="project_decision", more=1, limit=limit, name="decisions")
    writing = Writing(locked, ProjectWords(locked), origin, actor, now)
    source = _store_source(writing, body.source)
    older = _find_superseded(locked, body)
    known = find_items(locked, kind="decision", external_ids=[body.id]).get(body.id) if body.id else None
    if known is None:
        decision_id = _add(writing, body, source)
    else:
        decision_id = known
        _change(writing, known, body, source)
    for older_id in older:
        _mark_supersession(writing, decision_id, older_id, source)
    _apply_supersessions(writing, decision_id)
    _find_same_titles(writing, decision_id)
    note_change(locked, now=now)
    return decision_id, known is None


def set_state(
    project: ProjectRef,
    *,
    decision_id: UUID,
    state: str,
    at: datetime | None,
    source: SourceBody | None,
    actor: str,
    now: datetime,
) -> None:
    """Give a decision a state from `at` on. The state that it has already changes nothing.

    Raises InvalidTransition, SourceRequired, UnknownSource. Writes.
    """
    check_moment(at, path="at")
    locked = lock_project(project, users=find_message_users(project, [source]))
    writing = Writing(locked, ProjectWords(locked), "caller", actor, now)
    stored = _store_source(writing, source)
    moment = at or (stored.dated if stored else now)
    if find_state(locked, decision_id, at=moment) == state:
        return
    add_state(writing, decision_id, NewState(state, moment, stored.id if stored else None))
    _apply_supersessions(writing, decision_id)
    _find_same_titles(writing, decision_id)
    note_change(locked, now=now)


def reject_decision(project: ProjectRef, *, decision_id: UUID, actor: str, now: datetime) -> None:
    """A person kept another one in a contradiction. Call under the project's lock. Writes."""
    if find_state(project, decision_id, at=now) not in ("rejected", "superseded"):
        writing = Writing(project, ProjectWords(project), "caller", actor, now)
        add_state(writing, decision_id, NewState("rejected", now))


def find_state(project: ProjectRef, decision_id: UUID, *, at: datetime) -> str | None:
    """The state at a moment, as it is known now."""
    rows = fetch_rows(
        "SELECT state FROM project_decision_state WHERE project_id = %s AND decision_id = %s AND known_to IS NULL"
        " AND at <= %s ORDER BY at DESC, position DESC LIMIT 1",
        [project.id, decision_id, at],
    )
    return rows[0][0] if rows else None


def add_state(writing: Writing, decision_id: UUID, new: NewState) -> None:
    """Append a state. Without a source of its own it rests on the decision's.

    Raises InvalidTransition, SourceRequired. Writes.
    """
    project = writing.project
    source_id, is_erased = new.source_id, False
    if source_id is None:
        rows = fetch_rows(_CURRENT, [project.id, decision_id])
        source_id, is_erased = (rows[0][3], rows[0][4]) if rows else (None, False)
    if source_id is None and not is_erased and new.state not in ("proposed", "rejected"):
        raise SourceRequired(fields={"source": f"is required for {new.state}"})
    sealed = writing.words.seal({"status": new.source_status}, purpose=STATE) if new.source_status else None
    row = (
        project.tenant_id, project.id, decision_id, _find_next_position(project, decision_id), new.state, new.at,
        writing.now, source_id, new.superseded_by, new.is_recorded, is_erased, sealed, writing.actor,
    )  # fmt: skip
    try:
        with transaction.atomic():
            insert_all("project_decision_state", _STATE_COLUMNS, [row])
    except IntegrityError as error:
        if get_constraint_name(error) in _GUARDS:
            raise InvalidTransition(fields={"state": f"{new.state} does not fit the states around it"}) from None
        raise


def supersede(writing: Writing, *, newer: UUID, older: UUID, at: datetime) -> None:
    """Close a decision from a date on: what it was given later is known to be void. Writes."""
    project = writing.project
    rows = fetch_rows(
        "SELECT min(at), bool_or(state = 'superseded' AND superseded_by = %s) FROM project_decision_state"
        " WHERE project_id = %s AND decision_id = %s AND known_to IS NULL",
        [newer, project.id, older],
    )
    first, is_done = rows[0]
    if is_done or first is None:
        return
    moment = max(at, first)
    if find_state(project, older, at=moment) == "superseded":
        return
    execute(
        "UPDATE project_decision_state SET known_to = %s"
        " WHERE project_id = %s AND decision_id = %s AND known_to IS NULL AND at > %s",
        [writing.now, project.id, older, moment],
    )
    source_id = fetch_row(_CURRENT, [project.id, newer])[3]
    add_state(writing, older, NewState("superseded", moment, source_id, superseded_by=newer))
    close_superseded(project, newer=newer, older=older, actor=writing.actor, now=writing.now)


# --- the decision itself ----------------------------------------------------------------------------------------------


def _add(writing: Writing, body: DecisionBody, source: StoredSource | None) -> UUID:
    project, now = writing.project, writing.now
    id = new_id()
    columns = ("tenant_id", "project_id", "id", "kind", "external_id", "created_at")
    insert_all("project_item", columns, [(project.tenant_id, project.id, id, "decision", body.id or str(id), now)])
    _write_version(writing, id, body, source, version=1)
    is_proven = source is not None and not source.is_answer
    state = body.state or ("accepted" if is_proven else "proposed")
    add_state(writing, id, NewState(state if is_proven else _lower(state), _find_date(body, source, now)))
    return id


def _lower(state: str) -> str:
    """Without a proof a decision is a proposal, whatever it is called; a rejected one stays rejected."""
    return state if state == "rejected" else "proposed"


def _change(writing: Writing, id: UUID, body: DecisionBody, source: StoredSource | None) -> None:
    project, now = writing.project, writing.now
    version, _, sealed, source_id, _, decided_at = fetch_row(_CURRENT, [project.id, id])
    before = writing.words.open(sealed, purpose=DECISION) if sealed else None
    date = body.decided_at or decided_at
    if before != _list_words(body) or date != decided_at or (source and source.id != source_id):
        execute(
            "UPDATE project_decision SET known_to = %s WHERE project_id = %s AND id = %s AND known_to IS NULL",
            [now, project.id, id],
        )
        kept = source or (StoredSource(source_id, decided_at) if source_id else None)
        _write_version(writing, id, body, kept, version=version + 1, decided_at=date)
    at = body.decided_at or (source.dated if source else now)
    if body.state and find_state(project, id, at=max(at, now)) != body.state:
        add_state(writing, id, NewState(body.state, at, source.id if source else None))


def _write_version(
    writing: Writing,
    id: UUID,
    body: DecisionBody,
    source: StoredSource | None,
    *,
    version: int,
    decided_at: datetime | None = None,
) -> None:
    words, project = writing.words, writing.project
    row = (
        project.tenant_id, project.id, id, version, words.key_title(body.title),
        words.number_terms(body.title, body.description, body.owner), words.seal(_list_words(body), purpose=DECISION),
        decided_at or _find_date(body, source, writing.now), source.id if source else None, writing.now, writing.origin,
        writing.actor,
    )  # fmt: skip
    insert_all("project_decision", _COLUMNS, [row])


def _list_words(body: DecisionBody) -> dict[str, str]:
    return {"title": body.title, "description": body.description, "owner": body.owner}


def _find_date(body: DecisionBody, source: StoredSource | None, now: datetime) -> datetime:
    return body.decided_at or (source.dated if source else now)


def _store_source(writing: Writing, source: SourceBody | None) -> StoredSource | None:
    if source is None:
        return None
    return store_sources(writing.project, wanted=[SourceAt("source", source)], now=writing.now)[0]


def _find_next_position(project: ProjectRef, decision_id: UUID) -> int:
    rows = fetch_rows(
        "SELECT coalesce(max(position), 0) + 1 FROM project_decision_state WHERE project_id = %s AND decision_id = %s",
        [project.id, decision_id],
    )
    return int(rows[0][0])


# --- what takes the place of what -------------------------------------------------------------------------------------


def _find_superseded(project: ProjectRef, body: DecisionBody) -> Sequence[UUID]:
    names = list(dict.fromkeys(body.supersedes))
    if body.id in names:
        raise InvalidRequest(fields={"supersedes": "a decision does not supersede itself"})
    found = find_items(project, kind="decision", external_ids=names)
    for index, name in enumerate(names):
        if name not in found:
            raise InvalidRequest(fields={f"supersedes[{index}]": "is no decision of this project"})
    return [found[name] for name in names]


_MARK: Final = """
INSERT INTO project_link (tenant_id, project_id, id, from_id, to_id, kind, weight, source_id, is_supersession,
  valid_from, known_from, origin)
VALUES (%s, %s, %s, %s, %s, 'refines', 1, %s, true, %s, %s, %s)
ON CONFLICT (project_id, from_id, to_id, kind) WHERE known_to IS NULL DO UPDATE SET is_supersession = true
"""


def _mark_supersession(writing: Writing, newer: UUID, older: UUID, source: StoredSource | None) -> None:
    project, now = writing.project, writing.now
    if is_superseded_by(project, newer=older, older=newer):
        raise InvalidRequest(fields={"supersedes": "two decisions cannot supersede each other"})
    decided_at = fetch_row(_CURRENT, [project.id, newer])[5]
    execute(
        _MARK,
        [project.tenant_id, project.id, new_id(), newer, older, source.id if source else None, decided_at, now,
         writing.origin],
    )  # fmt: skip


_CHAIN: Final = """
WITH RECURSIVE chain AS (
  SELECT to_id FROM project_link
   WHERE project_id = %(p)s AND from_id = %(newer)s AND is_supersession AND known_to IS NULL
  UNION
  SELECT l.to_id FROM chain c JOIN project_link l ON l.project_id = %(p)s AND l.from_id = c.to_id
   WHERE l.is_supersession AND l.known_to IS NULL)
SELECT EXISTS (SELECT FROM chain WHERE to_id = %(older)s)
"""


def is_superseded_by(project: ProjectRef, *, newer: UUID, older: UUID) -> bool:
    """Whether a decision takes the place of another, at once or by way of others."""
    return bool(fetch_row(_CHAIN, {"p": project.id, "newer": newer, "older": older})[0])


def _apply_supersessions(writing: Writing, newer: UUID) -> None:
    project = writing.project
    rows = fetch_rows(
        "SELECT at FROM project_decision_state WHERE project_id = %s AND decision_id = %s AND known_to IS NULL"
        " AND state = ANY(%s) ORDER BY at, position LIMIT 1",
        [project.id, newer, list(STANDING)],
    )
    if not rows:
        return
    statement = (
        "SELECT to_id FROM project_link WHERE project_id = %s AND from_id = %s AND is_supersession AND known_to IS NULL"
    )
    for (older,) in fetch_rows(statement, [project.id, newer]):
        supersede(writing, newer=newer, older=older, at=rows[0][0])


_SAME_TITLE: Final = """
SELECT o.id FROM project_decision d
JOIN project_decision o
  ON o.project_id = d.project_id AND o.title_key = d.title_key AND o.id <> d.id AND o.known_to IS NULL
WHERE d.project_id = %(p)s AND d.id = %(id)s AND d.known_to IS NULL
"""


def _find_same_titles(writing: Writing, decision_id: UUID) -> None:
    project, now = writing.project, writing.now
    if not _stands(find_state(project, decision_id, at=now)):
        return
    openings = [
        Opening("title", "decision", decision_id, other)
        for (other,) in fetch_rows(_SAME_TITLE, {"p": project.id, "id": decision_id})
        if _stands(find_state(project, other, at=now))
        and not is_superseded_by(project, newer=decision_id, older=other)
        and not is_superseded_by(project, newer=other, older=decision_id)
    ]
    open_conflicts(project, openings=openings, now=now)


def _stands(state: str | None) -> bool:
    return state is not None and state not in ("rejected", "superseded")
