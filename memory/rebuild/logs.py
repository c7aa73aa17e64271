"""Both logs of a user, read. Inside a tenant scope."""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from uuid import UUID

from memory.facts.reading import open_fact
from memory.models import Action, FactRow, ForgetItem, Tombstone
from memory.rebuild.stored import StoredMessages
from memory.rebuild.types import LoggedAction, UserLogs
from memory.sealing.errors import SealBroken
from memory.sealing.vault import UserVault
from memory.types import UserRef


def load_logs(*, user: UserRef) -> UserLogs:
    """Everything that a fold needs. Raises SealBroken, UserKeyDestroyed."""
    vault = UserVault(user_id=user.id)
    actions = Action.objects.filter(user_id=user.id).order_by("position")
    facts = FactRow.objects.filter(user_id=user.id).order_by("log_position", "id")
    return UserLogs(
        messages=StoredMessages(user),
        actions=[open_action(row, vault=vault) for row in actions.iterator()],
        facts=[open_fact(row, vault=vault) for row in facts],
        forgotten_by=_list_forgotten(user),
        has_erasures=Tombstone.objects.filter(user_id=user.id).exists(),
    )


def open_action(row: Action, *, vault: UserVault) -> LoggedAction:
    """A row of the action log with its words unsealed."""
    return LoggedAction(
        id=row.id,
        position=row.position,
        kind=row.kind,
        message_id=row.message_id,
        batch_id=row.batch_id,
        effects=row.effects,
        detail=row.detail,
        words=_open_words(row, vault),
        rule_set_version=row.rule_set_version,
        engine_version=row.engine_version,
        said_at=row.said_at,
        recorded_at=row.recorded_at,
    )


def _open_words(row: Action, vault: UserVault) -> Any:
    """The words of an action; none where the key that sealed them is lost, for the log can't be mended (D-15)."""
    try:
        return vault.open(row.sealed, purpose="action") if row.sealed else None
    except SealBroken:
        return None


def _list_forgotten(user: UserRef) -> dict[UUID, frozenset[UUID]]:
    found: dict[UUID, set[UUID]] = defaultdict(set)
    items = ForgetItem.objects.filter(user_id=user.id, part="message").values_list("batch_id", "message_id")
    for batch_id, message_id in items:
        found[batch_id].add(message_id)
    return {batch_id: frozenset(ids) for batch_id, ids in found.items()}
