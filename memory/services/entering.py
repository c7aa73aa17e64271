"""The first statement of an ingest: the user under its lock, and all that its new messages need to know (D-6, D-7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, connection

from memory.errors import UserBusy, UserErased
from memory.ids import new_id
from memory.ingest.conversations import OpenConversation
from memory.services.user_lock import hold_against_tombstones, raise_if_busy
from memory.tenants.proof import mark_proven
from memory.tenants.scope import SCOPE, list_scope_values
from memory.types import Draft, UserRef


@dataclass(frozen=True, slots=True)
class Entered:
    """A user whose lock this transaction has, and what stood in the database when it got it."""

    user: UserRef
    log_position: int
    has_facts: bool
    conversations: dict[str, OpenConversation]
    """By the tenant's own id: all that the drafts name, new ones made."""
    seen: dict[tuple[UUID, str], tuple[UUID, bytes]]
    """Stored messages under the drafts' client ids, by conversation and client id: their id and content hash."""


_ENTER = (
    f"SELECT entered.* FROM {SCOPE}, LATERAL enter_messages_v1(scope.tenant_id::uuid, %s::varchar, %s::uuid,"
    " %s::timestamptz, %s::varchar[], %s::uuid[], %s::varchar[]) entered"
)


def enter_messages(*, tenant_id: UUID, drafts: Sequence[Draft], now: datetime) -> Entered:
    """Find or make the user of these drafts and their conversations, under the user's lock. One statement. Writes.

    It also sets the tenant and the time limit, so it may be the first of a scope that `opens_with_statement`.
    Raises UserBusy when another writer holds the lock for over two seconds, UserErased when the fence is up,
    ErasedPeriod for what has been erased before.
    """
    external_id = drafts[0].user_external_id
    rows = _run_entry(tenant_id, external_id, drafts, now)
    user_id, fenced_at, has_tombstones, may_be_erased, log_position, has_facts = rows[0][:6]
    if fenced_at is not None:
        raise UserErased(fields={"user_id": "is being erased"})
    user = UserRef(id=user_id, tenant_id=tenant_id, external_id=external_id)
    if has_tombstones or may_be_erased:
        hold_against_tombstones(user, drafts, is_marked=has_tombstones)
    conversations = {row[6]: OpenConversation(*row[7:10]) for row in rows}
    return Entered(user, log_position, has_facts, conversations, dict(_list_seen(rows)))


def _run_entry(tenant_id: UUID, external_id: str, drafts: Sequence[Draft], now: datetime) -> list[tuple[Any, ...]]:
    names = list(dict.fromkeys(draft.conversation_external_id for draft in drafts))
    client_ids = [draft.client_id for draft in drafts if draft.client_id]
    scope = list_scope_values(tenant_id, statement_timeout_ms=settings.UNDE_TUNING.STATEMENT_TIMEOUT_MS)
    values = [*scope, external_id, new_id(), now, names, [new_id() for _ in names], client_ids]
    with connection.cursor() as cursor:
        try:
            cursor.execute(_ENTER, values)
        except OperationalError as error:
            raise_if_busy(error)
            raise
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    mark_proven(tenant_id)
    if not rows:
        raise UserBusy
    return rows


def _list_seen(rows: Iterable[tuple[Any, ...]]) -> Iterable[tuple[tuple[UUID, str], tuple[UUID, bytes]]]:
    for row in rows:
        for client_id, message_id, digest in zip(row[10] or (), row[11] or (), row[12] or (), strict=True):
            yield (row[7], client_id), (message_id, bytes(digest))
