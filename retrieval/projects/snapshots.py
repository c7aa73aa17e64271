"""Snapshots: built under a budget, stored as ids and versions, used again while nothing has changed (SPEC J-3).

Order: anchors (mission, goals, constraints) are never cut; then parts from the most to the least worth, until the
budget is used up. The same records, question and budget give the same bytes but for `id`, `version` and
`built_at` (D-52).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from memory.database.statements import fetch_row, fetch_rows, insert_all
from memory.ids import new_id
from memory.projects.errors import BudgetTooSmall
from memory.projects.selectors.projects import describe_project
from memory.projects.services.locking import check_room, lock_project
from memory.projects.services.runs import RunNote, note_run
from memory.projects.types import ProjectRef, ProjectView
from memory.projects.words import ProjectWords
from retrieval.pack.token_counters import ESTIMATE
from retrieval.projects import weights
from retrieval.projects.candidates import Part, Wanted, find_candidates, open_parts
from retrieval.projects.reading import Snapshot, SnapshotRow, hash_entries, read_row, read_snapshot, show_snapshot

TOKENIZER: Final = ESTIMATE.name
_FIND_AGAIN: Final = """
SELECT id FROM project_snapshot
WHERE project_id = %s AND cache_key = %s AND change = %s AND built_at > %s ORDER BY built_at DESC LIMIT 1
"""
_COLUMNS: Final = (
    "tenant_id", "project_id", "id", "version", "user_id", "change", "cache_key", "built_at", "as_of", "known_at",
    "project_version", "budget_tokens", "used_tokens", "entries", "hash",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chosen:
    """The parts that fit, in order, and what they cost."""

    parts: Sequence[Part]
    used_tokens: int


def build_snapshot(wanted: Wanted, *, budget_tokens: int) -> Snapshot:
    """The snapshot of a project for a question, as of a moment; the one that was just built where nothing has changed.

    Writes the snapshot. Raises BudgetTooSmall when the anchors alone do not fit, ProjectFull.
    """
    again = _find_again(wanted, budget_tokens)
    if again is not None:
        return read_snapshot(wanted.project, read_row(wanted.project, again))
    view = describe_project(wanted.project, when=wanted.when, has_counts=False)
    most = min(weights.MAX_CONSIDERED, budget_tokens // weights.LEAST_TOKENS + weights.SPARE)
    parts = open_parts(
        wanted, find_candidates(wanted, most=most), at_once=budget_tokens // (2 * weights.LEAST_TOKENS) + 1
    )
    chosen = choose_parts(parts, anchors=write_anchors(view), budget_tokens=budget_tokens)
    row = _store(wanted, view, chosen, budget_tokens)
    return show_snapshot(wanted.project, row, view, [part.shown for part in chosen.parts])


def write_anchors(view: ProjectView) -> str:
    """What a snapshot always has."""
    return "\n".join([view.name, view.mission, *view.goals, *view.constraints])


def choose_parts(parts: Iterable[Part], *, anchors: str, budget_tokens: int) -> Chosen:
    """The parts that fit beside the anchors: from the first on, until one does not fit. Pure.

    A part that is longer than a quarter of the budget is left out, so that it does not take the place of all others.
    Raises BudgetTooSmall.
    """
    used = ESTIMATE.count(anchors)
    if used > budget_tokens:
        raise BudgetTooSmall(fields={"budget_tokens": f"mission, goals and constraints take {used}"})
    chosen = []
    counts = dict.fromkeys(weights.LIMITS, 0)
    for part in parts:
        cost = ESTIMATE.count(part.text)
        if cost > budget_tokens * weights.LONGEST_SHARE or counts.get(part.section, 0) >= weights.LIMITS.get(
            part.section, math.inf
        ):
            continue
        if used + cost > budget_tokens:
            break
        used += cost
        if part.section in counts:
            counts[part.section] += 1
        chosen.append(part)
    return Chosen(chosen, used)


def _find_again(wanted: Wanted, budget_tokens: int) -> UUID | None:
    since = wanted.now - settings.UNDE_TUNING.PROJECT_SNAPSHOT_KEPT
    project = wanted.project
    rows = fetch_rows(_FIND_AGAIN, [project.id, _make_cache_key(wanted, budget_tokens), project.change, since])
    return rows[0][0] if rows else None


def _make_cache_key(wanted: Wanted, budget_tokens: int) -> bytes:
    told = [
        weights.RECIPE, wanted.query, budget_tokens, wanted.user_id.hex, wanted.language, *_write_times(wanted)
    ]  # fmt: skip
    return ProjectWords(wanted.project).make_key("snapshot", json.dumps(told, ensure_ascii=False))


def _write_times(wanted: Wanted) -> list[str | None]:
    return [each.isoformat() if each else None for each in (wanted.when.as_of, wanted.when.known_at)]


def _store(wanted: Wanted, view: ProjectView, chosen: Chosen, budget_tokens: int) -> SnapshotRow:
    project, now = wanted.project, wanted.now
    locked = lock_project(project)
    limit = settings.UNDE_TUNING.PROJECT_MAX_SNAPSHOTS
    check_room(locked, table="project_snapshot", more=1, limit=limit, name="snapshots")
    version = fetch_row("UPDATE project SET snapshots = snapshots + 1 WHERE id = %s RETURNING snapshots", [project.id])[
        0
    ]
    entries = [{"s": part.section, **part.entry} for part in chosen.parts]
    hashed = hash_entries(
        project_version=view.version, budget_tokens=budget_tokens, times=_write_times(wanted), entries=entries
    )
    id = new_id()
    item = (project.tenant_id, project.id, id, "snapshot", str(id), now)
    insert_all("project_item", ("tenant_id", "project_id", "id", "kind", "external_id", "created_at"), [item])
    row = (
        project.tenant_id, project.id, id, version, wanted.user_id, project.change,
        _make_cache_key(wanted, budget_tokens), now, wanted.when.as_of, wanted.when.known_at, view.version,
        budget_tokens, chosen.used_tokens, json.dumps(entries), bytes.fromhex(hashed),
    )  # fmt: skip
    insert_all("project_snapshot", _COLUMNS, [row])
    return SnapshotRow(
        id, version, wanted.user_id, now, wanted.when.as_of, wanted.when.known_at, view.version, budget_tokens,
        chosen.used_tokens, entries, hashed, project.change,
    )  # fmt: skip


def note_snapshot(snapshot: Snapshot, *, milliseconds: float, now: datetime) -> None:
    """Counts of a build, for the monitor. Writes."""
    stated = [fact for fact in snapshot.facts if fact.level == "fact"]
    note_run(
        snapshot.project,
        RunNote(
            process="snapshot", milliseconds=milliseconds, budget_tokens=snapshot.row.budget_tokens,
            used_tokens=snapshot.row.used_tokens, stated=len(stated),
            attributed=sum(bool(fact.sources) for fact in stated),
        ),
        now=now,
    )  # fmt: skip


def refresh(project: ProjectRef) -> ProjectRef:
    """The project with the number of its latest change."""
    change = fetch_row("SELECT change FROM project WHERE id = %s", [project.id])[0]
    return replace(project, change=change)
