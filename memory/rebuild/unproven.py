"""Candidates and adaptive items held against the stored answers, and made anew from them (SPEC M-4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import transaction

from memory.extraction.runs.replaying import (
    History,
    Row,
    find_answer,
    find_twin,
    list_judged_runs,
    list_stored,
    replay_answers,
)
from memory.extraction.unproven.candidates import PURPOSE as CANDIDATE
from memory.extraction.unproven.items import PURPOSE as ITEM
from memory.models import ExtractionRun, FactCandidate
from memory.rebuild.types import DRIFT, RULES_CHANGED, Fold, UserLogs
from memory.registries import DerivedDifference
from memory.sealing.vault import UserVault
from memory.types import UserRef
from memory.version import ENGINE_VERSION

_MADE: Final = ("added", "superseded", "renewed", "restored")
"""What an action did to a fact that a promoted candidate may name."""


def list_places(*, user: UserRef) -> list[int]:
    """Where in the action log the facts are needed for the answers to be judged again."""
    return [run.log_position for run in list_judged_runs(user=user) if run.log_position is not None]


def compare_unproven(
    *, user: UserRef, zone: ZoneInfo, logs: UserLogs, fold: Fold, rule_set_version: int
) -> list[DerivedDifference]:
    """Rows that are stored otherwise than a rebuild would write them. Changes nothing. Under the user's lock."""
    runs = list_judged_runs(user=user)
    if not _can_replay(user, runs, logs):
        return []
    stored = list_stored(user=user)
    with transaction.atomic():
        _replay(user, zone, logs, fold, stored)
        rebuilt = list_stored(user=user)
        transaction.set_rollback(True)
    reason = _find_reason(runs, rule_set_version)
    return list(_compare(stored, rebuilt, vault=UserVault(user_id=user.id), reason=reason))


def rebuild_unproven(*, user: UserRef, zone: ZoneInfo, logs: UserLogs, fold: Fold) -> int:
    """Make candidates and items what the stored answers say; how many there are. Writes under the user's lock.

    They stay as they are where an answer is gone with an erasure or a lost key, or was judged by a version of this
    service that did not note by what.
    """
    if _can_replay(user, list_judged_runs(user=user), logs):
        _replay(user, zone, logs, fold, list_stored(user=user))
    return len(list_stored(user=user))


def _can_replay(user: UserRef, runs: Sequence[ExtractionRun], logs: UserLogs) -> bool:
    if logs.has_erasures or logs.lost:
        return False
    return all(run.log_position is not None and find_answer(run, user=user) is not None for run in runs)


def _find_reason(runs: Sequence[ExtractionRun], rule_set_version: int) -> str:
    if any(run.engine_version != ENGINE_VERSION for run in runs):
        return "engine_changed"
    return RULES_CHANGED if any(run.rule_set_version != rule_set_version for run in runs) else DRIFT


def _replay(user: UserRef, zone: ZoneInfo, logs: UserLogs, fold: Fold, stored: Sequence[Row]) -> None:
    replay_answers(user=user, zone=zone, stored=stored, history=_make_history(logs, fold))
    for row in stored:
        # What a receipt or a page remembers still leads there.
        find_twin(row).update(id=row.id)


def _make_history(logs: UserLogs, fold: Fold) -> History:
    promoted: dict[tuple[UUID, tuple[UUID, ...]], UUID] = {}
    accepted = set()
    forgets, to_items = [], []
    for action in logs.actions:
        evidence = tuple(map(UUID, action.detail.get("message_ids", ())))
        if "candidate_id" in action.detail:
            accepted.add(UUID(action.detail["candidate_id"]))
        elif "run_id" in action.detail:
            made = action.get_fact_ids(*_MADE)
            promoted.update({(UUID(action.detail["run_id"]), evidence): fact_id for fact_id in made[:1]})
        if action.kind in ("forget", "restore"):
            forgets.append((action.recorded_at, action.kind == "forget", logs.list_hidden(action)))
        if action.kind in ("merge", "part") or "denied_items" in action.detail:
            to_items.append((action.recorded_at, action.kind, action.detail))
    return History(fold.facts_at, promoted, frozenset(accepted), forgets, to_items)


def _compare(
    stored: Sequence[Row], rebuilt: Sequence[Row], *, vault: UserVault, reason: str
) -> Iterator[DerivedDifference]:
    old, new = ({row.id: row for row in rows} for rows in (stored, rebuilt))
    for row_id in sorted(old.keys() | new.keys()):
        row = old.get(row_id) or new[row_id]
        columns: tuple[str, ...] = ()
        if row_id in old and row_id in new:
            columns = _list_differing(old[row_id], new[row_id], vault)
            if not columns:
                continue
        problem = "different" if columns else "unfounded" if row_id in old else "missing"
        table = row._meta.db_table
        yield DerivedDifference(table, row.evidence_message_ids[-1], problem, columns, reason, row_id)


def _list_differing(old: Row, new: Row, vault: UserVault) -> tuple[str, ...]:
    one, other = _read(old, vault), _read(new, vault)
    return tuple(name for name in one if one[name] != other[name])


def _read(row: Row, vault: UserVault) -> dict[str, Any]:
    """The columns of a row, its words opened."""
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    values["key_hash"] = bytes(values["key_hash"])
    values["sealed"] = vault.open(row.sealed, purpose=CANDIDATE if isinstance(row, FactCandidate) else ITEM)
    return values
