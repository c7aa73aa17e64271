"""Stored facts against the fold, fact by fact, each difference with its reason (D-1). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from memory.rebuild.types import DRIFT, RULES_CHANGED, Difference, Fold, LoggedAction, UserLogs
from memory.types import Fact
from memory.version import ENGINE_VERSION

Slot = tuple[str, str]
FOLLOWED_WITHIN: Final = timedelta(seconds=30)
"""So long after a change of rules a process may still have read by the former ones."""
_COLUMNS = tuple(name for name in Fact.__struct_fields__ if name != "id")
_IN_ANY_ORDER = ("evidence_message_ids",)


def compare_facts(
    *, logs: UserLogs, fold: Fold, rule_set_version: int, raised_at: datetime | None = None
) -> list[Difference]:
    """What is stored otherwise than the logs say, in the order of the fact ids.

    `raised_at`: since when the rules of that version are in force. Earlier messages were read by other versions.
    """
    stored = {fact.id: fact for fact in logs.facts}
    folded = {fact.id: fact for fact in fold.facts}
    found: list[tuple[Fact, str, tuple[str, ...]]] = []
    for fact_id in sorted(stored.keys() | folded.keys()):
        if fact_id not in stored:
            found.append((folded[fact_id], "missing", ()))
        elif fact_id not in folded:
            found.append((stored[fact_id], "unfounded", ()))
        elif columns := list_differing_columns(stored[fact_id], folded[fact_id]):
            found.append((stored[fact_id], "different", columns))
    if not found:
        return []
    touched = _group_actions({fact.slot for fact, _, _ in found}, logs, fold)
    rules = _Rules(
        version=rule_set_version,
        raised_at=raised_at,
        arrivals=_find_arrivals(touched, logs),
        added=frozenset(action.id for action in fold.new_actions),
    )
    reasons = {fact.slot: _find_reason(touched[fact.slot], logs, rules) for fact, _, _ in found}
    return [
        Difference(fact.id, fact.knowledge_type, problem, reasons[fact.slot], columns)
        for fact, problem, columns in found
    ]


def list_differing_columns(stored: Fact, folded: Fact) -> tuple[str, ...]:
    """Names of the columns in which two facts differ."""
    return tuple(name for name in _COLUMNS if _read(stored, name) != _read(folded, name))


def _read(fact: Fact, name: str) -> object:
    value = getattr(fact, name)
    return sorted(value) if name in _IN_ANY_ORDER else value


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules in force, since when, and when the messages came that matter."""

    version: int
    raised_at: datetime | None
    arrivals: Mapping[UUID, datetime]
    added: frozenset[UUID]
    """Actions of the fold alone: their version is that of now, not that by which the message was read."""

    def have_changed_since(self, action: LoggedAction) -> bool:
        """Whether other rules read, or may have read, the message of an action when it came."""
        if action.rule_set_version is not None and action.id not in self.added:
            return action.rule_set_version != self.version
        arrived_at = self.arrivals.get(action.message_id) if action.message_id else None
        return bool(self.raised_at and arrived_at and arrived_at < self.raised_at + FOLLOWED_WITHIN)


def _group_actions(slots: set[Slot], logs: UserLogs, fold: Fold) -> dict[Slot, list[LoggedAction]]:
    """The actions that touched each key, stored ones and those that the fold adds.

    A fact whose row is gone is known by the place of the action that made it: its id is not that of the log.
    """
    slots_of: dict[UUID | int, set[Slot]] = defaultdict(set)
    for fact in (*fold.facts, *logs.facts):
        slots_of[fact.id].add(fact.slot)
        slots_of[fact.log_position].add(fact.slot)
    found: dict[Slot, list[LoggedAction]] = defaultdict(list)
    for action in (*logs.actions, *fold.new_actions):
        named: list[UUID | int] = [action.position, *action.get_fact_ids()]
        touched = {slot for name in named if name in slots_of for slot in slots_of[name]}
        for slot in touched & slots:
            found[slot].append(action)
    return found


def _find_arrivals(touched: Mapping[Slot, list[LoggedAction]], logs: UserLogs) -> dict[UUID, datetime]:
    ids = {action.message_id for actions in touched.values() for action in actions if action.message_id}
    return logs.messages.find_arrivals(ids)


def _find_reason(actions: Iterable[LoggedAction], logs: UserLogs, rules: _Rules) -> str:
    """Why the facts of a key differ: one cause reaches all versions of the key that come after it."""
    if any(action.engine_version != ENGINE_VERSION for action in logs.actions):
        return "engine_changed"
    if any(rules.have_changed_since(action) for action in actions):
        return RULES_CHANGED
    return "erased" if logs.has_erasures else DRIFT
