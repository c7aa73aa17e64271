"""Facts made what the logs say. Under the user's lock, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from memory.facts.ledger import PendingAction
from memory.facts.writing import insert_actions, insert_fact
from memory.models import Action, FactRow
from memory.rebuild.types import Fold, UserLogs
from memory.sealing.vault import UserVault
from memory.types import UserRef

Slot = tuple[str, str]


def write_fold(*, user: UserRef, logs: UserLogs, fold: Fold, slots: Collection[Slot], now: datetime) -> None:
    """Write the facts of these keys anew, each with its whole history; other keys stay untouched. Writes.

    A key is replaced as a whole: its versions are numbered by the order in which its rows come.
    """
    vault = UserVault(user_id=user.id)
    gone = [fact.id for fact in logs.facts if fact.slot in slots]
    _append_actions(user=user, fold=fold, vault=vault, now=now)
    FactRow.objects.filter(user_id=user.id, id__in=gone).delete()
    action_ids = dict(Action.objects.filter(user_id=user.id).values_list("position", "id"))
    # The newest version is the active one, if any is: with it last no row meets an active one of its key.
    for fact in sorted(fold.facts, key=lambda each: each.version):
        if fact.slot in slots:
            insert_fact(fact, action_id=action_ids[fact.log_position], user=user, vault=vault, now=now)


def _append_actions(*, user: UserRef, fold: Fold, vault: UserVault, now: datetime) -> None:
    if not fold.new_actions:
        return
    actions = [
        PendingAction(
            id=action.id,
            position=action.position,
            kind=action.kind,
            said_at=action.said_at,
            message_id=action.message_id,
            rule_set_version=action.rule_set_version,
            detail=dict(action.detail),
        )
        for action in fold.new_actions
    ]
    insert_actions(actions, user=user, actor="system", vault=vault, now=now)


def list_slots(*, logs: UserLogs, fold: Fold, fact_ids: Collection[UUID]) -> set[Slot]:
    """The keys of these facts, stored or folded."""
    return {fact.slot for fact in (*logs.facts, *fold.facts) if fact.id in fact_ids}
