"""The first exchange of an ingest: users under their locks, and all that their new messages need to know (D-6, D-7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import OperationalError
from msgspec.json import encode

from memory.arrays import pack_texts, pack_uuids
from memory.errors import UserBusy, UserErased
from memory.exchange import Statement
from memory.ids import new_id
from memory.ingest.conversations import OpenConversation
from memory.services.user_lock import hold_against_tombstones, raise_if_busy
from memory.tenants.scope import run_in_scope
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


_ENTER_TOGETHER = """
SELECT n.place, e.*
  FROM json_to_recordset(%s::json) AS n (
    place integer, external_id varchar, fresh_id uuid, named varchar[], fresh_ids uuid[], client_ids varchar[])
  CROSS JOIN LATERAL enter_messages_v2(
    %s::uuid, n.external_id, n.fresh_id, %s::timestamptz, n.named, n.fresh_ids, n.client_ids, false) e
"""
"""One after the other in the order of the rows: the function is called for each of them."""

_ENTER = (
    "SELECT * FROM enter_messages_v2(%s::uuid, %s::varchar, %s::uuid, %s::timestamptz, %s::text[]::varchar[],"
    " %s::uuid[], %s::text[]::varchar[], %s::boolean)"
)


def enter_messages(*, tenant_id: UUID, drafts: Sequence[Draft], now: datetime) -> Entered:
    """Find or make the user of these drafts and their conversations, under the user's lock. Writes.

    Raises UserBusy when another writer holds the lock for over two seconds, UserErased when the fence is up,
    ErasedPeriod for what has been erased before.
    """
    try:
        rows = run_in_scope([_write_entry(tenant_id, drafts, now)])[0]
    except OperationalError as error:
        raise_if_busy(error)
        raise
    if not rows:
        raise UserBusy
    return _make_entered(tenant_id, drafts, rows)


def enter_at_once(*, tenant_id: UUID, parts: Sequence[Sequence[Draft]], now: datetime) -> list[Entered | None]:
    """As `enter_messages`, for several users in one exchange; each part is the drafts of one. Writes.

    None for a user whose lock another writer holds, and for one before whom a fence or tombstones stand, or may: they
    are entered alone. Raises UserBusy where nobody can be entered like this.
    """
    # In one order in every process: of two batches with the same new users one waits, never each for the other.
    places = sorted(range(len(parts)), key=lambda place: parts[place][0].user_external_id)
    wanted = [{"place": place, **_name_entry(parts[place])} for place in places]
    answers: dict[int, list[tuple[Any, ...]]] = {}
    for place, *row in run_in_scope([Statement(_ENTER_TOGETHER, [encode(wanted).decode(), tenant_id, now])])[0]:
        answers.setdefault(place, []).append(tuple(row))
    entered: list[Entered | None] = [None] * len(parts)
    for place, rows in answers.items():
        if rows[0][3]:
            raise UserBusy  # erased and come back while this ran: made again where tombstones are looked at
        if not _is_hindered(rows[0]):
            entered[place] = _make_entered(tenant_id, parts[place], rows)
    return entered


def _write_entry(tenant_id: UUID, drafts: Sequence[Draft], now: datetime) -> Statement:
    user, fresh_id, names, fresh_ids, client_ids = _name_entry(drafts).values()
    arrays = [pack_texts(names), pack_uuids(fresh_ids), pack_texts(client_ids)]
    return Statement(_ENTER, [tenant_id, user, fresh_id, now, *arrays, True])


def _name_entry(drafts: Sequence[Draft]) -> dict[str, Any]:
    names = list(dict.fromkeys(draft.conversation_external_id for draft in drafts))
    return {
        "external_id": drafts[0].user_external_id,
        "fresh_id": new_id(),
        "named": names,
        "fresh_ids": [new_id() for _ in names],
        "client_ids": [draft.client_id for draft in drafts if draft.client_id],
    }


def _is_hindered(row: tuple[Any, ...]) -> bool:
    """Whether a fence or tombstones stand before the user."""
    fenced_at, has_tombstones = row[1:3]
    return fenced_at is not None or has_tombstones


def _make_entered(tenant_id: UUID, drafts: Sequence[Draft], rows: Sequence[tuple[Any, ...]]) -> Entered:
    user_id, fenced_at, has_tombstones, may_be_erased, log_position, has_facts = rows[0][:6]
    if fenced_at is not None:
        raise UserErased(fields={"user_id": "is being erased"})
    user = UserRef(id=user_id, tenant_id=tenant_id, external_id=drafts[0].user_external_id)
    if has_tombstones or may_be_erased:
        hold_against_tombstones(user, drafts, is_marked=has_tombstones)
    conversations = {row[6]: OpenConversation(*row[7:10]) for row in rows}
    return Entered(user, log_position, has_facts, conversations, dict(_list_seen(rows)))


def _list_seen(rows: Iterable[tuple[Any, ...]]) -> Iterable[tuple[tuple[UUID, str], tuple[UUID, bytes]]]:
    for row in rows:
        for client_id, message_id, digest in zip(row[10] or (), row[11] or (), row[12] or (), strict=True):
            yield (row[7], client_id), (message_id, bytes(digest))
