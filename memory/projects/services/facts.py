"""Facts are stored, renewed, and held against each other (SPEC J-1, MAAS policies).

No source, no fact: it is a hypothesis. The same statement again adds its source. Another value of the same subject
never overwrites: both stay, linked, with a question. One that comes under the id of a fact is its next version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from memory.database.statements import execute, fetch_rows, insert_all
from memory.errors import InvalidRequest
from memory.ids import new_id
from memory.projects.services.conflicts import Opening, close_by_later_fact, close_outdated, open_conflicts
from memory.projects.services.locking import check_room, lock_project, note_change
from memory.projects.services.sources import SourceAt, StoredSource, check_moment, find_message_users, store_sources
from memory.projects.types import ProjectFactBody, ProjectRef
from memory.projects.words import FACT, ProjectWords, write_value

_COLUMNS: Final = (
    "tenant_id", "project_id", "id", "version", "level", "status", "is_exclusive", "is_negative", "subject_key",
    "value_key", "stance_key", "terms", "sealed", "source_id", "valid_from", "valid_to", "known_from", "origin",
    "actor",
)  # fmt: skip
_READ: Final = """
SELECT f.id, i.external_id, f.version, f.level, f.status, f.is_exclusive, f.is_negative, f.subject_key, f.value_key,
  f.stance_key, f.source_id, f.valid_from, f.valid_to, f.known_from, f.terms, f.sealed
FROM project_fact f JOIN project_item i ON i.project_id = f.project_id AND i.id = f.id
WHERE f.project_id = %s AND f.known_to IS NULL
  AND (f.subject_key = ANY(%s) OR i.external_id = ANY(%s) OR f.id = ANY(%s))
ORDER BY f.id
"""
_EVIDENCE: Final = "SELECT fact_id, source_id FROM project_evidence WHERE project_id = %s AND fact_id = ANY(%s)"


@dataclass(slots=True)
class Held:
    """The current version of a fact while a write goes on."""

    id: UUID
    external_id: str
    version: int
    level: str
    status: str
    is_exclusive: bool
    is_negative: bool
    subject_key: bytes
    value_key: bytes
    stance_key: bytes
    source_id: UUID | None
    valid_from: datetime
    valid_to: datetime | None
    known_from: datetime
    terms: list[int]
    sealed: bytes
    evidence: set[UUID] = field(default_factory=set)

    def says_as(self, other: Held) -> bool:
        """Whether both state the same."""
        return (self.subject_key, self.value_key) == (other.subject_key, other.value_key)

    def overlaps(self, other: Held) -> bool:
        """Whether there is a moment at which both would hold."""
        return not (_ends_by(self, other.valid_from) or _ends_by(other, self.valid_from))


@dataclass(frozen=True, slots=True)
class FactOutcome:
    """What became of one statement. `action`: added, renewed, changed, refuted or stored_as_hypothesis."""

    id: UUID
    external_id: str
    action: str
    level: str
    version: int
    contradicts: tuple[str, ...] = ()


@dataclass(slots=True)
class _Write:
    """A write in the making: what is held, and what is to be stored."""

    project: ProjectRef
    words: ProjectWords
    now: datetime
    origin: str
    actor: str
    held: dict[UUID, Held]
    closed: list[tuple[UUID, int]] = field(default_factory=list)
    versions: list[tuple[Held, str]] = field(default_factory=list)
    items: list[tuple[UUID, str]] = field(default_factory=list)
    evidence: list[tuple[UUID, UUID]] = field(default_factory=list)
    openings: list[Opening] = field(default_factory=list)
    supported: list[tuple[UUID, StoredSource]] = field(default_factory=list)
    changed: set[UUID] = field(default_factory=set)


def put_facts(
    project: ProjectRef,
    *,
    facts: Sequence[ProjectFactBody],
    origin: str,
    actor: str,
    now: datetime,
    stored_sources: Mapping[int, UUID] | None = None,
) -> list[FactOutcome]:
    """Store statements in their order; what became of each. All of them or, when one is refused, none.

    `stored_sources`: of statements by their place, sources that are there already.

    Raises UnknownSource, QuoteNotFound, InvalidRequest, ProjectFull, ProjectBusy. Writes.
    """
    for index, body in enumerate(facts):
        _check_times(body, index)
    users = find_message_users(project, [body.source for body in facts])
    locked = lock_project(project, users=users)
    limit = settings.UNDE_TUNING.PROJECT_MAX_FACT_VERSIONS
    check_room(locked, table="project_fact", more=len(facts), limit=limit, name="facts")
    sources = _store_sources(locked, facts, now) | _find_sources(locked, stored_sources or {})
    words = ProjectWords(locked)
    drafts = [_draft(words, body, sources.get(index), now) for index, body in enumerate(facts)]
    write = _Write(locked, words, now, origin, actor, _read_held(locked, drafts, facts))
    outcomes = [
        _decide(write, draft, body, sources.get(index))
        for index, (draft, body) in enumerate(zip(drafts, facts, strict=True))
    ]
    _store(write)
    return outcomes


def refute_fact(project: ProjectRef, *, fact_id: UUID, actor: str, now: datetime) -> None:
    """A next version that says: this was not so. Call under the project's lock. Writes."""
    rows = _read_rows(project, ids=[fact_id])
    for held in rows.values():
        if held.status == "active":
            write = _Write(project, ProjectWords(project), now, "caller", actor, rows)
            _replace_version(write, replace(held, status="refuted"))
            _store(write)


# --- deciding ---------------------------------------------------------------------------------------------------------


def _check_times(body: ProjectFactBody, index: int) -> None:
    path = f"facts[{index}]"
    check_moment(body.valid_from, path=f"{path}.valid_from")
    check_moment(body.valid_to, path=f"{path}.valid_to")
    if body.valid_from and body.valid_to and body.valid_to <= body.valid_from:
        raise InvalidRequest(fields={f"{path}.valid_to": "must be later than valid_from"})


def _store_sources(project: ProjectRef, facts: Sequence[ProjectFactBody], now: datetime) -> dict[int, StoredSource]:
    named = [(index, body.source) for index, body in enumerate(facts) if body.source]
    wanted = [SourceAt(f"facts[{index}].source", source) for index, source in named]
    stored = store_sources(project, wanted=wanted, now=now) if wanted else []
    return {index: source for (index, _), source in zip(named, stored, strict=True)}


def _find_sources(project: ProjectRef, wanted: Mapping[int, UUID]) -> dict[int, StoredSource]:
    statement = "SELECT id, dated, user_id FROM project_source WHERE project_id = %s AND id = ANY(%s)"
    rows = {row[0]: StoredSource(*row) for row in fetch_rows(statement, [project.id, list(wanted.values())])}
    return {index: rows[id] for index, id in wanted.items() if id in rows}


def _draft(words: ProjectWords, body: ProjectFactBody, source: StoredSource | None, now: datetime) -> Held:
    """The statement as a first version. A statement by an assistant, or by nobody, is a hypothesis."""
    keys = words.key_fact(body.subject, body.value)
    is_proven = source is not None and not source.is_answer
    valid_from = body.valid_from or (source.dated if source else now)
    if body.valid_to and body.valid_to <= valid_from:
        raise InvalidRequest(fields={"valid_to": "lies before the date of the source"})
    id = new_id()
    return Held(
        id=id,
        external_id=body.id or str(id),
        version=1,
        level=body.level if is_proven else "hypothesis",
        status="active",
        is_exclusive=body.exclusive,
        is_negative=keys.is_negative,
        subject_key=keys.subject,
        value_key=keys.value,
        stance_key=keys.stance,
        source_id=source.id if source else None,
        valid_from=valid_from,
        valid_to=body.valid_to,
        known_from=now,
        terms=words.number_terms(body.subject, write_value(body.value)),
        sealed=words.seal({"subject": body.subject, "value": body.value}, purpose=FACT),
        evidence={source.id} if source else set(),
    )


def _decide(write: _Write, draft: Held, body: ProjectFactBody, source: StoredSource | None) -> FactOutcome:
    known = next((held for held in write.held.values() if body.id and held.external_id == body.id), None)
    if known is not None:
        return _decide_next_version(write, known, draft, source)
    same = [held for held in write.held.values() if held.says_as(draft) and held.overlaps(draft)]
    active = next((held for held in same if held.status == "active"), None)
    if active is not None:
        return _renew(write, active, draft, source)
    refuted = next((held for held in same if held.status == "refuted"), None)
    if refuted is not None and not _is_news(refuted, source):
        return FactOutcome(refuted.id, refuted.external_id, "refuted", refuted.level, refuted.version)
    write.items.append((draft.id, draft.external_id))
    return _add(write, draft, body, source)


def _add(write: _Write, draft: Held, body: ProjectFactBody, source: StoredSource | None) -> FactOutcome:
    write.held[draft.id] = draft
    write.versions.append((draft, write.origin))
    if source:
        write.evidence.append((draft.id, source.id))
    is_lowered = draft.level == "hypothesis" and body.level != "hypothesis"
    action = "stored_as_hypothesis" if is_lowered or source is None else "added"
    return FactOutcome(draft.id, draft.external_id, action, draft.level, 1, _find_contradictions(write, draft))


def _renew(write: _Write, held: Held, draft: Held, source: StoredSource | None) -> FactOutcome:
    """The same again: its source is evidence more; a hypothesis with a source is no hypothesis any more."""
    if source and source.id not in held.evidence:
        held.evidence.add(source.id)
        write.evidence.append((held.id, source.id))
        if not source.is_answer:
            write.supported.append((held.id, source))
    if held.level == "hypothesis" and draft.level != "hypothesis":
        held = _replace_version(write, replace(held, level=draft.level, source_id=draft.source_id))
    return FactOutcome(held.id, held.external_id, "renewed", held.level, held.version, _list_contradicted(write, held))


def _decide_next_version(write: _Write, known: Held, draft: Held, source: StoredSource | None) -> FactOutcome:
    is_same = known.says_as(draft) and known.status == "active" and known.is_exclusive == draft.is_exclusive
    if is_same and (draft.valid_to is None or draft.valid_to == known.valid_to):
        return _renew(write, known, draft, source)
    write.changed.add(known.id)
    if source and source.id not in known.evidence:
        write.evidence.append((known.id, source.id))
    following = replace(draft, id=known.id, external_id=known.external_id, evidence=known.evidence | draft.evidence)
    stored = _replace_version(write, following, after=known)
    action = "stored_as_hypothesis" if source is None else "changed"
    return FactOutcome(
        stored.id, stored.external_id, action, stored.level, stored.version, _find_contradictions(write, stored)
    )


def _replace_version(write: _Write, following: Held, *, after: Held | None = None) -> Held:
    before = after or write.held[following.id]
    stored = replace(following, version=before.version + 1, known_from=write.now)
    write.closed.append((before.id, before.version))
    write.versions.append((stored, write.origin))
    write.held[stored.id] = stored
    return stored


def _find_contradictions(write: _Write, draft: Held) -> tuple[str, ...]:
    found = []
    for held in write.held.values():
        rule = _find_rule(held, draft)
        if rule:
            write.openings.append(Opening(rule, "fact", draft.id, held.id, draft.source_id))
            found.append(held.external_id)
    return tuple(found)


def _list_contradicted(write: _Write, held: Held) -> tuple[str, ...]:
    return tuple(other.external_id for other in write.held.values() if _find_rule(other, held))


def _find_rule(held: Held, draft: Held) -> str | None:
    """Why two statements cannot both be so, None when they can (KNOWLEDGE section 4)."""
    if held.id == draft.id or held.subject_key != draft.subject_key or held.status != "active":
        return None
    if "interpretation" in (held.level, draft.level) or held.value_key == draft.value_key or not held.overlaps(draft):
        return None
    if held.stance_key == draft.stance_key and held.is_negative != draft.is_negative:
        return "polarity"
    return "exclusive" if held.is_exclusive or draft.is_exclusive else None


def _is_news(refuted: Held, source: StoredSource | None) -> bool:
    """Whether a refuted statement comes with a proof that was not there when it was refuted."""
    return source is not None and not source.is_answer and source.dated > refuted.known_from


def _ends_by(held: Held, moment: datetime) -> bool:
    return held.valid_to is not None and held.valid_to <= moment


# --- storing ----------------------------------------------------------------------------------------------------------


def _read_held(project: ProjectRef, drafts: Sequence[Held], facts: Sequence[ProjectFactBody]) -> dict[UUID, Held]:
    keys = list({draft.subject_key for draft in drafts})
    return _read_rows(project, keys=keys, external_ids=[body.id for body in facts if body.id])


def _read_rows(
    project: ProjectRef, *, keys: Sequence[bytes] = (), external_ids: Sequence[str] = (), ids: Sequence[UUID] = ()
) -> dict[UUID, Held]:
    rows = fetch_rows(_READ, [project.id, list(keys), list(external_ids), list(ids)])
    held = {row[0]: Held(*map(_plain, row)) for row in rows}
    for fact_id, source_id in fetch_rows(_EVIDENCE, [project.id, list(held)]):
        held[fact_id].evidence.add(source_id)
    return held


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def _store(write: _Write) -> None:
    project, now = write.project, write.now
    columns = ("tenant_id", "project_id", "id", "kind", "external_id", "created_at")
    insert_all(
        "project_item", columns, [(project.tenant_id, project.id, id, "fact", name, now) for id, name in write.items]
    )
    for fact_id, version in write.closed:
        _close_version(write, fact_id, version)
    current = [(held, origin) for held, origin in write.versions]
    last = {held.id: held.version for held, _ in current}
    insert_all(
        "project_fact", (*_COLUMNS, "known_to"), [_make_row(write, held, origin, last) for held, origin in current]
    )
    evidence = dict.fromkeys(write.evidence)
    insert_all(
        "project_evidence",
        ("tenant_id", "project_id", "fact_id", "source_id", "added_at"),
        [(project.tenant_id, project.id, fact_id, source_id, now) for fact_id, source_id in evidence],
    )
    close_outdated(project, changed=write.changed, still=write.openings, now=now)
    open_conflicts(project, openings=write.openings, now=now)
    for lost in close_by_later_fact(project, supported=write.supported, actor=write.actor, now=now):
        refute_fact(project, fact_id=lost, actor=write.actor, now=now)
    if write.versions or write.evidence:
        note_change(project, now=now)


def _close_version(write: _Write, fact_id: UUID, version: int) -> None:
    # A version that was made in this very write is closed when it is inserted.
    execute(
        "UPDATE project_fact SET known_to = %s WHERE project_id = %s AND id = %s AND version = %s AND known_to IS NULL",
        [write.now, write.project.id, fact_id, version],
    )


def _make_row(write: _Write, held: Held, origin: str, last: dict[UUID, int]) -> tuple[Any, ...]:
    known_to = write.now if held.version < last[held.id] else None
    return (
        write.project.tenant_id, write.project.id, held.id, held.version, held.level, held.status, held.is_exclusive,
        held.is_negative, held.subject_key, held.value_key, held.stance_key, held.terms, held.sealed, held.source_id,
        held.valid_from, held.valid_to, held.known_from, origin, write.actor, known_to,
    )  # fmt: skip
