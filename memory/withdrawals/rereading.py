"""One user's stored messages read anew by the rules in force, as a rebuild of facts reads them (SPEC M-4, D-2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from memory.fence.user_lock import lock_user
from memory.rebuild.comparing import compare_facts
from memory.rebuild.folding import fold_logs
from memory.rebuild.logs import load_logs
from memory.rebuild.running import list_folding_steps
from memory.rebuild.types import KEY_LOST, Difference
from memory.rebuild.writing import list_slots, write_fold
from memory.tenants.scope import tenant_scope
from memory.types import Fact, TenantRef, UserRef
from patterns.registry import get_rule_set

_LEFT_ALONE = ("erased", KEY_LOST)
"""Differences that other rules do not explain: what was erased or is sealed cannot be read anew."""
Slot = tuple[str, str]


def reread_user(*, tenant: TenantRef, user: UserRef, now: datetime, is_preview: bool) -> Counter[str]:
    """What the new reading adds to the user's facts, loses and says otherwise, by name and by type; then written.

    A preview changes nothing. One user is read as a whole or not at all, under the lock, since both logs must stand
    still. Raises UserBusy, UserErased, SealBroken.
    """
    with tenant_scope(tenant.id):
        lock_user(user=user)
        logs = load_logs(user=user)
        fold = fold_logs(user=user, logs=logs, zone=tenant.zone, steps=list_folding_steps())
        version = get_rule_set(tenant_id=tenant.id).version
        differences = compare_facts(logs=logs, fold=fold, rule_set_version=version)
        slots = list_slots(logs=logs, fold=fold, fact_ids=_list_fact_ids(differences))
        if slots and not is_preview:
            write_fold(user=user, logs=logs, fold=fold, slots=slots, now=now)
        return count_changes(logs.facts, fold.facts, slots) + Counter(messages=len(logs.messages))


def count_changes(stored: Iterable[Fact], folded: Iterable[Fact], slots: Iterable[Slot]) -> Counter[str]:
    """Added, lost and changed active facts among these keys; "added:allergy" counts one type. Pure."""
    before = {fact.slot: fact for fact in stored if fact.is_active}
    after = {fact.slot: fact for fact in folded if fact.is_active}
    counts: Counter[str] = Counter()
    for slot in slots:
        name = _name_change(before.get(slot), after.get(slot))
        if name:
            counts.update((name, f"{name}:{slot[0]}"))
    return counts


def _name_change(before: Fact | None, after: Fact | None) -> str:
    if before is None or after is None:
        return "added" if after is not None else "lost" if before is not None else ""
    return "changed" if (before.value, before.expires_at) != (after.value, after.expires_at) else ""


def _list_fact_ids(differences: Iterable[Difference]) -> set[UUID]:
    return {each.fact_id for each in differences if each.reason not in _LEFT_ALONE}
