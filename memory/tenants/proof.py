"""Who a key belongs to, remembered, and confirmed by the database in the first exchange of the request (SPEC A-1).

A request used to begin with a look-up of its key, alone. Now a process remembers what a key answered, and the first
scope of the request takes the question whether it still works along (`enter_tenant_v1`): a revoked key is refused from
the next request on, as before, and nothing is read or written for it. What else a key or tenant has (scopes, limit,
time zone) is looked up again every minute.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from memory.tenants.types import Caller

REMEMBERED_FOR: Final = timedelta(minutes=1)
MAX_REMEMBERED: Final = 10_000


@dataclass(frozen=True, slots=True)
class RememberedKey:
    """What a key answered when it was looked up, and until when that is taken to hold."""

    caller: Caller
    key_hash: bytes
    good_until: datetime


@dataclass(frozen=True, slots=True)
class PendingKey:
    """A key whose request has not been confirmed yet."""

    tenant_id: UUID
    key_id: UUID
    key_hash: bytes


_remembered: dict[bytes, RememberedKey] = {}
_pending: ContextVar[PendingKey | None] = ContextVar("unde_pending_key", default=None)


def find_remembered(key_hash: bytes, *, now: datetime) -> Caller | None:
    """The caller of a key seen within the minute. It is to be confirmed: `expect_proof`."""
    found = _remembered.get(key_hash)
    return found.caller if found is not None and now < found.good_until else None


def remember(caller: Caller, *, key_hash: bytes, expires_at: datetime | None, now: datetime) -> None:
    """Keep what a look-up answered, for at most a minute and never beyond the key's own end."""
    if len(_remembered) >= MAX_REMEMBERED:
        _remembered.clear()
    good_until = now + REMEMBERED_FOR
    _remembered[key_hash] = RememberedKey(caller, key_hash, min(good_until, expires_at or good_until))


def expect_proof(caller: Caller, *, key_hash: bytes) -> None:
    """From here on the first scope of this thread's request confirms the key."""
    _pending.set(PendingKey(caller.tenant_id, caller.key_id, key_hash))


def take_over(pending: PendingKey | None) -> None:
    """From here on this thread confirms a key that another request with the same key waits for."""
    _pending.set(pending)


def find_pending(tenant_id: UUID) -> PendingKey | None:
    """The key that a scope of this tenant has to confirm, if the request has one that is not confirmed yet."""
    pending = _pending.get()
    return pending if pending is not None and pending.tenant_id == tenant_id else None


def mark_proven(tenant_id: UUID) -> None:
    """The statement that confirmed the key has come back."""
    if find_pending(tenant_id) is not None:
        _pending.set(None)


def take_pending() -> PendingKey | None:
    """The key that the request has not confirmed, if any; the request is over."""
    pending = _pending.get()
    _pending.set(None)
    return pending


def forget_key(key_hash: bytes) -> None:
    """Look the key up again next time."""
    _remembered.pop(key_hash, None)
