"""One user's rebuild, and the comparison that changes nothing (SPEC M-4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from memory.fence.user_lock import lock_user
from memory.rebuild.comparing import compare_facts
from memory.rebuild.folding import fold_logs
from memory.rebuild.logs import load_logs
from memory.rebuild.lost_keys import NOTHING_LOST, Lost, drop_unreadable
from memory.rebuild.types import KEY_LOST, Difference, Fold, RebuildOutcome, UserLogs
from memory.rebuild.unproven import compare_unproven, list_places, rebuild_unproven
from memory.rebuild.writing import list_slots, write_fold
from memory.registries import comparers, rebuilders
from memory.storing.messages import list_ingest_steps
from memory.storing.types import IngestStep
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef, UserRef
from patterns.registry import get_rule_set
from patterns.selectors import find_raised_at


def compare_user(*, tenant: TenantRef, user: UserRef) -> RebuildOutcome:
    """Fold both logs of a user and say where the stored facts differ, and where what is derived is not what a
    rebuild would write. Changes nothing. Raises UserErased, UserBusy.
    """
    with tenant_scope(tenant.id):
        lock_user(user=user)
        logs, fold, differences = _fold_and_compare(tenant, user)
        derived = [found for compare in comparers for found in compare(user)]
        derived += compare_unproven(
            user=user,
            zone=tenant.zone,
            logs=logs,
            fold=fold,
            rule_set_version=get_rule_set(tenant_id=tenant.id).version,
        )
        return _make_outcome(user, logs, differences, derived_differences=derived)


def rebuild_user(*, tenant: TenantRef, user: UserRef, now: datetime, is_key_lost: bool = False) -> RebuildOutcome:
    """Make a user's facts and index what the logs say, in one transaction under the lock. Writes.

    With `is_key_lost` what no key opens is dropped first, and learnt again from the messages (D-15). May be repeated
    and interrupted: a user is rebuilt as a whole or not at all. Raises UserErased, UserBusy, SealBroken.
    """
    with tenant_scope(tenant.id):
        lock_user(user=user)
        lost = drop_unreadable(user=user) if is_key_lost else NOTHING_LOST
        logs, fold, differences = _fold_and_compare(tenant, user, lost)
        if differences:
            slots = list_slots(logs=logs, fold=fold, fact_ids={each.fact_id for each in differences})
            write_fold(user=user, logs=logs, fold=fold, slots=slots, now=now)
        derived = {name: rebuild(user) for name, rebuild in rebuilders.items()}
        derived["candidates and items"] = rebuild_unproven(user=user, zone=tenant.zone, logs=logs, fold=fold)
        return _make_outcome(user, logs, differences, derived=derived, lost=lost.counts)


def list_folding_steps() -> list[IngestStep]:
    """The ingest steps that decide on facts: neither those that let messages in nor those that only derive."""
    steps = [step for step in list_ingest_steps() if not step.is_admission]
    return [step for step in steps if type(step).on_message is not IngestStep.on_message]


def _fold_and_compare(
    tenant: TenantRef, user: UserRef, lost: Lost = NOTHING_LOST
) -> tuple[UserLogs, Fold, list[Difference]]:
    logs = replace(load_logs(user=user), lost=lost.facts)
    places = list_places(user=user)
    fold = fold_logs(user=user, logs=logs, zone=tenant.zone, steps=list_folding_steps(), places=places)
    version = get_rule_set(tenant_id=tenant.id).version
    differences = compare_facts(logs=logs, fold=fold, rule_set_version=version, raised_at=find_raised_at())
    return logs, fold, [replace(each, reason=KEY_LOST) for each in differences] if lost.facts else differences


def _make_outcome(user: UserRef, logs: UserLogs, differences: list[Difference], **more: Any) -> RebuildOutcome:
    """In the tenant's scope still: messages are counted in the database."""
    return RebuildOutcome(
        user_id=user.id, messages=len(logs.messages), facts=len(logs.facts), differences=differences, **more
    )
