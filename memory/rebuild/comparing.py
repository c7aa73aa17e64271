"""Stored facts against the fold, fact by fact, each difference with its reason (D-1). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from memory.rebuild.types import DRIFT, Difference, Fold, LoggedAction, UserLogs
from memory.types import Fact
from memory.version import ENGINE_VERSION

Slot = tuple[str, str]
_COLUMNS = tuple(name for name in Fact.__struct_fields__ if name != "id")
_IN_ANY_ORDER = ("evidence_message_ids",)


def compare_facts(*, logs: UserLogs, fold: Fold, rule_set_version: int) -> list[Difference]:
    """What is stored otherwise than the logs say, in the order of the fact ids."""
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
    reasons = _find_reasons({fact.slot for fact, _, _ in found}, logs, fold, rule_set_version)
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


def _find_reasons(slots: set[Slot], logs: UserLogs, fold: Fold, rule_set_version: int) -> dict[Slot, str]:
    """Why the facts of a key differ: one cause reaches all versions of the key that come after it."""
    touched = _group_actions(slots, logs, fold)
    return {slot: _find_reason(touched[slot], logs, rule_set_version) for slot in slots}


def _group_actions(slots: set[Slot], logs: UserLogs, fold: Fold) -> dict[Slot, list[LoggedAction]]:
    slot_of: dict[UUID, Slot] = {fact.id: fact.slot for fact in (*fold.facts, *logs.facts)}
    found: dict[Slot, list[LoggedAction]] = defaultdict(list)
    for action in logs.actions:
        for slot in {slot_of[fact_id] for fact_id in action.get_fact_ids() if fact_id in slot_of} & slots:
            found[slot].append(action)
    return found


def _find_reason(actions: Iterable[LoggedAction], logs: UserLogs, rule_set_version: int) -> str:
    if any(action.engine_version != ENGINE_VERSION for action in logs.actions):
        return "engine_changed"
    versions = {action.rule_set_version for action in actions} - {None}
    if versions - {rule_set_version} or (not versions and _were_rules_changed(logs, rule_set_version)):
        return "rule_set_changed"
    return "erased" if logs.has_erasures else DRIFT


def _were_rules_changed(logs: UserLogs, rule_set_version: int) -> bool:
    """Whether anything was ever read for this user by other rules: then a message that taught nothing may teach now."""
    return any(action.rule_set_version not in (None, rule_set_version) for action in logs.actions)
